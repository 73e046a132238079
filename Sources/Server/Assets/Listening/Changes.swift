internal import Accounts
internal import Database
internal import Dispatch
internal import HTTPServer
internal import Synchronization

/// Tells listening clients what changes, and when it is over.
///
/// The database is the truth: every stream's session, user and newest change are looked up once a round, many in one query,
/// so that what other processes do is noticed as well. ``changed(_:)`` and ``ended(_:)`` only make the next look come at once;
/// a call that is lost costs a round's time and nothing else. A look sends what was committed after the number that the
/// stream knows, so numbers neither miss nor repeat whatever the order of calls.
///
/// One serial queue does everything; a stream has no task, thread or timer of its own. A client that does not take what it is
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
        var lastID = 0
        var isBeingRead = false
    }

    private struct State {
        var listeners = Listeners()
        var turn = 0
        var nextTurn: DispatchTime?
        var isStopping = false
    }

    private let database: any Database
    private let flows: AccountFlows
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
    ///   - limit: how many streams there may be.
    ///   - pace: how often things are done.
    ///   - onFailure: told when the database could not be read; it is tried again in the next round.
    init(
        database: any Database,
        flows: AccountFlows,
        limit: Int,
        pace: Pace,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        self.database = database
        self.flows = flows
        self.onFailure = onFailure
        places = Places(limit: limit)
        turnLength = .microseconds(max(1000, Int(pace.round / .microseconds(Listeners.turns))))
        silenceLimit = max(1, Int(pace.heartbeat / pace.round))
    }

    // MARK: From any thread

    /// A user's documents have changed, which is committed.
    package func changed(_ uid: String) {
        guard places.areTaken(by: uid) else { return }
        post { $0.changed.insert(uid) }
    }

    /// A session of the user has ended, or the user has, which is committed.
    package func ended(_ uid: String) {
        changed(uid)
    }

    /// A place for one more stream.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_STREAMS.
    func place(for uid: String) throws -> Place {
        try places.take(for: uid)
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
            var due: Set<Int> = []
            for (id, listener) in notes.opened {
                state.listeners.add(listener, as: id)
                due.insert(id)
            }
            for id in notes.closed { state.listeners.remove(id) }
            for id in notes.writable {
                state.listeners[id]?.isStalled = false
                due.insert(id)
            }
            for uid in notes.changed { due.formUnion(state.listeners.of(uid)) }
            look(at: Array(due), &state)
            scheduleTurn(&state)
        }
    }

    /// Looks at the streams whose turn it is.
    private func takeTurn() {
        state.withLock { state in
            state.turn += 1
            let ids = state.listeners.at(state.turn)
            look(at: ids, &state)
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

    /// Ends the streams that may not go on, and tells the others what is new.
    private func look(at ids: [Int], _ state: inout State) {
        // Short reads, so that none holds the log back, and memory stays bounded.
        for start in stride(from: 0, to: ids.count, by: 128) {
            do {
                for (id, finding) in try look(ids[start..<min(start + 128, ids.count)], state.listeners) {
                    switch finding {
                    case .over(let end): self.end(id, end, &state)
                    case .goesOn(let number): try feed(id, number, &state)
                    }
                }
            } catch {
                onFailure(error)
            }
        }
    }

    private enum Finding {
        case over(StreamEnd)
        /// The number of the user's newest change.
        case goesOn(Int64)
    }

    private func look(_ ids: ArraySlice<Int>, _ listeners: Listeners) throws -> [(Int, Finding)] {
        let due = ids.compactMap { id in listeners[id].map { (id: id, listener: $0) } }.filter {
            !$0.listener.isStalled
        }
        guard !due.isEmpty else { return [] }
        return try database.readNow { transaction in
            let found = try transaction.listeningSessions(due.map(\.listener.token.sid))
            let sessions = Dictionary(found.map { ($0.sid, $0) }) { first, _ in first }
            return try due.map { id, listener in
                let session = sessions[listener.token.sid]
                let end = try flows.streamEnd(
                    of: listener.token,
                    expiry: listener.token.expiry,
                    session: session,
                    in: transaction
                )
                return (id, end.map { .over($0) } ?? .goesOn(session?.user?.changeNumber ?? 0))
            }
        }
    }

    /// Tells a stream where it begins, or what changed since it was told last.
    private func feed(_ id: Int, _ number: Int64, _ state: inout State) throws {
        guard var listener = state.listeners[id] else { return }
        defer { state.listeners[id] = listener }
        guard let last = listener.last else {
            if say(.ready(number), to: &listener, id) { listener.last = number }
            return
        }
        if last != number { try catchUp(&listener, id) }
    }

    /// How many changes a listener may have missed and still be told of each.
    private static let longestBacklog: Int64 = 1000
    /// How much is read at a time: about what a stream takes before its client has to.
    private static let batch: (changes: Int64, bytes: Int) = (32, 64 << 10)

    private func catchUp(_ listener: inout Listener, _ id: Int) throws {
        while let last = listener.last {
            let uid = listener.token.uid
            let (number, changes) = try database.readNow { transaction in
                (
                    try transaction.changeNumber(of: uid),
                    try transaction.changes(
                        of: uid,
                        after: last,
                        limit: Self.batch.changes,
                        enoughBytes: Self.batch.bytes
                    )
                )
            }
            // Without a user there is no number; the next look will say why.
            guard let number, number != last else { return }
            // A number from the future was never ours: the database is not the one it came from.
            guard (0...Self.longestBacklog).contains(number - last), changes.first?.number == last + 1 else {
                if say(.reset(number), to: &listener, id) { listener.last = number }
                return
            }
            // What comes after a gap is for the next batch, which begins with it.
            for change in changes where change.number == (listener.last ?? 0) + 1 {
                guard !listener.wants(change) || say(.change(change), to: &listener, id) else { return }
                listener.last = change.number
            }
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
