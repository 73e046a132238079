internal import Glibc
internal import Synchronization

/// The writing end of a streaming response, usable from any thread.
///
/// Written bytes wait in a bounded buffer until the client reads them. While the buffer is empty, the connection is
/// suspended and uses no thread. The server asks streams to end when it stops: `whenStopping`.
package final class StreamWriter: Sendable {
    /// The result of a write.
    package enum Acceptance: Sendable {
        /// The bytes will be sent, as far as the client reads them.
        case accepted
        /// Nothing was accepted because the client is slow. Try again `whenWritable`, or give up with `finish`.
        case full
        /// Nothing was accepted because the stream is over.
        case closed
    }

    /// Thrown by `send` when the stream is over.
    package struct Closed: Error, Sendable {}

    private struct State {
        var buffer: [UInt8] = []
        var start = 0
        var sleeper: ConnectionHandle?
        /// Whether libmicrohttpd's buffer for this connection may have memory pages that are worth returning to the system.
        ///
        /// True at first, and after a chunk of more than half a page. Smaller chunks do not count.
        var isBufferDirty = true
        var isFinishing = false
        var isAborted = false
        var isAbandoned = false
        var isClosed = false
        var isStopping = false
        var whenWritable: [@Sendable () -> Void] = []
        var whenClosed: [@Sendable () -> Void] = []
        var whenStopping: [@Sendable () -> Void] = []

        var waiting: Int { buffer.count - start }
    }

    private let state = Mutex(State())
    private let handle: ConnectionHandle
    private let sleepers: Sleepers
    private let capacity: Int

    init(handle: ConnectionHandle, sleepers: Sleepers, capacity: Int) {
        self.handle = handle
        self.sleepers = sleepers
        self.capacity = capacity
    }

    /// Accepts bytes to send, all or none, without waiting.
    ///
    /// An empty buffer accepts any amount, so that no event is too long.
    @discardableResult package func write(_ bytes: [UInt8]) -> Acceptance {
        let (acceptance, sleeper): (Acceptance, ConnectionHandle?) = state.withLock { state in
            guard !state.isClosed, !state.isFinishing, !state.isAborted, !state.isAbandoned else {
                return (.closed, nil)
            }
            guard state.waiting == 0 || bytes.count <= capacity - state.waiting else { return (.full, nil) }
            guard !bytes.isEmpty else { return (.accepted, nil) }
            state.buffer.append(contentsOf: bytes)
            return (.accepted, state.sleeper.take())
        }
        if let sleeper { sleepers.wake(sleeper) }
        return acceptance
    }

    /// Accepts bytes to send, waiting while the client is slow.
    ///
    /// - Throws: `Closed` when the stream is over.
    package func send(_ bytes: [UInt8]) async throws {
        while true {
            switch write(bytes) {
            case .accepted: return
            case .closed: throw Closed()
            case .full: await withCheckedContinuation { waiter in whenWritable { waiter.resume() } }
            }
        }
    }

    /// Ends the stream properly once everything written is sent.
    ///
    /// Later calls do nothing.
    package func finish() {
        wake { $0.isFinishing = true }
    }

    /// Whether nothing more will be sent.
    package var isClosed: Bool {
        state.withLock { $0.isClosed || $0.isAborted || $0.isAbandoned }
    }

    /// The number of written bytes that still wait in the buffer.
    package var waiting: Int {
        state.withLock(\.waiting)
    }

    /// Calls the closure once when at least half the buffer is free or the stream is over.
    ///
    /// The closure is called on any thread, possibly before this method returns.
    package func whenWritable(_ body: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            guard !state.isClosed, state.waiting > capacity / 2 else { return true }
            state.whenWritable.append(body)
            return false
        }
        if isDue { body() }
    }

    /// Calls the closure once when the stream is over for any reason: finished, client gone, server stopped.
    ///
    /// The closure is called on any thread, possibly before this method returns.
    package func whenClosed(_ body: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            guard !state.isClosed else { return true }
            state.whenClosed.append(body)
            return false
        }
        if isDue { body() }
    }

    /// Calls the closure once when the server is about to stop; not at all if the stream is over before.
    ///
    /// The closure is called on any thread, possibly before this method returns. The stream should then send its last
    /// bytes and `finish`.
    ///
    /// Without such a closure, the server finishes the stream itself.
    package func whenStopping(_ body: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            guard !state.isStopping else { return true }
            state.whenStopping.append(body)
            return false
        }
        if isDue { body() }
    }

    // MARK: For the server

    /// The result of `read` that ends the body properly: libmicrohttpd's MHD_CONTENT_READER_END_OF_STREAM.
    static let endOfStream = -1
    /// The result of `read` that breaks the connection: libmicrohttpd's MHD_CONTENT_READER_END_WITH_ERROR.
    static let endWithError = -2

    /// Copies the next bytes into libmicrohttpd's buffer, or suspends the connection if there are none.
    ///
    /// Runs on the connection's thread.
    ///
    /// - Returns: the number of bytes; 0 if the connection was suspended; ``endOfStream`` or ``endWithError``.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        let (count, callbacks): (Int, [@Sendable () -> Void]) = state.withLock { state in
            guard !state.isAborted else { return (StreamWriter.endWithError, []) }
            guard state.waiting > 0 else {
                guard !state.isFinishing, !state.isAbandoned else { return (StreamWriter.endOfStream, []) }
                if state.isBufferDirty { unsafe releasePages(of: target) }
                state.isBufferDirty = false
                return (sleep(&state), [])
            }
            let count = min(state.waiting, target.count)
            state.isBufferDirty = state.isBufferDirty || count > StreamWriter.pageSize / 2
            let end = state.start + count
            unsafe target.copyBytes(from: state.buffer[state.start..<end])
            state.start = end
            compact(&state)
            guard state.waiting <= capacity / 2 else { return (count, []) }
            let callbacks = state.whenWritable
            state.whenWritable = []
            return (count, callbacks)
        }
        for callback in callbacks { callback() }
        return count
    }

    /// Breaks the stream, so that the client notices that the body is incomplete: after an error, or because the server's
    /// time limit has passed.
    package func abort() {
        wake { $0.isAborted = true }
    }

    /// Ends the stream because its client left.
    ///
    /// The body is still ended properly. Breaking it here would leave libmicrohttpd with a dead connection that it does
    /// not clean up until the idle time-out. A write to a client that left makes it notice at once.
    func hangUp() {
        wake { state in
            state.isAbandoned = true
            state.buffer = []
            state.start = 0
        }
    }

    /// Calls the closures of ``whenStopping(_:)``, or finishes the stream if there are none.
    func stop() {
        let callbacks: [@Sendable () -> Void] = state.withLock { state in
            state.isStopping = true
            defer { state.whenStopping = [] }
            return state.whenStopping
        }
        if callbacks.isEmpty { finish() }
        for callback in callbacks { callback() }
    }

    /// Closes the stream: the request is complete or broken.
    func close() {
        let callbacks: [@Sendable () -> Void] = state.withLock { state in
            guard !state.isClosed else { return [] }
            state.isClosed = true
            state.buffer = []
            state.start = 0
            defer {
                state.whenWritable = []
                state.whenClosed = []
                state.whenStopping = []
            }
            return state.whenWritable + state.whenClosed
        }
        for callback in callbacks { callback() }
    }

    private static let pageSize = 4096

    /// Returns the whole pages of the library's buffer to the system, because the stream writes nothing into it now.
    ///
    /// The library zeroes the whole buffer, which made up more than half of the memory of a suspended stream.
    private func releasePages(of buffer: UnsafeMutableRawBufferPointer) {
        guard let base = buffer.baseAddress else { return }
        let mask = UInt(StreamWriter.pageSize - 1)
        let start = (UInt(bitPattern: base) + mask) & ~mask
        let end = (UInt(bitPattern: base) + UInt(buffer.count)) & ~mask
        guard start < end else { return }
        unsafe madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_DONTNEED)
    }

    private func sleep(_ state: inout State) -> Int {
        guard sleepers.enter() else { return StreamWriter.endWithError }
        handle.suspend()
        state.sleeper = handle
        return 0
    }

    private func compact(_ state: inout State) {
        if state.waiting == 0 {
            state.buffer.removeAll(keepingCapacity: state.buffer.capacity <= 4096)
            state.start = 0
        } else if state.start > capacity {
            state.buffer.removeFirst(state.start)
            state.start = 0
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let sleeper: ConnectionHandle? = state.withLock { state in
            guard !state.isClosed else { return nil }
            change(&state)
            return state.sleeper.take()
        }
        if let sleeper { sleepers.wake(sleeper) }
    }
}
