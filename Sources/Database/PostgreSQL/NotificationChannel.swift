/// A connection of the notification channel between nodes.
///
/// The connection is trusted only after a notification that it sent has come back over it, and it is tested again and
/// again. A dead connection is as silent as one without notifications.
struct NotificationChannel {
    /// The PostgreSQL application name of the connection.
    ///
    /// A copy into a database is refused while a connection of this name is open, because servers use the database.
    static let applicationName = "latchkey news"

    private let connection: PostgreSQLConnection
    /// The time between two tests, in milliseconds.
    private let interval: Int
    /// The maximum duration of a test, in milliseconds.
    private let patience: Int
    /// The number of the current or last test.
    private var test = 0
    /// Whether the channel has delivered the notification of any test so far.
    private var hasPassed = false
    /// When the next test starts; during a test, when it must have succeeded.
    private var due = Deadline(in: 0)
    private var isBeingTested = false

    /// Connects, and subscribes the connection to the notifications of all nodes.
    init(_ configuration: PostgreSQLConfiguration, _ clock: DatabaseClock) throws(DatabaseError) {
        connection = try PostgreSQLConnection(configuration)
        interval = configuration.listenCheck
        patience = configuration.connectTimeout
        try connection.setUp(clock)
        connection.begin(.single)
        try connection.queue(OlderNodes.registration)
        try connection.queue("SELECT set_config('application_name', \(Self.applicationName), false)")
        try connection.queue("LISTEN latchkey")
        try connection.commit()
    }

    /// Sends notifications to the other nodes, in one transaction.
    func send(_ news: some Collection<NodeNotification>) throws(DatabaseError) {
        try notify(news.lazy.map(\.text))
    }

    /// Returns the notifications of other nodes that have arrived, without waiting, and ``NodeNotification/anything``
    /// when the first test has shown that the connection works.
    mutating func receive() throws(DatabaseError) -> [NodeNotification] {
        var news: [NodeNotification] = []
        for notification in try connection.link.notifications() {
            guard notification.isOwn else {
                if let item = NodeNotification(text: notification.text) { news.append(item) }
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

    /// Starts a test if one is due.
    ///
    /// - Returns: the milliseconds until the next call.
    /// - Throws: `unavailable` if the notification of the current test did not come back in time.
    mutating func check() throws(DatabaseError) -> Int32 {
        guard due.isOver else { return due.left }
        guard !isBeingTested else {
            throw .unavailable("notifications sent over the connection do not arrive")
        }
        test += 1
        isBeingTested = true
        due = Deadline(in: patience)
        try notify([testText])
        return due.left
    }

    /// Waits until something arrives on the connection, the alarm rings or the time is over.
    ///
    /// - Parameters:
    ///   - alarm: the alarm.
    ///   - isHeard: whether the alarm ends the wait; otherwise it ends the next wait.
    ///   - milliseconds: the longest time.
    func wait(_ alarm: Alarm, isHeard: Bool, milliseconds: Int32) {
        alarm.wait(orFor: connection.link.socket, isHeard: isHeard, milliseconds: milliseconds)
    }

    private var testText: String { "t\(test)" }

    /// Sends the payloads of several notifications in one transaction.
    private func notify(_ texts: some Sequence<String>) throws(DatabaseError) {
        connection.begin(.single)
        for text in texts { try connection.queue("SELECT pg_notify('latchkey', \(text))") }
        try connection.commit()
    }
}

extension NodeNotification {
    /// The notification as text, the payload of NOTIFY.
    var text: String {
        switch self {
        case .user(let uid): "u\(uid)"
        case .ticket(let ticket): "w\(ticket)"
        case .account(let kind, let uid): "e\(kind) \(uid)"
        case .mail: "m"
        case .hooks: "h"
        case .anything: "a"
        }
    }

    /// Parses a notification of another node; `nil` for an unknown one, such as of a newer version.
    init?(text: String) {
        switch text {
        case "m": self = .mail
        case "h": self = .hooks
        case "a": self = .anything
        default:
            let rest = String(text.dropFirst())
            switch text.first {
            case "u": self = .user(rest)
            case "w": self = .ticket(rest)
            case "e":
                guard let space = rest.firstIndex(of: " ") else { return nil }
                self = .account(String(rest[..<space]), uid: String(rest[rest.index(after: space)...]))
            default: return nil
            }
        }
    }
}
