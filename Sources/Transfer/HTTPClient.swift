internal import CCurl
package import Network
internal import Synchronization

/// Makes HTTP requests one after the other, over a connection that is kept open between them.
///
/// http and https only, certificates checked, no redirects followed, no cookies, no proxy from the environment, and only to
/// addresses that a gate lets through.
package final class HTTPClient: Sendable {
    /// What an exchange may cost at most.
    package struct Limits: Sendable {
        /// The longest time for reaching the server, in milliseconds.
        package var connectTimeout = 10_000
        /// The longest time for the whole exchange, in milliseconds.
        package var totalTimeout = 60_000
        /// The largest answer, in bytes of its body.
        package var maximumBody = 16 << 20
        /// A PEM file of certificate authorities to trust instead of the system's.
        package var caFile: String?
        /// Which addresses may be connected to.
        package var gate = AddressGate.open
        /// What names resolve to in place of asking the resolver, as libcurl writes it (CURLOPT_RESOLVE): for tests.
        package var names: [String] = []

        package init() {}
    }

    private let limits: Limits
    private let queue = BlockingQueue(label: "latchkey.http-client")
    /// Only the queue comes here, so nobody ever waits for this lock.
    private let connection = Mutex<HTTPConnection?>(nil)

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Makes a request on a thread of its own; cancelling the task ends the exchange within a second.
    ///
    /// - Throws: `TransferError`; any status, 500 too, is an answer and no error.
    package func send(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
        let cancellation = Cancellation()
        let result = await withTaskCancellationHandler {
            await queue.run { [self] in exchange(request, cancellation) }
        } onCancel: {
            cancellation.cancel()
        }
        return try result.get()
    }

    private func exchange(
        _ request: HTTPRequest,
        _ cancellation: Cancellation
    ) -> Result<HTTPResponse, TransferError> {
        connection.withLock { connection in
            do throws(TransferError) {
                var current: HTTPConnection
                if let kept = connection.take() {
                    current = kept
                } else {
                    current = try HTTPConnection.make()
                }
                // A handle that met an error is not kept: the next request opens its own.
                let response = try current.send(request, limits, cancellation)
                connection = consume current
                return .success(response)
            } catch {
                return .failure(error)
            }
        }
    }
}

/// A flag that ends exchanges within a second.
package final class Cancellation: Sendable {
    private let flag = Atomic(false)

    /// Nothing is cancelled yet.
    package init() {}

    /// Whether exchanges are to end.
    package var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Ends them.
    package func cancel() { flag.store(true, ordering: .relaxed) }
}
