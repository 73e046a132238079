internal import AccountDatabase
internal import Database
internal import Dispatch
internal import HTTPServer
internal import Synchronization

/// Keeps calls waiting until their tickets are approved, redeemed or ended (`accounts:signInWithTicket` with `wait`).
///
/// As with ``Changes``, the database is authoritative. A held call's ticket is read when its wait begins, when
/// ``changed(_:)`` is called here or on another node, and once per round, which also notices the command line, the
/// clock, and lost notifications. Many tickets are read in one query. A call whose ticket no longer plainly waits is
/// released, and then its own transaction decides what the answer is.
///
/// One serial queue does all the work. A held call has no task, thread or timer of its own. One read at a time is
/// pending at the database, and the queue does not wait for it, so that waits end in time even if the database stalls.
///
/// A ticket has one held call on each node: a newer one replaces it, because a client that calls again has usually lost
/// the connection of its earlier call.
package final class TicketWaits: Sendable {
    /// What other threads have reported since the queue last looked.
    private struct Reports {
        var held: [HeldCall] = []
        /// The ids of tickets that may have changed.
        var changed: Set<String> = []
        /// Whether notifications may have been lost, so that all tickets must be read.
        var isAnythingPossible = false
    }

    private struct State {
        var calls: HeldCalls
        var due = DueNumbers()
        /// Whether a read is pending at the database.
        var isReading = false
        /// Whether the next tick is scheduled; there is none without calls.
        var isTicking = false
        var isStopping = false
    }

    /// The precision of the deadlines.
    private static let tick = Duration.milliseconds(100)
    /// The maximum number of tickets in one query.
    private static let batch = 128

    private let database: any Database
    private let quota: StreamQuota
    private let start = ContinuousClock.now
    private let inbox: QueueInbox<Reports>
    /// The number of calls that wait, or that the queue has yet to see.
    private let held = Atomic(0)
    /// The state of all calls.
    ///
    /// Only the queue takes this lock, and keeps it while it works.
    private let state: Mutex<State>
    private let queue: DispatchQueue

    /// - Parameters:
    ///   - database: the database to read.
    ///   - quota: the quotas, which held calls share with streams.
    ///   - round: the time in which each ticket is read once.
    init(database: any Database, quota: StreamQuota, round: Duration) {
        queue = DispatchQueue(label: "latchkey.ticket-waits")
        inbox = QueueInbox(Reports(), for: queue)
        self.database = database
        self.quota = quota
        state = Mutex(State(calls: HeldCalls(turns: Int(round / Self.tick))))
    }

    // MARK: From any thread

    /// Reports that a ticket was approved, redeemed or ended, to the calls of this node and to other nodes.
    ///
    /// The change must be committed.
    func changed(_ ticket: String) {
        notify(ticket)
        database.announce(.ticket(ticket))
    }

    /// Reads a ticket soon if a call of this node waits for it, because the ticket has changed here or on another node.
    func notify(_ ticket: String) {
        // Most redemptions are of links, which no call waits for. A call that is held from now on reads its ticket then.
        guard held.load(ordering: .sequentiallyConsistent) > 0 else { return }
        post { $0.changed.insert(ticket) }
    }

    /// Reads the tickets of all held calls soon, because notifications of other nodes may have been lost.
    func notifyAll() {
        post { $0.isAnythingPossible = true }
    }

    /// Holds a call until its ticket changes, its time is over, or there is another reason to end the wait.
    func hold(_ call: HeldCall) {
        held.add(1, ordering: .sequentiallyConsistent)
        post { $0.held.append(call) }
    }

    /// Ends all waits, and every later one at once, because the server stops.
    ///
    /// Blocks until the queue has done so. Must not be called on the queue.
    package func stop() {
        queue.sync {
            state.withLock { state in
                state.isStopping = true
                for number in state.calls.all { end(number, .serverStopping, &state) }
            }
        }
    }

    private func post(_ change: (inout Reports) -> Void) {
        inbox.post(change) { self.readInbox() }
    }

    // MARK: On the queue

    private func readInbox() {
        let reports = inbox.take()
        state.withLock { state in
            for call in reports.held { begin(call, &state) }
            state.due.add(reports.changed.compactMap { state.calls.of($0) })
            if reports.isAnythingPossible { state.due.add(state.calls.all) }
            read(&state)
        }
    }

    /// Begins a wait, unless the server stops or the quotas are used up.
    private func begin(_ call: HeldCall, _ state: inout State) {
        guard !state.isStopping else { return end(call, .serverStopping) }
        if let older = state.calls.of(call.wait.ticket) { end(older, .replaced, &state) }
        var call = call
        do { call.place = try quota.takeCall(of: call.wait.askingUID, from: call.client) } catch {
            return end(call, .noRoom(error))
        }
        if !state.isTicking { _ = state.calls.advance(to: tick(at: .now, .down)) }
        let number = state.calls.add(call, until: tick(at: call.wait.deadline, .up))
        // The ticket may have changed since the call's transaction read it.
        state.due.add([number])
        scheduleTick(&state)
    }

    private func tick(at instant: ContinuousClock.Instant, _ rule: FloatingPointRoundingRule) -> Int {
        Int(((instant - start) / Self.tick).rounded(rule))
    }

    /// Ends the waits that are long enough, ends the waits of clients that are gone, and begins a read of the due
    /// tickets.
    private func takeTick() {
        state.withLock { state in
            state.isTicking = false
            let (over, due) = state.calls.advance(to: tick(at: .now, .down))
            for number in over { end(number, .over, &state) }
            for number in due where state.calls[number]?.resumption.isAbandoned == true {
                end(number, .abandoned, &state)
            }
            state.due.add(due)
            read(&state)
            scheduleTick(&state)
        }
    }

    /// Schedules the next tick if there are calls.
    private func scheduleTick(_ state: inout State) {
        guard !state.isTicking, !state.calls.isEmpty else { return }
        state.isTicking = true
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { self.takeTick() }
    }

    /// Begins a read for at most ``batch`` due tickets, unless a read is pending or no ticket is due.
    private func read(_ state: inout State) {
        guard !state.isReading else { return }
        let questions = state.due.take(atMost: Self.batch) { number in
            state.calls[number].map { (number: number, ticket: $0.wait.ticket) }
        }
        guard !questions.isEmpty else { return }
        state.isReading = true
        database.read(kind: "TicketWaits", snapshot: false) { transaction in
            try transaction.waitingTickets(questions.map(\.ticket))
        } completion: { result in
            self.queue.async { self.take(result, questions) }
        }
    }

    /// Takes the result of a read: releases the calls whose tickets no longer plainly wait.
    private func take(_ result: Result<Set<String>, any Error>, _ questions: [(number: Int, ticket: String)]) {
        state.withLock { state in
            state.isReading = false
            switch result {
            case .success(let waiting):
                for (number, ticket) in questions where !waiting.contains(ticket) { release(number, &state) }
            case .failure:
                // The tickets are read again in their next turn. The calls' own transactions report that the database
                // is away.
                state.due = DueNumbers()
            }
            read(&state)
        }
    }

    /// Lets a call's transaction run again, unless the client is gone: an answer that cannot arrive must redeem
    /// nothing.
    private func release(_ number: Int, _ state: inout State) {
        let isAbandoned = state.calls[number]?.resumption.isAbandoned == true
        end(number, isAbandoned ? .abandoned : .changed, &state)
    }

    private func end(_ number: Int, _ reason: WaitEnd, _ state: inout State) {
        guard let call = state.calls.remove(number) else { return }
        end(call, reason)
    }

    private func end(_ call: HeldCall, _ reason: WaitEnd) {
        held.subtract(1, ordering: .sequentiallyConsistent)
        call.end(reason)
    }
}
