internal import Database
internal import HTTPServer
internal import JSON
internal import Synchronization

/// Whether this node can serve, answered from memory so that a database that hangs cannot hold up the answer.
///
/// A write is tried whenever nothing was committed for a while, because a database that can be read need not take writes.
final class Readiness: Sendable {
    /// Why the node cannot serve.
    enum Obstacle: String, Sendable {
        /// The database does not answer.
        case database
        /// Two writes in a row failed.
        case writes
        /// The database reported damaged data.
        case damage
    }

    private struct State {
        /// Commits that were seen.
        var commits = 0
        /// Failed attempts since the last commit.
        var failures = 0
        /// When the attempt began that has not ended, or was last counted as failed.
        var attempt: ContinuousClock.Instant?
        /// When the last commit was seen, or the last attempt ended.
        var checked = ContinuousClock.now
        var logged: Obstacle?
    }

    private let database: any Database
    private let interval: Duration
    private let logger: Log
    private let state = Mutex(State())

    /// - Parameters:
    ///   - database: what the node needs.
    ///   - interval: how long nothing may be committed before a write is tried.
    ///   - logger: told when the answer changes.
    init(_ database: any Database, every interval: Duration, logger: Log) {
        self.database = database
        self.interval = interval
        self.logger = logger
    }

    /// Why the node cannot serve; `nil` when it can.
    var obstacle: Obstacle? {
        if database.health.corruption != nil { return .damage }
        if database.absence != nil { return .database }
        let commits = database.health.commits
        return state.withLock { $0.failures >= 2 && $0.commits == commits } ? .writes : nil
    }

    /// Tries writes until its task is cancelled.
    func run() async {
        while !Task.isCancelled {
            if isAttemptDue() { attempt() }
            logChange()
            try? await Task.sleep(for: interval / 5)
        }
    }

    private func isAttemptDue() -> Bool {
        let (commits, isAway) = (database.health.commits, database.absence != nil)
        let now = ContinuousClock.now
        return state.withLock { state in
            if state.commits != commits { (state.commits, state.failures, state.checked) = (commits, 0, now) }
            if let began = state.attempt {
                // An attempt that hangs fails once for each interval.
                if now - began >= interval { (state.failures, state.attempt) = (state.failures + 1, now) }
                return false
            }
            // A second attempt follows a failed one soon. While the database is away, no attempt says anything new.
            guard !isAway, state.failures > 0 || now - state.checked >= interval else { return false }
            state.attempt = now
            return true
        }
    }

    /// Tries a write, which other nodes may try at the same moment: at this isolation they wait for one another.
    private func attempt() {
        database.lease("WriteProbe", { try $0.set("write-probe", to: "") }) {
            [self] (result: Result<Void, any Error>) in
            let commits = database.health.commits
            state.withLock { state in
                state.attempt = nil
                state.checked = .now
                switch result {
                case .success: state.failures = 0
                case .failure: state.failures += 1
                }
                state.commits = commits
            }
        }
    }

    private func logChange() {
        let obstacle = obstacle
        let isNews = state.withLock { state in
            defer { state.logged = obstacle }
            return state.logged != obstacle
        }
        guard isNews else { return }
        logger(
            "readiness",
            ("ready", .bool(obstacle == nil)),
            ("reason", obstacle.map { .string($0.rawValue) } ?? .null)
        )
    }

    /// The answer of `/readyz`.
    var response: Response {
        guard let obstacle else { return .json([UInt8](#"{"status":"ready"}"#.utf8)) }
        return .json(status: 503, [UInt8](#"{"status":"unavailable","reason":"\#(obstacle.rawValue)"}"#.utf8))
    }
}
