internal import CCurl
internal import Dispatch
internal import Synchronization

/// The state that a stream's thread and its reader share.
final class HTTPStreamExchange: TransferObserver, Sendable {
    private typealias Waiter = CheckedContinuation<Void, Never>

    private struct State {
        var head = ResponseHead()
        var body: [UInt8] = []
        var end: Result<Void, TransferError>?
        var lastBytes = ContinuousClock.now
        var isIdleTooLong = false
        /// How often the reader was woken, or would have been had it waited.
        var wakeUps = 0
        /// The reader, while it waits for any event; nil while it does not.
        var waiter: Waiter?
        var isWriterWaiting = false
    }

    /// The maximum number of bytes kept for a slow reader.
    private static let capacity = 1 << 20

    private let state = Mutex(State())
    private let isCancelled = Cancellation()
    /// The semaphore at which the stream's thread waits while the reader has enough to read.
    private let room = DispatchSemaphore(value: 0)
    private let idleTimeout: Duration

    init(idleTimeout: Duration) {
        self.idleTimeout = idleTimeout
    }

    // MARK: The reader

    func head() async throws(TransferError) -> ResponseHead? {
        try await wait { state -> ResponseHead?? in
            state.head.isComplete ? .some(state.head) : nil
        }
    }

    func next() async throws(TransferError) -> [UInt8]? {
        let bytes = try await wait { state -> [UInt8]?? in
            guard !state.body.isEmpty else { return nil }
            defer { state.body = [] }
            return .some(state.body)
        }
        let isWriterWaiting = state.withLock { state in
            defer { state.isWriterWaiting = false }
            return state.isWriterWaiting
        }
        if isWriterWaiting { room.signal() }
        return bytes
    }

    func cancel() {
        isCancelled.cancel()
        let isWriterWaiting = state.withLock { state in
            defer { state.isWriterWaiting = false }
            return state.isWriterWaiting
        }
        if isWriterWaiting { room.signal() }
    }

    /// Waits until `take` finds something to read, and returns that; nil at the end of the response.
    ///
    /// - Throws: the error that ended the response, or `TransferError` of kind `cancelled` if the reader is cancelled
    ///   while it waits.
    private func wait<T>(_ take: (inout State) -> T??) async throws(TransferError) -> T? {
        while true {
            let step = state.withLock { state -> Step<T> in
                if let taken = take(&state) { return .taken(taken) }
                return state.end.map { .ended($0) } ?? .waits(state.wakeUps)
            }
            let seen: Int
            switch step {
            case .taken(let value): return value
            case .ended(let result):
                try result.get()
                return nil
            case .waits(let wakeUps): seen = wakeUps
            }
            guard !Task.isCancelled, !isCancelled.isCancelled else {
                throw TransferError(.cancelled, "the reader was cancelled")
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: Waiter) in
                    let mayWait = state.withLock { state in
                        // An event since the look above, such as the end of the head, found no waiter to wake.
                        guard state.wakeUps == seen, !isCancelled.isCancelled else { return false }
                        state.waiter = continuation
                        return true
                    }
                    if !mayWait { continuation.resume() }
                }
            } onCancel: {
                cancel()
                wake()
            }
        }
    }

    private enum Step<T> {
        case taken(T?)
        case ended(Result<Void, TransferError>)
        /// There is nothing to read yet. The value is the number of wake-ups so far.
        case waits(Int)
    }

    private func wake() {
        state.withLock { state in
            state.wakeUps += 1
            defer { state.waiter = nil }
            return state.waiter
        }?.resume()
    }

    // MARK: The thread

    func end(_ error: TransferError?) {
        state.withLock { $0.end = error.map { .failure($0) } ?? .success(()) }
        wake()
    }

    func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool {
        let isGood = state.withLock { state in
            state.lastBytes = .now
            return unsafe state.head.add(line)
        }
        wake()
        return isGood
    }

    /// Accepts a piece of the body, and blocks the stream's thread while the reader has enough to read; false stops the
    /// exchange.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let bytes = unsafe Array(bytes)
        while !isCancelled.isCancelled {
            let isTaken = state.withLock { state in
                guard state.body.count < Self.capacity else {
                    state.isWriterWaiting = true
                    return false
                }
                state.body += bytes
                state.lastBytes = .now
                return true
            }
            if isTaken {
                wake()
                return true
            }
            room.wait()
        }
        return false
    }

    func mayContinue() -> Bool {
        guard !isCancelled.isCancelled else { return false }
        return state.withLock { state in
            state.isIdleTooLong = state.lastBytes.duration(to: .now) > idleTimeout
            return !state.isIdleTooLong
        }
    }

    func error(_ result: CURLcode) -> TransferError {
        if state.withLock({ $0.isIdleTooLong }) { return TransferError(.timedOut, "no data arrived for too long") }
        if isCancelled.isCancelled { return TransferError(.cancelled, "the reader was cancelled") }
        return TransferError(http: result)
    }
}
