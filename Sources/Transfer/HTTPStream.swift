internal import CCurl
internal import Dispatch
internal import Synchronization

/// An HTTP answer that is read as it comes, over a connection and a thread of its own.
///
/// As ``HTTPClient``: http and https only, certificates checked, no redirects, no cookies, no proxy. What is not read yet is
/// bounded: the server waits for a slow reader. The connection ends with this object.
package final class HTTPStream: Sendable {
    /// What a stream may cost at most.
    package struct Limits: Sendable {
        /// The longest time for reaching the server, in milliseconds.
        package var connectTimeout = 10_000
        /// The longest time without any bytes, in milliseconds; found out within a second.
        package var idleTimeout = 60_000
        /// A PEM file of certificate authorities to trust instead of the system's.
        package var caFile: String?

        package init() {}
    }

    /// The HTTP status.
    package let status: Int
    /// The fields as they came.
    package let headers: [(name: String, value: String)]
    private let exchange: HTTPStreamExchange

    private init(_ exchange: HTTPStreamExchange, status: Int, headers: [(name: String, value: String)]) {
        self.exchange = exchange
        self.status = status
        self.headers = headers
    }

    deinit {
        exchange.cancel()
    }

    /// Makes a request with GET and waits for the head of the answer.
    ///
    /// - Throws: `TransferError`; any status, 500 too, is an answer and no error.
    package static func open(_ request: HTTPRequest, _ limits: Limits) async throws(TransferError) -> HTTPStream {
        let exchange = HTTPStreamExchange(idleTimeout: .milliseconds(limits.idleTimeout))
        // A queue of its own, so that this stream alone waits for its bytes.
        DispatchQueue(label: "latchkey.http-stream").async {
            do throws(TransferError) {
                var connection = try HTTPConnection.make()
                try connection.stream(request, limits, into: exchange)
                exchange.end(nil)
            } catch {
                exchange.end(error)
            }
        }
        guard let head = try await exchange.head() else {
            throw TransferError(.unreachable, "the connection ended before the answer")
        }
        return HTTPStream(exchange, status: head.status, headers: head.headers)
    }

    /// The next bytes of the body, for one reader; `nil` at its end.
    ///
    /// - Throws: `TransferError` when the connection breaks, or the task is cancelled.
    package func next() async throws(TransferError) -> [UInt8]? {
        try await exchange.next()
    }
}

extension HTTPConnection {
    /// Makes one request and hands on what comes of it; blocks until the end.
    fileprivate mutating func stream(
        _ request: HTTPRequest,
        _ limits: HTTPStream.Limits,
        into exchange: HTTPStreamExchange
    ) throws(TransferError) {
        let url = try URLParts(request.url)
        guard ["http", "https"].contains(url.scheme) else {
            throw TransferError(.invalid, "the scheme is neither http nor https")
        }
        let lines = try StringList(request.headerLines())
        try handle.set(CURLOPT_URL, request.url)
        try handle.set(CURLOPT_HTTPHEADER, lines)
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, limits.connectTimeout)
        if let file = limits.caFile { try handle.trust(onlyFile: file) }
        try unsafe handle.set(CURLOPT_WRITEFUNCTION, receiveStreamBody)
        try unsafe handle.set(CURLOPT_HEADERFUNCTION, receiveStreamLine)
        try unsafe handle.setProgress(checkStream)
        try handle.attach(exchange, to: CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_XFERINFODATA)
        defer { handle.detach(CURLOPT_HTTPHEADER) }
        let result = handle.perform()
        guard result == CURLE_OK else { throw exchange.error(result) }
    }
}

/// What the thread of a stream and its reader share.
final class HTTPStreamExchange: Sendable {
    typealias Head = (status: Int, headers: [(name: String, value: String)])
    private typealias Waiter = CheckedContinuation<Void, Never>

    private struct State {
        var status = 0
        var headers: [(name: String, value: String)] = []
        var headerBytes = 0
        var hasHead = false
        var body: [UInt8] = []
        var end: Result<Void, TransferError>?
        var lastBytes = ContinuousClock.now
        var isIdleTooLong = false
        /// The reader, who waits for anything to happen.
        var waiter: Waiter?
        var isWriterWaiting = false
    }

    /// More than this is not kept for a reader who is slow.
    private static let capacity = 1 << 20

    private let state = Mutex(State())
    private let isCancelled = Cancellation()
    /// Where the thread waits for the reader.
    private let room = DispatchSemaphore(value: 0)
    private let idleTimeout: Duration

    init(idleTimeout: Duration) {
        self.idleTimeout = idleTimeout
    }

    // MARK: The reader

    func head() async throws(TransferError) -> Head? {
        try await wait { state -> Head?? in
            state.hasHead ? .some((state.status, state.headers)) : nil
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

    /// Waits until there is something to take, the end, or cancellation.
    private func wait<T>(_ take: (inout State) -> T??) async throws(TransferError) -> T? {
        while true {
            let step = state.withLock { state -> Step<T> in
                if let taken = take(&state) { return .taken(taken) }
                return state.end.map { .ended($0) } ?? .waits
            }
            switch step {
            case .taken(let value): return value
            case .ended(let result):
                try result.get()
                return nil
            case .waits: break
            }
            guard !Task.isCancelled, !isCancelled.isCancelled else {
                throw TransferError(.cancelled, "the reader was cancelled")
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: Waiter) in
                    let mayWait = state.withLock { state in
                        guard state.body.isEmpty, state.end == nil, !isCancelled.isCancelled else { return false }
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
        case waits
    }

    private func wake() {
        state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }?.resume()
    }

    // MARK: The thread

    func end(_ error: TransferError?) {
        state.withLock { $0.end = error.map { .failure($0) } ?? .success(()) }
        wake()
    }

    /// Takes a line of the head; false stops the exchange.
    func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool {
        let bytes = unsafe Array(line)
        let isGood = state.withLock { state in
            state.lastBytes = .now
            state.headerBytes += bytes.count
            guard state.headerBytes <= 64 << 10 else { return false }
            let text = String(decoding: bytes, as: UTF8.self)
            let words = text.split(whereSeparator: \.isWhitespace)
            if text.hasPrefix("HTTP/") {
                state.status = words.dropFirst().first.flatMap { Int($0) } ?? 0
                state.headers = []
            } else if words.isEmpty {
                // The head of 100 Continue, or of another interim answer, is not the one.
                state.hasHead = state.status >= 200
            } else if let colon = text.firstIndex(of: ":") {
                let value = text[text.index(after: colon)...].split(whereSeparator: \.isWhitespace)
                state.headers.append((String(text[..<colon]), value.joined(separator: " ")))
            }
            return true
        }
        wake()
        return isGood
    }

    /// Takes a piece of the body, and waits while the reader has enough to read; false stops the exchange.
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

    /// Whether the exchange may go on, asked about once a second.
    func mayGoOn() -> Bool {
        guard !isCancelled.isCancelled else { return false }
        return state.withLock { state in
            state.isIdleTooLong = state.lastBytes.duration(to: .now) > idleTimeout
            return !state.isIdleTooLong
        }
    }

    func error(_ result: CURLcode) -> TransferError {
        if state.withLock({ $0.isIdleTooLong }) { return TransferError(.timedOut, "nothing came for too long") }
        if isCancelled.isCancelled { return TransferError(.cancelled, "the reader was cancelled") }
        return TransferError(http: result)
    }
}

/// libcurl's CURLOPT_WRITEFUNCTION.
private func receiveStreamBody(
    _ data: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return 0 }
    let exchange = unsafe Unmanaged<HTTPStreamExchange>.fromOpaque(context).takeUnretainedValue()
    // As in `receiveHTTPBody`: anything but the count stops the exchange.
    return unsafe exchange.receiveBody(UnsafeRawBufferPointer(start: data, count: count))
        ? count : Int(count == 0 ? 1 : 0)
}

/// libcurl's CURLOPT_HEADERFUNCTION.
private func receiveStreamLine(
    _ data: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return 0 }
    let exchange = unsafe Unmanaged<HTTPStreamExchange>.fromOpaque(context).takeUnretainedValue()
    return unsafe exchange.receiveLine(UnsafeRawBufferPointer(start: data, count: count)) ? count : 0
}

/// libcurl's CURLOPT_XFERINFOFUNCTION, called about once a second: anything but 0 ends the transfer.
private func checkStream(
    _ context: UnsafeMutableRawPointer?,
    _: Int,
    _: Int,
    _: Int,
    _: Int
) -> Int32 {
    guard let context = unsafe context else { return 0 }
    return unsafe Unmanaged<HTTPStreamExchange>.fromOpaque(context).takeUnretainedValue().mayGoOn() ? 0 : 1
}
