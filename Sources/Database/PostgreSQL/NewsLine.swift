/// One connection over which nodes tell one another what has happened.
///
/// It counts for nothing until something that it said itself has come back over it, and is put to that test again and again: one
/// that is dead is as silent as one over which there is nothing to tell.
struct NewsLine {
    /// By which the connection is known to whoever looks who is there.
    static let applicationName = "latchkey news"

    private let connection: PostgreSQLConnection
    /// Between two tests, in milliseconds.
    private let interval: Int
    /// How long a test may take, in milliseconds.
    private let patience: Int
    /// The test that is on, or the last one.
    private var test = 0
    private var hasPassed = false
    /// When the next test begins, or the one that is on must have been passed.
    private var due = Deadline(in: 0)
    private var isBeingTested = false

    /// Connects.
    init(_ configuration: PostgreSQLConfiguration, _ clock: DatabaseClock) throws(DatabaseError) {
        connection = try PostgreSQLConnection(configuration)
        interval = configuration.listenCheck
        patience = configuration.connectTimeout
        try connection.setUp(clock)
        connection.begin(.single)
        try connection.queue("SELECT set_config('application_name', \(Self.applicationName), false)")
        try connection.queue("LISTEN latchkey")
        try connection.commit()
    }

    /// Tells the other nodes.
    func tell(_ news: some Collection<News>) throws(DatabaseError) {
        try notify(news.lazy.map(\.text))
    }

    /// What came in from other nodes; ``News/anything`` once this connection is known to carry it.
    mutating func hear() throws(DatabaseError) -> [News] {
        var news: [News] = []
        for notification in try connection.link.notifications() {
            guard notification.isOwn else {
                if let item = News(text: notification.text) { news.append(item) }
                continue
            }
            guard isBeingTested, notification.text == testText else { continue }
            isBeingTested = false
            due = Deadline(in: interval)
            if !hasPassed { news.append(.anything) }
            hasPassed = true
        }
        return news
    }

    /// Begins a test where one is due.
    ///
    /// - Returns: the milliseconds until it must be called again.
    mutating func check() throws(DatabaseError) -> Int32 {
        guard due.isOver else { return due.left }
        guard !isBeingTested else {
            throw .unavailable("what is announced over the connection does not come back")
        }
        test += 1
        isBeingTested = true
        due = Deadline(in: patience)
        try notify([testText])
        return due.left
    }

    /// Waits until something comes in.
    func wait(_ alarm: Alarm, isHeard: Bool, milliseconds: Int32) {
        alarm.wait(orFor: connection.link.socket, isHeard: isHeard, milliseconds: milliseconds)
    }

    private var testText: String { "t\(test)" }

    /// Notifies of several things in one transaction.
    private func notify(_ texts: some Sequence<String>) throws(DatabaseError) {
        connection.begin(.single)
        for text in texts { try connection.queue("SELECT pg_notify('latchkey', \(text))") }
        try connection.commit()
    }
}

extension News {
    /// As it goes over the wire.
    fileprivate var text: String {
        switch self {
        case .user(let uid): "u\(uid)"
        case .mail: "m"
        case .hooks: "h"
        case .anything: "a"
        }
    }

    /// Reads what another node said; `nil` for what is none of our business.
    fileprivate init?(text: String) {
        switch text {
        case "m": self = .mail
        case "h": self = .hooks
        case "a": self = .anything
        default:
            guard text.hasPrefix("u") else { return nil }
            self = .user(String(text.dropFirst()))
        }
    }
}
