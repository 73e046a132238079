internal import Glibc
internal import Synchronization

/// The messages that the server keeps, limited to the newest, and the observers of new ones.
final class Mailbox: Sendable {
    private let maximumMessages: Int
    private let maximumOctets: Int
    private let state = Mutex(State())

    private struct State {
        var messages: [SMTPMessage] = []
        var octets = 0
        var total = 0
        var nextObserver = 0
        var observers: [Int: @Sendable (SMTPMessage) -> Void] = [:]
    }

    init(maximumMessages: Int, maximumOctets: Int) {
        self.maximumMessages = max(1, maximumMessages)
        self.maximumOctets = maximumOctets
    }

    /// Kept messages, oldest first.
    var messages: [SMTPMessage] { state.withLock { $0.messages } }

    /// The number of messages accepted since the start, kept or not.
    var total: Int { state.withLock { $0.total } }

    func add(_ submission: SMTPSubmission) {
        let now = Self.now()
        let (message, observers) = state.withLock { state in
            state.total += 1
            let message = SMTPMessage(submission, sequence: state.total, receivedAt: now)
            state.messages.append(message)
            state.octets += message.raw.count
            dropOldest(&state)
            return (message, state.observers.sorted { $0.key < $1.key }.map(\.value))
        }
        // Outside the lock: an observer may ask the mailbox.
        for observer in observers { observer(message) }
    }

    func clear() {
        state.withLock { state in
            state.messages = []
            state.octets = 0
        }
    }

    /// Calls a closure for every new message, on the thread of its connection, before the client gets its reply.
    ///
    /// - Returns: the messages that were kept when the calls began, and a number for `remove`.
    func observe(_ observer: @escaping @Sendable (SMTPMessage) -> Void) -> (kept: [SMTPMessage], number: Int) {
        state.withLock { state in
            state.nextObserver += 1
            state.observers[state.nextObserver] = observer
            return (state.messages, state.nextObserver)
        }
    }

    func remove(observer number: Int) {
        _ = state.withLock { $0.observers.removeValue(forKey: number) }
    }

    /// Returns the kept messages that fulfil a condition, and a stream of the new ones that do.
    ///
    /// The stream keeps at most 1000 unread messages, and drops further ones. It ends when its reader stops.
    func stream(
        matching condition: @escaping @Sendable (SMTPMessage) -> Bool
    ) -> (kept: [SMTPMessage], stream: AsyncStream<SMTPMessage>) {
        let (stream, continuation) = AsyncStream<SMTPMessage>.makeStream(bufferingPolicy: .bufferingOldest(1000))
        let (kept, number) = observe { message in
            if condition(message) { continuation.yield(message) }
        }
        continuation.onTermination = { [weak self] _ in self?.remove(observer: number) }
        return (kept.filter(condition), stream)
    }

    private func dropOldest(_ state: inout State) {
        var count = 0
        while count < state.messages.count - 1,
            state.messages.count - count > maximumMessages || state.octets > maximumOctets
        {
            state.octets -= state.messages[count].raw.count
            count += 1
        }
        state.messages.removeFirst(count)
    }

    private static func now() -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
