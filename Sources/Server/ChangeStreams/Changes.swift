internal import Accounts
internal import Database
internal import Dispatch
internal import HTTPServer
internal import Network
internal import Synchronization

/// Notifies listening clients of changes, and ends their streams.
///
/// The database is authoritative. Once per round every stream's session, user and newest change number are read, many
/// in one query, so that changes by other processes are noticed as well. ``changed(_:)`` and ``ended(_:)`` only make
/// the next read happen at once, here and on other nodes. If a call is lost, clients get the change one round later. A read
/// sends what was committed after the number that the stream has reached, so no change is repeated or silently skipped,
/// whatever the order of calls.
///
/// Hints about the account (``hint(_:to:)``) are sent with the read that they cause, so that a stream whose own session
/// has ended gets the end and no hint.
///
/// One serial queue does all the work. A stream has no task, thread or timer of its own. One read at a time is pending
/// at the database, and the queue does not wait for it. Streams that become due meanwhile are in the next read. A
/// client that does not accept what it is sent is skipped until it does, and then continues from its number.
package final class Changes: Sendable {
    /// The intervals of the work.
    package struct Pace: Sendable {
        /// The time in which each stream's session and user are read once.
        package var round = Duration.seconds(1)
        /// The longest time without an event on a stream, after which a heartbeat is sent.
        package var heartbeat = Duration.seconds(15)

        /// Creates the pace of a server: a round every second, and a heartbeat after 15 seconds of silence.
        package init() {}
    }

    /// What other threads have reported since the queue last looked.
    private struct Reports {
        var opened: [(id: Int, listener: Listener)] = []
        var closed: [Int] = []
        var writable: [Int] = []
        /// The UIDs of users of whom something has changed or ended.
        var changed: Set<String> = []
        /// Hints to the streams of users, by UID.
        var hints: [String: Set<AccountHint>] = [:]
        /// Whether notifications may have been lost, so that all streams must be read.
        var isAnythingPossible = false
    }

    private struct State {
        var listeners = Listeners()
        var due = DueNumbers()
        /// Whether a read is pending at the database.
        var isLooking = false
        /// Whether the last read failed.
        var isBlind = false
        /// The number of turns so far; in each, a tenth of the streams is read.
        var turn = 0
        /// The time of the next turn; `nil` if none is scheduled, because there are no streams.
        var nextTurn: DispatchTime?
        var isStopping = false
    }

    private let database: any Database
    private let reader: ChangeReader
    private let quota: StreamQuota
    /// The numbers of open change streams and of held calls on this node.
    var counts: (streams: Int, calls: Int) { quota.counts }
    private let turnLength: DispatchTimeInterval
    private let silenceLimit: Int
    private let onFailure: @Sendable (any Error) -> Void
    private let inbox: QueueInbox<Reports>
    /// The number of the newest stream.
    private let lastID = Atomic(0)
    /// The state of all streams.
    ///
    /// Only the queue takes this lock, and keeps it while it works.
    private let state = Mutex(State())
    private let queue: DispatchQueue

    /// Makes a server of change streams, which reads nothing while no stream is open.
    ///
    /// - Parameters:
    ///   - database: the database to read.
    ///   - flows: the rules by which a stream ends.
    ///   - quota: the stream quotas.
    ///   - pace: the intervals of the work.
    ///   - onFailure: called with the error when the database becomes unreadable, once until it is readable again. Each
    ///     round tries again.
    init(
        database: any Database,
        flows: AccountFlows,
        quota: StreamQuota,
        pace: Pace,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        queue = DispatchQueue(label: "latchkey.changes")
        inbox = QueueInbox(Reports(), for: queue)
        self.database = database
        reader = ChangeReader(flows: flows)
        self.onFailure = onFailure
        self.quota = quota
        turnLength = .microseconds(max(1000, Int(pace.round / .microseconds(Listeners.turns))))
        silenceLimit = max(1, Int(pace.heartbeat / pace.round))
    }

    // MARK: From any thread

    /// Reports that a user's documents have changed, to the streams of this node and to other nodes.
    ///
    /// The change must be committed.
    package func changed(_ uid: String) {
        notify(uid)
        database.announce(.user(uid))
    }

    /// Reports that a session of the user has ended, or that the user was changed or deleted.
    ///
    /// The change must be committed.
    package func ended(_ uid: String) {
        changed(uid)
    }

    /// Sends a hint to the streams of a user on all nodes.
    ///
    /// What the hint is about must be committed.
    func hint(_ hint: AccountHint, to uid: String) {
        notify(hint, uid)
        database.announce(.account(hint.rawValue, uid: uid))
    }

    /// Sends a hint to the streams of a user on this node, because of a change here or on another node.
    func notify(_ hint: AccountHint, _ uid: String) {
        guard quota.isUsed(by: uid) else { return }
        post { $0.hints[uid, default: []].insert(hint) }
    }

    /// Reads the streams of a user on this node soon, because something of the user has changed or ended here or on
    /// another node.
    func notify(_ uid: String) {
        guard quota.isUsed(by: uid) else { return }
        post { $0.changed.insert(uid) }
    }

    /// Reads all streams of this node soon, because notifications of other nodes may have been lost.
    func notifyAll() {
        post { $0.isAnythingPossible = true }
    }

    /// Reserves one more stream of a user, until the result is deallocated.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_STREAMS.
    func place(for user: User, from client: IPAddress) throws -> Place {
        try quota.take(for: user, from: client)
    }

    /// Serves a stream from now on, until it ends or its client closes the connection.
    func open(_ listener: Listener) {
        let id = lastID.add(1, ordering: .relaxed).newValue
        post { $0.opened.append((id, listener)) }
        listener.writer.whenClosed { self.post { $0.closed.append(id) } }
    }

    /// Ends all streams, and every later one at once, because the server stops.
    ///
    /// Blocks until the queue has done so. Must not be called on the queue.
    package func stop() {
        queue.sync {
            state.withLock { state in
                state.isStopping = true
                for id in state.listeners.all { end(id, .serverStopping, &state) }
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
            for (id, listener) in reports.opened {
                state.listeners.add(listener, as: id)
                state.due.add([id])
                if state.isStopping { end(id, .serverStopping, &state) }
            }
            for id in reports.closed { state.listeners.remove(id) }
            for id in reports.writable { state.listeners[id]?.isStalled = false }
            state.due.add(reports.writable)
            for uid in reports.changed { state.due.add(state.listeners.of(uid)) }
            for (uid, hints) in reports.hints {
                for id in state.listeners.of(uid) { state.listeners[id]?.hints.formUnion(hints) }
                state.due.add(state.listeners.of(uid))
            }
            if reports.isAnythingPossible { state.due.add(state.listeners.all) }
            look(&state)
            scheduleTurn(&state)
        }
    }

    /// Marks the streams of the next turn as due, begins a read unless one is pending, sends heartbeats to silent
    /// streams of the turn, and schedules the turn after that.
    private func takeTurn() {
        state.withLock { state in
            state.turn += 1
            let ids = state.listeners.at(state.turn)
            state.due.add(ids)
            look(&state)
            for id in ids { beat(id, &state) }
            guard let due = state.nextTurn else { return }
            state.nextTurn = nil
            scheduleTurn(&state, after: due)
        }
    }

    /// Schedules the next turn if there are streams.
    private func scheduleTurn(_ state: inout State, after previous: DispatchTime = .now()) {
        guard state.nextTurn == nil, !state.listeners.isEmpty else { return }
        let next = max(previous + turnLength, .now())
        state.nextTurn = next
        queue.asyncAfter(deadline: next) { self.takeTurn() }
    }

    private func beat(_ id: Int, _ state: inout State) {
        guard var listener = state.listeners[id], !listener.isStalled else { return }
        listener.silence += 1
        if listener.silence >= silenceLimit { _ = say(.heartbeat, to: &listener, id) }
        state.listeners[id] = listener
    }

    /// Begins a read for at most 128 due streams, unless a read is pending or no stream is due.
    private func look(_ state: inout State) {
        guard !state.isLooking else { return }
        // Reads are short, so that none holds back the truncation of the log, and memory stays bounded.
        let questions = state.due.take(atMost: 128) { id -> ChangeReader.Question? in
            guard let listener = state.listeners[id], !listener.isStalled else { return nil }
            return ChangeReader.Question(stream: id, token: listener.token, last: listener.last)
        }
        guard !questions.isEmpty else { return }
        state.isLooking = true
        database.read(kind: "ReadChanges") { [reader] in
            try reader.findings(questions, in: $0)
        } completion: { result in
            self.queue.async { self.take(result) }
        }
    }

    /// Takes the result of a read: ends the streams that must end, and sends the others their changes.
    private func take(_ result: Result<[(stream: Int, finding: ChangeReader.Finding)], any Error>) {
        state.withLock { state in
            state.isLooking = false
            switch result {
            case .success(let found):
                state.isBlind = false
                for (id, finding) in found { take(finding, id, &state) }
            case .failure(let error):
                if !state.isBlind { onFailure(error) }
                state.isBlind = true
                // The streams are read again in their next turn. The database may be available before that.
                state.due = DueNumbers()
            }
            look(&state)
        }
    }

    private func take(_ finding: ChangeReader.Finding, _ id: Int, _ state: inout State) {
        guard var listener = state.listeners[id] else { return }
        switch finding {
        case .over(let end): return self.end(id, end, &state)
        case .abreast: break
        case .unread: return state.due.add([id])
        case .begins(let number):
            if say(.ready(number), to: &listener, id) { listener.last = number }
        case .lost(let number):
            if say(.reset(number), to: &listener, id) { listener.last = number }
        case .changed(let changes, let newest):
            let told = changes.prefix { !listener.wants($0) || say(.change($0), to: &listener, id) }
            listener.last = told.last?.number ?? listener.last
            // If the client accepted less, it is slow or gone. Its writer reports when there is room again.
            if told.count == changes.count, listener.last != newest { state.due.add([id]) }
        }
        sayHints(to: &listener, id)
        state.listeners[id] = listener
    }

    /// Sends the hints that wait, as far as the client accepts them.
    private func sayHints(to listener: inout Listener, _ id: Int) {
        for hint in AccountHint.allCases where listener.hints.contains(hint) {
            guard !listener.isStalled, say(.account(hint), to: &listener, id) else { return }
            listener.hints.remove(hint)
        }
    }

    private func end(_ id: Int, _ end: StreamEnd, _ state: inout State) {
        guard var listener = state.listeners[id] else { return }
        if say(.end(end), to: &listener, id) || state.isStopping {
            listener.writer.finish()
            state.listeners.remove(id)
        } else {
            state.listeners[id] = listener
        }
    }

    /// Writes an event to a stream.
    ///
    /// - Returns: whether it was accepted. If not, the client is slow or gone.
    private func say(_ event: StreamEvent, to listener: inout Listener, _ id: Int) -> Bool {
        switch listener.writer.write(event.bytes) {
        case .accepted:
            listener.silence = 0
            return true
        case .full:
            listener.isStalled = true
            listener.writer.whenWritable { self.post { $0.writable.append(id) } }
            return false
        case .closed:
            return false
        }
    }
}
