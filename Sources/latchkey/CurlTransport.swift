internal import LatchkeyClient
internal import Transfer

/// Carries the client's requests over libcurl, which this program has anyway.
struct CurlTransport: Transport {
    private let client: HTTPClient
    private let connectTimeout: Int

    /// Makes a transport with one connection, kept open between requests.
    ///
    /// - Parameter timeout: The limit for one exchange. A server that cannot even be reached is given up after a third.
    init(timeout: Duration) {
        var limits = HTTPClient.Limits()
        let seconds = Int(clamping: timeout.components.seconds)
        limits.totalTimeout = max(seconds, 1) * 1000
        limits.connectTimeout = limits.totalTimeout / 3
        // Above a page of documents.
        limits.maximumBody = 4 << 20
        connectTimeout = limits.connectTimeout
        client = HTTPClient(limits: limits)
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
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
            throw TransportFailure(error.description)
        }
    }

    /// Makes a connection of its own for each stream.
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
            throw TransportFailure(error.description)
        }
    }
}
