internal import Accounts
internal import HTTPServer

/// One stream of changes, and how far it has come.
struct Listener: Sendable {
    let token: PresentedToken
    /// The only collection whose changes it wants.
    let collection: String?
    let writer: StreamWriter
    /// Held for as long as the stream is served.
    let place: Place
    /// The number of the newest change that it knows of; `nil` until it was told where it begins.
    var last: Int64?
    /// Whether its client is slow: nothing is said until there is room again.
    var isStalled = false
    /// Rounds since anything was said.
    var silence = 0

    /// Whether it wants to hear of a change.
    func wants(_ change: AnnouncedChange) -> Bool {
        collection == nil || collection == change.collection
    }
}

/// All streams, found by number, by user and by the turn at which they are looked at.
struct Listeners: Sendable {
    /// How many turns a round has; each stream comes up in one of them, so that the work is spread evenly.
    static let turns = 10

    private var listeners: [Int: Listener] = [:]
    private var ofUser: [String: [Int]] = [:]
    private var ofTurn = [Set<Int>](repeating: [], count: turns)

    var isEmpty: Bool { listeners.isEmpty }
    var all: [Int] { Array(listeners.keys) }

    /// The streams of a user.
    func of(_ uid: String) -> [Int] { ofUser[uid] ?? [] }

    /// The streams whose turn it is.
    func at(_ turn: Int) -> [Int] { Array(ofTurn[turn % Self.turns]) }

    /// Changing a stream that is gone does nothing.
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
