internal import Accounts
internal import Database
internal import Dispatch
internal import HTTPServer
internal import Network
internal import Synchronization

/// Tells listening clients what changes, and when it is over.
///
/// The database is the truth: every stream's session, user and newest change are looked up once a round, many in one query,
/// so that what other processes do is noticed as well. ``changed(_:)`` and ``ended(_:)`` only make the next look come at once,
/// here and on other nodes; a call that is lost costs a round's time and nothing else. A look sends what was committed after
/// the number that the stream knows, so numbers neither miss nor repeat whatever the order of calls.
///
/// One serial queue does everything; a stream has no task, thread or timer of its own. One look at a time is out at the
/// database, for which the queue does not wait; what comes up meanwhile is in the next. A client that does not take what it is
/// sent is left alone until it does, and then goes on from its number.
package final class Changes: Sendable {
    /// How often things are done.
    package struct Pace: Sendable {
        /// In this time each stream is looked at once.
        package var round = Duration.seconds(1)
        /// A stream is never silent for longer.
        package var heartbeat = Duration.seconds(15)

        /// The pace of a server.
        package init() {}
    }

    /// What other threads have to say.
    private struct Inbox {
        var opened: [(id: Int, listener: Listener)] = []
        var closed: [Int] = []
        var writable: [Int] = []
        var changed: Set<String> = []
        var isAnythingPossible = false
        var lastID = 0
        var isBeingRead = false
    }

    private struct State {
        var listeners = Listeners()
        var due = DueStreams()
        var isLooking = false
        /// Whether the last look failed.
        var isBlind = false
        var turn = 0
        var nextTurn: DispatchTime?
        var isStopping = false
    }

    private let database: any Database
    private let looks: Looks
    private let places: Places
    private let turnLength: DispatchTimeInterval
    private let silenceLimit: Int
    private let onFailure: @Sendable (any Error) -> Void
    private let inbox = Mutex(Inbox())
    /// Only the queue takes this lock, and keeps it for as long as it works.
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "latchkey.changes")

    /// - Parameters:
    ///   - database: where everything stands.
    ///   - flows: the rules by which a stream ends.
    ///   - limits: how many streams there may be.
    ///   - pace: how often things are done.
    ///   - onFailure: told when the database cannot be read, once until it can be again; each round tries.
    init(
        database: any Database,
        flows: AccountFlows,
        limits: Places.Limits,
        pace: Pace,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        self.database = database
        looks = Looks(flows: flows)
        self.onFailure = onFailure
        places = Places(limits)
        turnLength = .microseconds(max(1000, Int(pace.round / .microseconds(Listeners.turns))))
        silenceLimit = max(1, Int(pace.heartbeat / pace.round))
    }

    // MARK: From any thread

    /// A user's documents have changed, which is committed.
    package func changed(_ uid: String) {
        hear(uid)
        database.announce(.user(uid))
    }

    /// A session of the user has ended, or the user has, which is committed.
    package func ended(_ uid: String) {
        changed(uid)
    }

    /// Another node says that something has changed or ended.
    func hear(_ uid: String) {
        guard places.areTaken(by: uid) else { return }
        post { $0.changed.insert(uid) }
    }

    /// Other nodes could not be heard for a while.
    func hearAnything() {
        post { $0.isAnythingPossible = true }
    }

    /// A place for one more stream.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_STREAMS.
    func place(for user: User, from client: IPAddress) throws -> Place {
        try places.take(for: user, from: client)
    }

    /// Serves a stream from now on.
    func open(_ listener: Listener) {
        var id = 0
        post { inbox in
            inbox.lastID += 1
            id = inbox.lastID
            inbox.opened.append((id, listener))
        }
        listener.writer.whenClosed { [id] in self.post { $0.closed.append(id) } }
    }

    /// Ends all streams, and every later one at once, since the server stops.
    ///
    /// Waits for what is being done.
    package func stop() {
        queue.sync {
            state.withLock { state in
                state.isStopping = true
                for id in state.listeners.all { end(id, .serverStopping, &state) }
            }
        }
    }

    private func post(_ note: (inout Inbox) -> Void) {
        let isFirst = inbox.withLock { inbox in
            note(&inbox)
            defer { inbox.isBeingRead = true }
            return !inbox.isBeingRead
        }
        if isFirst { queue.async { self.readInbox() } }
    }

    // MARK: On the queue

    private func readInbox() {
        let notes = inbox.withLock { inbox in
            defer { inbox = Inbox(lastID: inbox.lastID) }
            return inbox
        }
        state.withLock { state in
            for (id, listener) in notes.opened {
                state.listeners.add(listener, as: id)
                state.due.add([id])
                if state.isStopping { end(id, .serverStopping, &state) }
            }
            for id in notes.closed { state.listeners.remove(id) }
            for id in notes.writable { state.listeners[id]?.isStalled = false }
            state.due.add(notes.writable)
            for uid in notes.changed { state.due.add(state.listeners.of(uid)) }
            if notes.isAnythingPossible { state.due.add(state.listeners.all) }
            look(&state)
            scheduleTurn(&state)
        }
    }

    /// Looks at the streams whose turn it is.
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

    /// Sees to it that there is a next turn for as long as there are streams.
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

    /// Asks the database about the streams that wait for it, unless it has been asked and has not answered yet.
    private func look(_ state: inout State) {
        guard !state.isLooking else { return }
        // Short reads, so that none holds the log back, and memory stays bounded.
        let questions = state.due.take(atMost: 128) { id -> Looks.Question? in
            guard let listener = state.listeners[id], !listener.isStalled else { return nil }
            return Looks.Question(stream: id, token: listener.token, last: listener.last)
        }
        guard !questions.isEmpty else { return }
        state.isLooking = true
        database.read { [looks] in
            try looks.findings(questions, in: $0)
        } completion: { result in
            self.queue.async { self.take(result) }
        }
    }

    /// Ends the streams that may not go on, and tells the others what is new.
    private func take(_ result: Result<[(stream: Int, finding: Looks.Finding)], any Error>) {
        state.withLock { state in
            state.isLooking = false
            switch result {
            case .success(let found):
                state.isBlind = false
                for (id, finding) in found { take(finding, id, &state) }
            case .failure(let error):
                if !state.isBlind { onFailure(error) }
                state.isBlind = true
                // Their turn comes again, and the database's time perhaps before.
                state.due = DueStreams()
            }
            look(&state)
        }
    }

    private func take(_ finding: Looks.Finding, _ id: Int, _ state: inout State) {
        guard var listener = state.listeners[id] else { return }
        switch finding {
        case .over(let end): return self.end(id, end, &state)
        case .abreast: return
        case .unread: return state.due.add([id])
        case .begins(let number):
            if say(.ready(number), to: &listener, id) { listener.last = number }
        case .lost(let number):
            if say(.reset(number), to: &listener, id) { listener.last = number }
        case .changed(let changes, let newest):
            let told = changes.prefix { !listener.wants($0) || say(.change($0), to: &listener, id) }
            listener.last = told.last?.number ?? listener.last
            // Where it took less, it is slow, and says when there is room, or gone.
            if told.count == changes.count, listener.last != newest { state.due.add([id]) }
        }
        state.listeners[id] = listener
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

    /// Writes an event.
    ///
    /// - Returns: whether it was taken. Where it was not, the client is slow, or gone.
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
