import Foundation
import LatchkeyClient
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Real HTTP for tests: `URLSession` as in ``URLSessionTransport``, with a separate connection for each request.
struct TestTransport: Transport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        let outgoing = try Self.outgoing(request)
        let (data, response) = try await withTimeLimit(request.timeout) { try await session.data(for: outgoing) }
        let (status, headers) = try Self.head(response)
        return TransportResponse(status: status, headers: headers, body: [UInt8](data))
    }

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        let (body, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let outgoing = try Self.outgoing(request)
        let response: URLResponse = try await withCheckedThrowingContinuation { head in
            let reader = StreamReader(head: head, body: continuation)
            let session = URLSession(configuration: .ephemeral, delegate: reader, delegateQueue: nil)
            continuation.onTermination = { _ in session.invalidateAndCancel() }
            session.dataTask(with: outgoing).resume()
        }
        let (status, headers) = try Self.head(response)
        return TransportStream(status: status, headers: headers, body: body)
    }

    private static func outgoing(_ request: TransportRequest) throws -> URLRequest {
        let url = try #require(URL(string: request.url))
        var outgoing = URLRequest(url: url)
        outgoing.httpMethod = request.method
        if request.method != "GET" { outgoing.httpBody = Data(request.body) }
        outgoing.timeoutInterval = request.timeout / .seconds(1)
        for field in request.headers {
            outgoing.setValue(field.value, forHTTPHeaderField: field.name)
        }
        return outgoing
    }

    private static func head(_ response: URLResponse) throws -> (Int, [HeaderField]) {
        let answer = try #require(response as? HTTPURLResponse)
        return (answer.statusCode, answer.allHeaderFields.map { HeaderField("\($0.key)", "\($0.value)") })
    }
}

/// Forwards what a `URLSession` receives, as it arrives.
private final class StreamReader: NSObject, URLSessionDataDelegate {
    private let head: Mutex<CheckedContinuation<URLResponse, any Error>?>
    private let body: AsyncThrowingStream<[UInt8], any Error>.Continuation

    init(
        head: CheckedContinuation<URLResponse, any Error>,
        body: AsyncThrowingStream<[UInt8], any Error>.Continuation
    ) {
        self.head = Mutex(head)
        self.body = body
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        take()?.resume(returning: response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        body.yield([UInt8](data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        take()?.resume(throwing: error ?? TransportFailure("no answer"))
        body.finish(throwing: error)
        session.finishTasksAndInvalidate()
    }

    private func take() -> CheckedContinuation<URLResponse, any Error>? {
        head.withLock { head in
            defer { head = nil }
            return head
        }
    }
}
