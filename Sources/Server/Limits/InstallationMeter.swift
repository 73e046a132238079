internal import AccountDatabase
internal import Database
internal import Synchronization

/// Counts events of one kind in the current minute across all nodes, at most a second late.
///
/// A node counts in memory, so that counting costs a request nothing. Once a second ``InstallationMeters`` adds the new
/// count to a row of `limits` and reads the sum of all nodes. A SQLite database has one node, and nothing is stored.
final class InstallationMeter: Sendable {
    private struct State {
        var minute: Int64 = 0
        /// The events counted here that are not stored yet.
        var unsent: Int64 = 0
        /// The sum of all nodes when this node last exchanged its count, plus events that are being stored now.
        var stored: Int64 = 0
        /// Whether this node has counted anything in this minute.
        var isActive = false
    }

    /// One minute, in milliseconds.
    static let window: Int64 = 60_000

    /// The name of the meter's row in `limits`.
    let name: String
    private let state = Mutex(State())

    /// Makes a meter that has counted nothing.
    ///
    /// - Parameter name: the kind of event, such as `mails`.
    init(_ name: String) {
        self.name = "installation:\(name)"
    }

    /// Counts one event of the meter's kind, in the minute that contains `now`.
    ///
    /// - Parameter now: milliseconds since 1970.
    func count(at now: Int64) {
        state.withLock { state in
            Self.turn(&state, at: now)
            state.unsent += 1
            state.isActive = true
        }
    }

    /// The number of events in this minute.
    ///
    /// - Parameter now: milliseconds since 1970.
    func used(at now: Int64) -> Int64 {
        state.withLock { state in
            Self.turn(&state, at: now)
            return state.stored + state.unsent
        }
    }

    /// Resets the count.
    func reset() {
        state.withLock { $0 = State() }
    }

    /// Returns the number of events since the last call, which may be 0; `nil` if this node has counted nothing in this
    /// minute.
    fileprivate func takeUnsent(at now: Int64) -> Int64? {
        state.withLock { state in
            Self.turn(&state, at: now)
            guard state.isActive else { return nil }
            defer { state.unsent = 0 }
            // Until the sum of all nodes is known, these events count as stored.
            state.stored += state.unsent
            return state.unsent
        }
    }

    /// Records the sum of all nodes if it is greater than the known one, unless another minute has begun.
    fileprivate func learn(_ sum: Int64, at now: Int64) {
        state.withLock { state in
            guard state.minute == now / Self.window else { return }
            state.stored = max(state.stored, sum)
        }
    }

    private static func turn(_ state: inout State, at now: Int64) {
        let minute = now / window
        if state.minute < minute { state = State(minute: minute) }
    }
}

/// The meters of a node, which exchange their counts with other nodes.
struct InstallationMeters: Sendable {
    /// Counts created guests.
    let guests = InstallationMeter("guests")
    /// Counts e-mails that were requested and queued, without notices about changes.
    let mails = InstallationMeter("mails")

    private var all: [InstallationMeter] { [guests, mails] }

    /// Resets all counts.
    func reset() {
        for meter in all { meter.reset() }
    }

    /// Exchanges counts once a second until its task is cancelled; returns at once with SQLite, which has one node.
    ///
    /// A count that could not be stored is lost, which makes a limit more generous for the rest of the minute.
    func run(_ database: any Database) async {
        guard !database.isLocal else { return }
        while !Task.isCancelled {
            try? await exchange(database)
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private func exchange(_ database: any Database) async throws {
        let news = all.compactMap { meter in meter.takeUnsent(at: database.now).map { (meter, $0) } }
        guard !news.isEmpty else { return }
        let (sums, now) = try await database.write(kind: "CountInstallation", isolation: .readCommitted) {
            let (transaction, window) = ($0, InstallationMeter.window)
            let sums = try news.map { meter, count in
                count > 0
                    ? try transaction.count(meter.name, by: count, in: window).used
                    : try transaction.used(meter.name, in: window).used
            }
            return (sums, transaction.now)
        }
        for ((meter, _), sum) in zip(news, sums) { meter.learn(sum, at: now) }
    }
}
