internal import AccountDatabase
internal import Database
internal import HTTPServer
internal import JSON
internal import Synchronization

/// Knows whether this node can serve requests, and answers from memory, so that a hanging database cannot delay the
/// answer.
///
/// A write is tried whenever there was no commit for a while, because a readable database does not necessarily accept
/// writes.
final class Readiness: Sendable {
    /// Why the node cannot serve.
    enum Obstacle: String, Sendable {
        /// The PostgreSQL server cannot be used now, as far as is known without a query. Never with SQLite.
        case database
        /// At least two write attempts in a row failed, and nothing was committed since. An attempt that hangs counts
        /// as failed once per interval.
        case writes
        /// The database reported damaged data.
        case damage
        /// The node is about to stop, so that others should serve in its place.
        case stopping
    }

    private struct State {
        /// The number of commits at the last check.
        var commits = 0
        /// The number of failed write attempts since the last commit, plus one for each interval that an attempt has
        /// hung.
        var failures = 0
        /// When the pending write attempt began, or was last counted as failed; `nil` without one.
        var attempt: ContinuousClock.Instant?
        /// When the last commit was seen, or the last write attempt ended.
        var checked = ContinuousClock.now
        /// The obstacle that was logged last; `nil` if the node was ready then.
        var logged: Obstacle?
        var isStopping = false
    }

    private let database: any Database
    private let interval: Duration
    private let logger: Log
    private let state = Mutex(State())

    /// Makes the check, which tries no write before ``run()``.
    ///
    /// - Parameters:
    ///   - database: the database that the node needs.
    ///   - interval: the time without commits after which a write is tried.
    ///   - logger: logs when the answer changes.
    init(_ database: any Database, every interval: Duration, logger: Log) {
        self.database = database
        self.interval = interval
        self.logger = logger
    }

    /// Why the node cannot serve; `nil` when it can.
    var obstacle: Obstacle? { state.withLock { obstacle(in: $0) } }

    /// Whether the node can serve.
    var isReady: Bool { obstacle == nil }

    /// Answers from now on that the node cannot serve, because it is about to stop.
    func announceStop() {
        update { $0.isStopping = true }
    }

    /// Tries a write when there was no commit for an interval or the last attempt failed, and logs changes of
    /// ``obstacle``, until its task is cancelled.
    func run() async {
        while !Task.isCancelled {
            if isAttemptDue() { attempt() }
            try? await Task.sleep(for: interval / 5)
        }
    }

    private func isAttemptDue() -> Bool {
        let (commits, isAway) = (database.health.commits, database.absence != nil)
        let now = ContinuousClock.now
        return update { state in
            if state.commits != commits { (state.commits, state.failures, state.checked) = (commits, 0, now) }
            if let began = state.attempt {
                // A hanging attempt counts as failed once per interval.
                if now - began >= interval { (state.failures, state.attempt) = (state.failures + 1, now) }
                return false
            }
            // A second attempt soon follows a failed one. While the database is unreachable, an attempt would tell
            // nothing new.
            guard !isAway, state.failures > 0 || now - state.checked >= interval else { return false }
            state.attempt = now
            return true
        }
    }

    /// Begins an attempt to write to the database, without waiting for its result.
    ///
    /// All nodes write the same row. The attempt runs as a transaction for leases, so that nodes that write at the same
    /// moment wait for one another in PostgreSQL. In an ordinary transaction they would conflict.
    private func attempt() {
        database.lease("WriteProbe", { try $0.set("write-probe", to: "") }) {
            [self] (result: Result<Void, any Error>) in
            let commits = database.health.commits
            update { state in
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

    private func obstacle(in state: State) -> Obstacle? {
        if state.isStopping { return .stopping }
        if database.health.corruption != nil { return .damage }
        if database.absence != nil { return .database }
        return state.failures >= 2 && state.commits == database.health.commits ? .writes : nil
    }

    /// Changes the state, and logs if the obstacle is another one than was logged last.
    ///
    /// Both are one step, so that an obstacle of a moment is logged, too.
    private func update<T>(_ change: (inout State) -> T) -> T {
        let (result, isNews, obstacle) = state.withLock { state in
            let result = change(&state)
            let obstacle = self.obstacle(in: state)
            defer { state.logged = obstacle }
            return (result, state.logged != obstacle, obstacle)
        }
        if isNews {
            logger(
                "readiness",
                ("ready", .bool(obstacle == nil)),
                ("reason", obstacle.map { .string($0.rawValue) } ?? .null)
            )
        }
        return result
    }

    /// The response of `/readyz`: status 200, or 503 with the obstacle.
    var response: Response {
        guard let obstacle else { return .json([UInt8](#"{"status":"ready"}"#.utf8)) }
        return .json(status: 503, [UInt8](#"{"status":"unavailable","reason":"\#(obstacle.rawValue)"}"#.utf8))
    }
}
