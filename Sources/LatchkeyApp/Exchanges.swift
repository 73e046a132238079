internal import Foundation
internal import LatchkeyClient
internal import Synchronization

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The requests of a session that have no complete answer yet.
///
/// `URLSession` calls this delegate on a queue of its own, in order for each request.
final class Exchanges: NSObject, URLSessionDataDelegate {
    /// The status and the header fields of an answer.
    struct Head: Sendable {
        let status: Int
        let headers: [HeaderField]
    }

    typealias Body = AsyncThrowingStream<[UInt8], any Error>.Continuation

    private struct Exchange {
        /// Waits for the head; `nil` once that has arrived.
        var head: CheckedContinuation<Head, any Error>?
        let body: Body
    }

    /// The exchanges by the number of their task.
    private let open = Mutex<[Int: Exchange]>([:])

    /// Begins an exchange, before its task is resumed.
    ///
    /// - Parameters:
    ///   - task: the task.
    ///   - head: waits for the head of the answer, or for the error without one.
    ///   - body: receives the body, and how it ends.
    func begin(_ task: URLSessionDataTask, head: CheckedContinuation<Head, any Error>, body: Body) {
        open.withLock { $0[task.taskIdentifier] = Exchange(head: head, body: body) }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let waiting = takeHead(of: dataTask)
        guard let answer = response as? HTTPURLResponse else {
            waiting?.resume(throwing: TransportFailure("not an HTTP response"))
            return completionHandler(.cancel)
        }
        let headers = answer.allHeaderFields.compactMap { name, value in
            (name as? String).map { HeaderField($0, "\(value)") }
        }
        waiting?.resume(returning: Head(status: answer.statusCode, headers: headers))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let body = open.withLock { $0[dataTask.taskIdentifier]?.body }
        body?.yield([UInt8](data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = open.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.head?.resume(throwing: error ?? TransportFailure("no answer"))
        exchange?.body.finish(throwing: error)
    }

    /// Rejects every redirect, so that the redirect itself is the answer.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    private func takeHead(of task: URLSessionTask) -> CheckedContinuation<Head, any Error>? {
        open.withLock { open in
            defer { open[task.taskIdentifier]?.head = nil }
            return open[task.taskIdentifier]?.head
        }
    }
}
