internal import Accounts
internal import Database
internal import Dispatch
internal import JSON
internal import Synchronization

/// Stores which clients addresses sign in from, after the answer and together for 100 ms of sign-ins.
///
/// What a crash loses, the next sign-in stores.
final class KnownClientRecorder: Sendable {
    private struct State {
        var waiting: [KnownClient] = []
        /// Whether a transaction is under way, or about to begin.
        var isWriting = false
    }

    private static let gathering = DispatchTimeInterval.milliseconds(100)
    /// The number of clients that share a transaction, which holds a row of a user for each.
    private static let largestBatch = 128
    /// Beyond so many, sign-ins come faster than the database commits, and the newest are not remembered.
    private static let mostWaiting = 10_000

    private let database: any Database
    private let flows: AccountFlows
    private let logger: Log
    private let queue = DispatchQueue(label: "latchkey.known-clients")
    private let state = Mutex(State())

    init(_ database: any Database, flows: AccountFlows, logger: Log) {
        self.database = database
        self.flows = flows
        self.logger = logger
    }

    /// Remembers a client soon.
    func note(_ client: KnownClient?) {
        guard let client else { return }
        let isFirst = state.withLock { state in
            if state.waiting.count < Self.mostWaiting { state.waiting.append(client) }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isFirst { queue.asyncAfter(deadline: .now() + Self.gathering) { self.write() } }
    }

    /// Stores what waits, before the database is closed.
    ///
    /// Waits, so not from the cooperative pool.
    func finish(within patience: Duration) {
        let isDone = Handover<Void>()
        queue.async { self.write { isDone.give(()) } }
        _ = isDone.take(within: patience)
    }

    /// Stores a batch, and what came meanwhile in the next one.
    private func write(then finished: @escaping @Sendable () -> Void = {}) {
        let batch = state.withLock { state in
            let batch = Array(state.waiting.prefix(Self.largestBatch))
            state.waiting.removeFirst(batch.count)
            state.isWriting = !batch.isEmpty
            return batch
        }
        guard !batch.isEmpty else { return finished() }
        let records: [KnownClientRecord]
        do { records = try batch.map { try flows.record(of: $0) } } catch {
            log(error)
            return write(then: finished)
        }
        // Nothing that the transaction reads may be older than the locks it takes on its users.
        database.lease("KnownClients") { [flows] transaction in
            try flows.remember(records, in: transaction)
        } completion: { result in
            if case .failure(let error) = result { self.log(error) }
            self.queue.async { self.write(then: finished) }
        }
    }

    private func log(_ error: any Error) {
        logger("known-clients.not-stored", ("reason", .string("\(error)")))
    }
}
