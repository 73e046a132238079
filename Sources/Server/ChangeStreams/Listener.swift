internal import Accounts
internal import HTTPServer

/// One stream of changes, and its position.
struct Listener: Sendable {
    let token: PresentedToken
    /// The only collection whose changes the stream sends; `nil` for all.
    let collection: String?
    let writer: StreamWriter
    /// The stream's share of the quotas, owned for as long as the stream is served.
    let place: Place
    /// The number of the change after which the stream continues: the newest that it has sent or skipped, at first the
    /// client's `Last-Event-ID`; `nil` for a stream that has no position yet.
    var last: Int64?
    /// Whether the stream's buffer is full, because its client is slow.
    ///
    /// Nothing is sent until there is room again.
    var isStalled = false
    /// Hints to send once a read has found that the stream continues; each at most once, however long that takes.
    var hints: Set<AccountHint> = []
    /// The number of rounds since anything was sent.
    var silence = 0

    /// Whether the stream sends this change, by its collection.
    func wants(_ change: AnnouncedChange) -> Bool {
        collection == nil || collection == change.collection
    }
}

/// All streams of this node, by number, by user and by the turn in which they are read.
struct Listeners: Sendable {
    /// The number of turns in a round (``Changes/Pace/round``).
    ///
    /// Each stream is read in one of the turns, which spreads the work evenly.
    static let turns = 10

    private var listeners: [Int: Listener] = [:]
    private var ofUser: [String: [Int]] = [:]
    private var ofTurn = [Set<Int>](repeating: [], count: turns)

    var isEmpty: Bool { listeners.isEmpty }
    var all: [Int] { Array(listeners.keys) }

    /// The numbers of a user's streams.
    func of(_ uid: String) -> [Int] { ofUser[uid] ?? [] }

    /// The numbers of the streams that are read in a turn.
    ///
    /// - Parameter turn: the number of turns so far.
    func at(_ turn: Int) -> [Int] { Array(ofTurn[turn % Self.turns]) }

    /// The stream with this number; `nil` if it was removed.
    ///
    /// Changing a stream that was removed does nothing.
    subscript(_ id: Int) -> Listener? {
        get { listeners[id] }
        set { if listeners[id] != nil { listeners[id] = newValue } }
    }

    mutating func add(_ listener: Listener, as id: Int) {
        listeners[id] = listener
        ofUser[listener.token.uid, default: []].append(id)
        ofTurn[id % Self.turns].insert(id)
    }

    mutating func remove(_ id: Int) {
        guard let uid = listeners.removeValue(forKey: id)?.token.uid else { return }
        ofTurn[id % Self.turns].remove(id)
        let rest = of(uid).filter { $0 != id }
        ofUser[uid] = rest.isEmpty ? nil : rest
    }
}
