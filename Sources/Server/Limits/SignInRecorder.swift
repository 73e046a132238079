internal import Accounts
internal import Database
internal import Dispatch
internal import JSON
internal import Synchronization

/// Does the follow-up work of sign-ins, after the response and for several sign-ins together.
///
/// The work is to store from which clients an e-mail address signs in, to write the redemptions of tickets into the
/// trace, and to end the sessions that a user has beyond the limit.
///
/// The work is not part of the sign-in's transaction, because counting sessions there would conflict in the index with
/// every sign-in of a neighbouring user, and because many sign-ins together change fewer pages of an index. If a crash
/// loses the work of a sign-in, the user's next sign-in does it, but for the trace, which then lacks the event.
final class SignInRecorder: Sendable {
    /// The follow-up work of one sign-in.
    private struct SignIn: Sendable {
        let uid: String
        let client: KnownClient?
        let redemption: TraceEntry?
        /// Whether the user may now have more sessions than the limit allows.
        let addsSession: Bool
    }

    /// A sign-in whose client was hashed ahead of the transaction, because hashing takes longer than storing.
    private struct Prepared: Sendable {
        let uid: String
        let record: KnownClientRecord?
        let addsSession: Bool
    }

    /// The work that is being written, in an order in which neighbours change the same pages of an index.
    private struct Round: Sendable {
        /// Sorted by the hash of the address.
        var signIns: ArraySlice<Prepared>
        /// Sorted by the request.
        var redemptions: ArraySlice<TraceEntry>
    }

    private enum Phase {
        case idle
        case gathering
        case writing
    }

    private struct State {
        var phase = Phase.idle
        var waiting: [SignIn] = []
        /// The closures to call once when no work is waiting any more.
        var whenDone: [@Sendable () -> Void] = []
    }

    private static let gathering = DispatchTimeInterval.milliseconds(20)
    /// When sign-ins are frequent, many of them change the same pages of an index, so waiting for more saves work.
    private static let gatheringWhenBusy = DispatchTimeInterval.seconds(1)
    /// The number of sign-ins within ``gathering`` that counts as frequent.
    private static let busy = 32
    /// The number of sign-ins that share a transaction, which may lock a user's row for each.
    private static let largestBatch = 128
    /// The number of redemptions that share a transaction.
    private static let mostRedemptions = 512
    /// The maximum number of waiting sign-ins.
    ///
    /// Beyond it, sign-ins arrive faster than the database commits, and the work of the newest is dropped.
    private static let mostWaiting = 10_000

    private let database: any Database
    private let flows: AccountFlows
    private let logger: Log
    private let queue = DispatchQueue(label: "latchkey.sign-ins")
    private let state = Mutex(State())

    init(_ database: any Database, flows: AccountFlows, logger: Log) {
        self.database = database
        self.flows = flows.acting(as: .server)
        self.logger = logger
    }

    /// Schedules the follow-up work of a sign-in.
    ///
    /// - Parameters:
    ///   - signedIn: the user and the new session.
    ///   - remembersClient: whether the sign-in proved or used the user's address.
    func record(_ signedIn: SignedIn, remembersClient: Bool) {
        let client = remembersClient ? signedIn.knownClient : nil
        let signIn = SignIn(
            uid: signedIn.user.uid,
            client: client,
            redemption: signedIn.redemptionTrace,
            addsSession: !signedIn.isNewUser
        )
        guard signIn.client != nil || signIn.redemption != nil || signIn.addsSession else { return }
        let isFirst = state.withLock { state in
            if state.waiting.count < Self.mostWaiting { state.waiting.append(signIn) }
            guard state.phase == .idle else { return false }
            state.phase = .gathering
            return true
        }
        if isFirst { gather() }
    }

    /// Does the waiting work, before the database is closed.
    ///
    /// Blocks until that is done, at most for `patience`, so it must not be called on the cooperative pool.
    func finish(within patience: Duration) {
        let isDone = BlockingResult<Void>()
        let phase = state.withLock { state in
            if state.phase != .idle { state.whenDone.append { isDone.give(()) } }
            return state.phase
        }
        if phase == .idle { return }
        if phase == .gathering { queue.async { self.begin() } }
        _ = isDone.take(within: patience)
    }

    private func gather() {
        queue.asyncAfter(deadline: .now() + Self.gathering) {
            let isBusy = self.state.withLock { $0.waiting.count >= Self.busy && $0.whenDone.isEmpty }
            guard isBusy else { return self.begin() }
            self.queue.asyncAfter(deadline: .now() + Self.gatheringWhenBusy) { self.begin() }
        }
    }

    /// Writes all waiting work, unless that has begun already.
    private func begin() {
        let gathered = state.withLock { state -> [SignIn]? in
            guard state.phase == .gathering else { return nil }
            state.phase = .writing
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let gathered else { return }
        let prepared = gathered.map(prepare)
        let addresses = prepared.map { $0.record?.address ?? "" }
        // Sorting indices moves less memory than sorting records.
        let signIns = prepared.indices.sorted { addresses[$0] < addresses[$1] }.map { prepared[$0] }
        let redemptions = gathered.compactMap(\.redemption).sorted { $0.request < $1.request }
        write(Round(signIns: signIns[...], redemptions: redemptions[...]))
    }

    /// Writes a round in batches, then continues with the work that arrived meanwhile.
    private func write(_ round: Round) {
        let batch = round.signIns.prefix(Self.largestBatch)
        var rest = Round(signIns: round.signIns.dropFirst(batch.count), redemptions: round.redemptions)
        // The last sign-ins share their transaction with the first redemptions: a lone sign-in needs one.
        let redemptions = rest.signIns.isEmpty ? rest.redemptions.prefix(Self.mostRedemptions) : []
        rest.redemptions = rest.redemptions.dropFirst(redemptions.count)
        guard !batch.isEmpty || !redemptions.isEmpty else { return end() }
        let records = batch.compactMap(\.record)
        let uids = Set(batch.filter(\.addsSession).map(\.uid)).sorted()
        // No read of the transaction may be older than the locks it takes on its users.
        database.lease("SignIns") { [flows] transaction in
            let others = records.map(\.uid) + redemptions.compactMap(\.uid)
            try flows.limitSessions(of: uids, recording: others, in: transaction)
            try flows.remember(records, in: transaction)
            try flows.trace(redemptions: Array(redemptions), in: transaction)
        } completion: { [rest] result in
            if case .failure(let error) = result { self.log(error) }
            self.queue.async { self.write(rest) }
        }
    }

    private func end() {
        let (isDone, whenDone) = state.withLock { state -> (Bool, [@Sendable () -> Void]) in
            guard state.waiting.isEmpty else {
                state.phase = .gathering
                return (false, [])
            }
            state.phase = .idle
            defer { state.whenDone = [] }
            return (true, state.whenDone)
        }
        for done in whenDone { done() }
        if !isDone { gather() }
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
