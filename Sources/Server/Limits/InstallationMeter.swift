internal import Database
internal import Synchronization

/// Counts events of one kind in the current minute across all nodes, to within a second.
///
/// A node counts in memory, so that counting costs a request nothing. Once a second ``InstallationMeters`` adds what is new to
/// a row of `limits` and learns the sum of all nodes. Where the database is local there is one node, and nothing is stored.
final class InstallationMeter: Sendable {
    private struct State {
        var minute: Int64 = 0
        /// Counted here and not yet stored.
        var unsent: Int64 = 0
        /// The sum of all nodes when it was last stored.
        var stored: Int64 = 0
        /// Whether this node has counted anything in this minute.
        var isActive = false
    }

    /// One minute, in milliseconds.
    static let window: Int64 = 60_000

    /// The name of its row in `limits`.
    let name: String
    private let state = Mutex(State())

    /// - Parameter name: what is counted, such as `mails`.
    init(_ name: String) {
        self.name = "installation:\(name)"
    }

    /// Counts one event.
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

    /// Forgets what was counted.
    func reset() {
        state.withLock { $0 = State() }
    }

    /// What is new since the last call; `nil` where this node has counted nothing in this minute.
    fileprivate func takeUnsent(at now: Int64) -> Int64? {
        state.withLock { state in
            Self.turn(&state, at: now)
            guard state.isActive else { return nil }
            defer { state.unsent = 0 }
            // Until the sum is known, they count as stored.
            state.stored += state.unsent
            return state.unsent
        }
    }

    /// Takes the sum of all nodes.
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

/// The meters of a node, and the exchange of their counts with other nodes.
struct InstallationMeters: Sendable {
    /// Guests that were created.
    let guests = InstallationMeter("guests")
    /// E-mails that were asked for.
    let mails = InstallationMeter("mails")

    private var all: [InstallationMeter] { [guests, mails] }

    /// Forgets what was counted.
    func reset() {
        for meter in all { meter.reset() }
    }

    /// Exchanges counts once a second until its task is cancelled.
    ///
    /// A count that could not be stored is lost, which makes a
    /// limit more generous for the rest of the minute.
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
        let (sums, now) = try await database.write { transaction in
            let sums = try news.map { meter, count in
                count > 0
                    ? try transaction.count(meter.name, by: count, in: InstallationMeter.window).used
                    : try transaction.used(meter.name, in: InstallationMeter.window).used
            }
            return (sums, transaction.now)
        }
        for ((meter, _), sum) in zip(news, sums) { meter.learn(sum, at: now) }
    }
}
