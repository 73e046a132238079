#if canImport(Darwin)
    internal import Foundation

    /// An HTTP transport with `URLSession`, for apps on Apple platforms.
    ///
    /// The transport has a separate session without cookies, cache or stored credentials, and refuses redirects,
    /// because the requests contain tokens that belong to one server.
    public final class URLSessionTransport: Transport {
        private let session: URLSession

        /// Creates a transport, which several ``Auth`` objects may share.
        public init() {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieStorage = nil
            configuration.urlCache = nil
            configuration.urlCredentialStorage = nil
            session = URLSession(configuration: configuration, delegate: RedirectRefusal(), delegateQueue: nil)
        }

        deinit {
            session.finishTasksAndInvalidate()
        }

        /// Sends a request and waits for the whole answer.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            let outgoing = try outgoing(request)
            // A `URLRequest` limits only the wait for the next bytes, and the session's limit of a whole exchange would
            // be the same for all requests, including streams.
            let (data, response) = try await withTimeLimit(request.timeout) { [session] in
                try await session.data(for: outgoing)
            }
            let (status, headers) = try head(response)
            return TransportResponse(status: status, headers: headers, body: [UInt8](data))
        }

        /// Sends a request and returns the answer's body as it arrives, line by line.
        public func stream(_ request: TransportRequest) async throws -> TransportStream {
            let (bytes, response) = try await session.bytes(for: try outgoing(request))
            let (status, headers) = try head(response)
            let (body, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
            let reading = Task {
                do {
                    var line: [UInt8] = []
                    for try await byte in bytes {
                        line.append(byte)
                        guard byte == UInt8(ascii: "\n") || line.count == 16384 else { continue }
                        continuation.yield(line)
                        line = []
                    }
                    continuation.yield(line)
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in reading.cancel() }
            return TransportStream(status: status, headers: headers, body: body)
        }

        private func outgoing(_ request: TransportRequest) throws -> URLRequest {
            guard let url = URL(string: request.url) else { throw TransportFailure("not a URL") }
            var outgoing = URLRequest(url: url)
            outgoing.httpMethod = request.method
            if !request.body.isEmpty || request.method != "GET" { outgoing.httpBody = Data(request.body) }
            outgoing.timeoutInterval = request.timeout / .seconds(1)
            for field in request.headers {
                outgoing.setValue(field.value, forHTTPHeaderField: field.name)
            }
            return outgoing
        }

        private func head(_ response: URLResponse) throws -> (Int, [HeaderField]) {
            guard let answer = response as? HTTPURLResponse else { throw TransportFailure("not an HTTP response") }
            let headers = answer.allHeaderFields.compactMap { name, value in
                (name as? String).map { HeaderField($0, "\(value)") }
            }
            return (answer.statusCode, headers)
        }
    }

    /// Rejects every redirect, so that the redirect itself is the answer.
    private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }
#endif
