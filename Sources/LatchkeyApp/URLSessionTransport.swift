internal import Foundation
public import LatchkeyClient

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// An HTTP transport with `URLSession`.
///
/// The transport has a separate session without cookies, cache or stored credentials, and refuses redirects, because
/// the requests contain tokens that belong to one server.
public final class URLSessionTransport: Transport {
    private let session: URLSession
    private let exchanges = Exchanges()

    /// Creates a transport, which several `Auth` objects may share.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit {
        // Streams that are still read go on to their end.
        session.finishTasksAndInvalidate()
    }

    /// Sends a request and waits for the whole answer.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        // A `URLRequest` limits only the wait for the next bytes.
        try await withTimeLimit(request.timeout) { [self] in
            let stream = try await stream(request)
            var body: [UInt8] = []
            for try await bytes in stream.body { body += bytes }
            // A cancelled reader gets a body that is cut off.
            try Task.checkCancellation()
            return TransportResponse(status: stream.status, headers: stream.headers, body: body)
        }
    }

    /// Sends a request and returns the answer's body as it arrives.
    public func stream(_ request: TransportRequest) async throws -> TransportStream {
        let task = session.dataTask(with: try Self.outgoing(request))
        let (body, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        continuation.onTermination = { _ in task.cancel() }
        let head = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { head in
                exchanges.begin(task, head: head, body: continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
        return TransportStream(status: head.status, headers: head.headers, body: body)
    }

    private static func outgoing(_ request: TransportRequest) throws -> URLRequest {
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
}
