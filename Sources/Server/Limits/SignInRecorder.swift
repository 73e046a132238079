internal import Accounts
internal import Database
internal import Dispatch
internal import JSON
internal import Synchronization

/// Does what follows a sign-in, after the answer and together for a second of sign-ins: stores which clients addresses sign in
/// from, and ends the sessions that users have beyond the limit.
///
/// It takes no part in the sign-in's own transaction, because counting sessions there would conflict with every sign-in of a
/// neighbour in the index. What a crash loses, the next sign-in does.
final class SignInRecorder: Sendable {
    /// What is to be done for one sign-in.
    private struct SignIn: Sendable {
        let uid: String
        let client: KnownClient?
        /// Whether the user may have more sessions than the limit allows.
        let addsSession: Bool
    }

    /// A sign-in whose client is hashed, because hashing takes longer than storing.
    private struct Prepared {
        let uid: String
        let record: KnownClientRecord?
        let addsSession: Bool
    }

    private struct State {
        var waiting: [SignIn] = []
        /// Whether a transaction is under way, or about to begin.
        var isWriting = false
    }

    private static let gathering = DispatchTimeInterval.seconds(1)
    /// The number of sign-ins that share a transaction, which may hold a row of a user for each.
    private static let largestBatch = 128
    /// Beyond so many, sign-ins come faster than the database commits, and the newest are left out.
    private static let mostWaiting = 10_000

    private let database: any Database
    private let flows: AccountFlows
    private let logger: Log
    private let queue = DispatchQueue(label: "latchkey.sign-ins")
    private let state = Mutex(State())
    /// What one round of sign-ins left to write, by descending address; only `queue` touches it.
    private let round = Mutex<[Prepared]>([])

    init(_ database: any Database, flows: AccountFlows, logger: Log) {
        self.database = database
        self.flows = flows
        self.logger = logger
    }

    /// Does soon what follows a sign-in.
    ///
    /// - Parameters:
    ///   - signedIn: the user and the new session.
    ///   - remembersClient: whether the sign-in proved or used the user's address.
    func note(_ signedIn: SignedIn, remembersClient: Bool) {
        let client = remembersClient ? signedIn.knownClient : nil
        let signIn = SignIn(uid: signedIn.user.uid, client: client, addsSession: !signedIn.isNewUser)
        guard signIn.client != nil || signIn.addsSession else { return }
        let isFirst = state.withLock { state in
            if state.waiting.count < Self.mostWaiting { state.waiting.append(signIn) }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isFirst { queue.asyncAfter(deadline: .now() + Self.gathering) { self.write() } }
    }

    /// Does what waits, before the database is closed.
    ///
    /// Waits, so not from the cooperative pool.
    func finish(within patience: Duration) {
        let isDone = Handover<Void>()
        queue.async { self.write { isDone.give(()) } }
        _ = isDone.take(within: patience)
    }

    /// Writes a batch, and then the next one.
    private func write(then finished: @escaping @Sendable () -> Void = {}) {
        let batch = nextBatch()
        guard !batch.isEmpty else { return finished() }
        let records = batch.compactMap(\.record)
        let uids = Set(batch.filter(\.addsSession).map(\.uid)).sorted()
        // Nothing that the transaction reads may be older than the locks it takes on its users.
        database.lease("SignIns") { [flows] transaction in
            try flows.limitSessions(of: uids, lockingAlso: records.map(\.uid), in: transaction)
            try flows.remember(records, in: transaction)
        } completion: { result in
            if case .failure(let error) = result { self.log(error) }
            self.queue.async { self.write(then: finished) }
        }
    }

    /// The next sign-ins to write; none where none waits.
    ///
    /// A round takes all that wait and sorts them by the hash of their address, so that each of its batches fills neighbouring
    /// pages of the index.
    private func nextBatch() -> [Prepared] {
        round.withLock { round in
            if round.isEmpty {
                let waiting = state.withLock { state in
                    let waiting = state.waiting
                    state.waiting = []
                    state.isWriting = !waiting.isEmpty
                    return waiting
                }
                let prepared = waiting.map(prepare)
                let addresses = prepared.map { $0.record?.address ?? "" }
                // Sorting numbers moves less than sorting records.
                round = prepared.indices.sorted { addresses[$0] > addresses[$1] }.map { prepared[$0] }
            }
            let batch = Array(round.suffix(Self.largestBatch))
            round.removeLast(batch.count)
            return batch
        }
    }

    private func prepare(_ signIn: SignIn) -> Prepared {
        var record: KnownClientRecord?
        do { record = try signIn.client.map { try flows.record(of: $0) } } catch { log(error) }
        return Prepared(uid: signIn.uid, record: record, addsSession: signIn.addsSession)
    }

    private func log(_ error: any Error) {
        logger("sign-ins.not-recorded", ("reason", .string("\(error)")))
    }
}
