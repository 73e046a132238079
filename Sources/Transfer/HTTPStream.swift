internal import CCurl
internal import Dispatch

/// An HTTP response that is read as it arrives, over a separate connection and thread.
///
/// As in ``HTTPClient``: only http and https, with verified certificates, without redirects, cookies or a proxy. But
/// every address may be connected to. Unread data is limited, so the server waits for a slow reader. The connection
/// ends with this object.
package final class HTTPStream: Sendable {
    /// The limits of a stream.
    package struct Limits: Sendable {
        /// The maximum time to connect, in milliseconds.
        package var connectTimeout = 10_000
        /// The maximum time without any bytes, in milliseconds; detected within a second.
        package var idleTimeout = 60_000
        /// A PEM file of certificate authorities to trust instead of the system's; `nil` to trust the system's.
        package var caFile: String?

        package init() {}
    }

    /// The HTTP status.
    package let status: Int
    /// The header fields in the order received, each value with its white space reduced to single spaces.
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

    /// Makes a GET request and waits for the head of the response.
    ///
    /// Only the URL and the header fields of `request` are used.
    ///
    /// - Throws: `TransferError`. A response with any status, such as 500, is not an error.
    package static func open(_ request: HTTPRequest, _ limits: Limits) async throws(TransferError) -> HTTPStream {
        let exchange = HTTPStreamExchange(idleTimeout: .milliseconds(limits.idleTimeout))
        // A separate queue, so that only this stream waits for its bytes.
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
            throw TransferError(.unreachable, "the connection ended before the response")
        }
        return HTTPStream(exchange, status: head.status, headers: head.headers)
    }

    /// Waits for the next bytes of the body; `nil` at the end of the body.
    ///
    /// Only one task may read at a time.
    ///
    /// - Throws: `TransferError` when the connection breaks, nothing arrives for ``Limits/idleTimeout``, or the task is
    ///   cancelled.
    package func next() async throws(TransferError) -> [UInt8]? {
        try await exchange.next()
    }
}

extension HTTPConnection {
    /// Makes one GET request, and passes the response to the exchange as it arrives.
    ///
    /// Blocks until the response ends.
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
        try handle.observe(by: exchange)
        defer { handle.detach(CURLOPT_HTTPHEADER) }
        let result = handle.perform()
        guard result == CURLE_OK else { throw exchange.error(result) }
    }
}
