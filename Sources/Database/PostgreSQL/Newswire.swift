internal import Synchronization

/// Carries news between the nodes of one database, over a connection of its own that listens.
///
/// A transaction with a NOTIFY holds a lock of the whole server from just before its commit until that is durable, so that all
/// such transactions become durable one after the other. Therefore the transactions that write hold none. What they did is
/// announced afterwards, all of a few milliseconds at once, in transactions that write nothing else, for which the server does
/// not wait for its disk. A node that dies in between, or a connection that is away, costs only the time until somebody looks.
final class Newswire: Sendable {
    private struct State {
        var waiting: Set<News> = []
        /// Whether others can be told anything.
        var isConnected = false
        var isStopping = false
        var thread: WorkerThread?
    }

    /// What comes up in this time is announced at once, in milliseconds.
    private static let gathering = 20
    /// So much may wait to be announced; what is more is left for others to find.
    private static let limit = 10_000
    /// How long to wait before the connection is tried again: at first and at most, in milliseconds.
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

    /// Connects, and stays connected.
    ///
    /// - Parameter hear: told what others announce.
    func start(_ hear: @escaping @Sendable ([News]) -> Void) throws(DatabaseError) {
        guard configuration.prepares else {
            // LISTEN would stay with a connection of the pooler's, and reach whoever is lent that.
            let words = "the database is reached through a pooler; give the way past it as postgresql.listenURL"
            return configuration.onEvent(.nodesUnheard(DatabaseError(.misuse, message: words)))
        }
        let thread = try WorkerThread { [self] in run(hear) }
        state.withLock { $0.thread = thread }
    }

    /// Lets the connection go, and waits for that.
    func stop() {
        let thread = state.withLock { state in
            state.isStopping = true
            return state.thread.take()
        }
        alarm.ring()
        guard let thread, !thread.isCurrent else { return }
        thread.join()
    }

    /// Tells the others, soon.
    func announce(_ news: News) {
        let isFirst = state.withLock { state in
            guard state.isConnected, state.waiting.count < Self.limit else { return false }
            return state.waiting.insert(news).inserted && state.waiting.count == 1
        }
        if isFirst { alarm.ring() }
    }

    // MARK: On its thread

    private var isStopping: Bool { state.withLock(\.isStopping) }

    private func run(_ hear: ([News]) -> Void) {
        var pause = Self.pauses.first
        var isUnheard = false
        while !isStopping {
            do throws(DatabaseError) {
                var line = try NewsLine(configuration, clock)
                try serve(&line) { news in
                    if news.contains(.anything) {
                        if isUnheard { configuration.onEvent(.nodesHeard) }
                        isUnheard = false
                        pause = Self.pauses.first
                        state.withLock { $0.isConnected = true }
                    }
                    hear(news)
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

    /// Tells and hears until the connection breaks, or is to go.
    private func serve(_ line: inout NewsLine, _ hear: ([News]) -> Void) throws(DatabaseError) {
        var gathered = Deadline(in: 0)
        while !isStopping {
            if gathered.isOver {
                let news = state.withLock { state in
                    defer { state.waiting = [] }
                    return state.waiting
                }
                if !news.isEmpty {
                    try line.tell(news)
                    gathered = Deadline(in: Self.gathering)
                }
            }
            // Before it is heard: what comes in together with the test's answer waits at no socket any more.
            let left = try line.check()
            let news = try line.hear()
            if !news.isEmpty { hear(news) }
            line.wait(alarm, isHeard: gathered.isOver, milliseconds: gathered.isOver ? left : gathered.left)
        }
    }
}
