internal import Synchronization

/// Sends and receives notifications between the nodes of one database, over its own listening connection.
///
/// A transaction with NOTIFY holds a server-wide lock from just before its commit until the commit is durable, so such
/// transactions become durable one after the other. Transactions that write data therefore send no notifications. Their
/// changes are announced afterwards, those of a few milliseconds together, in transactions that write nothing else, for
/// which the server does not wait for its disk. If a node dies in between, or the connection is down, other nodes find
/// the changes when they next poll.
final class NodeNotifications: Sendable {
    private struct State {
        var waiting: Set<NodeNotification> = []
        /// Whether notifications can be sent.
        var isConnected = false
        var isStopping = false
        var thread: WorkerThread?
    }

    /// The time in milliseconds for which notifications are collected before they are sent together.
    private static let gathering = 20
    /// The number of notifications that may wait to be sent.
    ///
    /// Further ones are dropped, and other nodes find the changes by polling.
    private static let limit = 10_000
    /// The first and longest wait before a reconnect, in milliseconds.
    private static let pauses: (first: Int32, longest: Int32) = (250, 15_000)

    private let configuration: PostgreSQLConfiguration
    private let clock: DatabaseClock
    private let alarm: Alarm
    private let state = Mutex(State())

    init(_ configuration: PostgreSQLConfiguration, _ clock: DatabaseClock) throws(DatabaseError) {
        var own = configuration
        own.onStatement = nil
        if let url = configuration.listenURL {
            own.url = url
            own.prepares = true
        }
        self.configuration = own
        self.clock = clock
        alarm = try Alarm()
    }

    /// Starts a thread that connects, and reconnects when the connection breaks.
    ///
    /// Through a pooler there is no notification channel: an event reports that, and nothing is started.
    ///
    /// - Parameter subscriber: receives the notifications of other nodes, on that thread.
    /// - Throws: `internal` if no thread can be started.
    func start(_ subscriber: @escaping @Sendable ([NodeNotification]) -> Void) throws(DatabaseError) {
        guard configuration.prepares else {
            // LISTEN would stay on one of the pooler's connections, and reach the next client that gets it.
            let words = "the database is reached through a pooler; set postgresql.listenURL to a URL that bypasses it"
            return configuration.onEvent(.nodesUnheard(DatabaseError(.misuse, message: words)))
        }
        let thread = try WorkerThread { [self] in run(subscriber) }
        state.withLock { $0.thread = thread }
    }

    /// Closes the connection and waits until its thread has ended, unless it is called on that thread.
    func stop() {
        let thread = state.withLock { state in
            state.isStopping = true
            return state.thread.take()
        }
        alarm.ring()
        guard let thread, !thread.isCurrent else { return }
        thread.join()
    }

    /// Notifies the other nodes within some milliseconds.
    ///
    /// Drops the notification if the channel is down or too many notifications wait.
    func announce(_ news: NodeNotification) {
        let isFirst = state.withLock { state in
            guard state.isConnected, state.waiting.count < Self.limit else { return false }
            return state.waiting.insert(news).inserted && state.waiting.count == 1
        }
        if isFirst { alarm.ring() }
    }

    // MARK: On its thread

    private var isStopping: Bool { state.withLock(\.isStopping) }

    private func run(_ subscriber: ([NodeNotification]) -> Void) {
        var pause = Self.pauses.first
        var isUnheard = false
        while !isStopping {
            do throws(DatabaseError) {
                var channel = try NotificationChannel(configuration, clock)
                try serve(&channel) { news in
                    if news.contains(.anything) {
                        if isUnheard { configuration.onEvent(.nodesHeard) }
                        isUnheard = false
                        pause = Self.pauses.first
                        state.withLock { $0.isConnected = true }
                    }
                    subscriber(news)
                }
            } catch {
                if !isUnheard { configuration.onEvent(.nodesUnheard(error)) }
                isUnheard = true
            }
            state.withLock { state in
                state.isConnected = false
                state.waiting = []
            }
            guard !isStopping else { return }
            alarm.wait(milliseconds: Int32.random(in: pause / 2...pause))
            pause = min(Self.pauses.longest, pause * 2)
        }
    }

    /// Sends and receives notifications until the connection breaks or the channel is stopped.
    private func serve(_ channel: inout NotificationChannel, _ subscriber: ([NodeNotification]) -> Void)
        throws(DatabaseError)
    {
        var gathered = Deadline(in: 0)
        while !isStopping {
            if gathered.isOver {
                let news = state.withLock { state in
                    defer { state.waiting = [] }
                    return state.waiting
                }
                if !news.isEmpty {
                    try channel.send(news)
                    gathered = Deadline(in: Self.gathering)
                }
            }
            // The test runs before reading: notifications that arrived with its answer no longer signal the socket.
            let left = try channel.check()
            let news = try channel.receive()
            if !news.isEmpty { subscriber(news) }
            channel.wait(alarm, isHeard: gathered.isOver, milliseconds: gathered.isOver ? left : gathered.left)
        }
    }
}
