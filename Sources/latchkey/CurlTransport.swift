internal import LatchkeyClient
internal import Transfer

/// Sends the client's requests with libcurl, which the program links anyway.
struct CurlTransport: Transport {
    private let client: HTTPClient
    private let limits: HTTPClient.Limits
    private let connectTimeout: Int

    /// Makes a transport with one connection, kept open between requests.
    ///
    /// - Parameter timeout: the limit for one exchange. Connecting may take a third of it.
    init(timeout: Duration) {
        var limits = HTTPClient.Limits()
        let seconds = Int(clamping: timeout.components.seconds)
        limits.totalTimeout = max(seconds, 1) * 1000
        limits.connectTimeout = limits.totalTimeout / 3
        // Larger than a page of documents.
        limits.maximumBody = 4 << 20
        self.limits = limits
        connectTimeout = limits.connectTimeout
        client = HTTPClient(limits: limits)
    }

    /// Sends a request.
    ///
    /// One that may take longer than usual has a connection of its own, so that others need not wait for it.
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let timeout = Int(clamping: request.timeout.components.seconds) * 1000
        var client = client
        if timeout > limits.totalTimeout {
            var limits = limits
            limits.totalTimeout = timeout
            client = HTTPClient(limits: limits)
        }
        let outgoing = HTTPRequest(
            request.method,
            request.url,
            headers: request.headers.map { ($0.name, $0.value) },
            body: request.method == "GET" || request.body.isEmpty && request.method == "DELETE" ? nil : request.body
        )
        do {
            let response = try await client.send(outgoing)
            let headers = response.headers.map { HeaderField($0.name, $0.value) }
            return TransportResponse(status: response.status, headers: headers, body: response.body)
        } catch {
            throw TransportFailure("\(error.description) (\(Self.server(of: request.url)))")
        }
    }

    /// Opens a separate connection for each stream.
    func stream(_ request: TransportRequest) async throws -> TransportStream {
        var limits = HTTPStream.Limits()
        limits.connectTimeout = connectTimeout
        limits.idleTimeout = Int(clamping: request.timeout.components.seconds) * 1000
        let outgoing = HTTPRequest("GET", request.url, headers: request.headers.map { ($0.name, $0.value) })
        do {
            let stream = try await HTTPStream.open(outgoing, limits)
            return TransportStream(
                status: stream.status,
                headers: stream.headers.map { HeaderField($0.name, $0.value) },
                body: AsyncThrowingStream { try await stream.next() }
            )
        } catch {
            throw TransportFailure("\(error.description) (\(Self.server(of: request.url)))")
        }
    }

    /// Scheme, host and port of a URL, so that a person sees which server the command has asked.
    private static func server(of url: String) -> String {
        url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
    }
}
