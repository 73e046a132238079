internal import CCurl
package import Network
internal import Synchronization

/// Makes HTTP requests one after the other, over a connection that is kept open between them.
///
/// The client supports only http and https, with verified certificates, without redirects, cookies or a proxy from the
/// environment, and connects only to addresses that ``Limits/gate`` allows.
package final class HTTPClient: Sendable {
    /// The limits of an exchange.
    package struct Limits: Sendable {
        /// The maximum time to connect, in milliseconds.
        package var connectTimeout = 10_000
        /// The maximum time for the whole exchange, in milliseconds, without the wait for earlier requests of the
        /// client.
        package var totalTimeout = 60_000
        /// The maximum size of the response body, in bytes.
        package var maximumBody = 16 << 20
        /// A PEM file of certificate authorities to trust instead of the system's; `nil` to trust the system's.
        package var caFile: String?
        /// Which IP addresses may be connected to, whatever a name resolves to; by default all.
        package var gate = AddressGate.open
        /// Fixed results of name resolution in libcurl's format (CURLOPT_RESOLVE), for tests.
        package var names: [String] = []

        package init() {}
    }

    private let limits: Limits
    private let queue = BlockingQueue(label: "latchkey.http-client")
    /// The connection that is kept open; nil before the first request and after an error.
    ///
    /// Only the queue's thread locks it, so no thread ever waits for this lock.
    private let connection = Mutex<HTTPConnection?>(nil)

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Makes a request on a separate thread.
    ///
    /// Cancelling the task ends the exchange within a second.
    ///
    /// - Throws: `TransferError`. A response with any status, such as 500, is not an error.
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
                // A handle with an error is not kept. The next request opens its own.
                let response = try current.send(request, limits, cancellation)
                connection = consume current
                return .success(response)
            } catch {
                return .failure(error)
            }
        }
    }
}

/// A flag that ends the transfers that were given it, HTTP exchanges and e-mails, within about a second.
package final class Cancellation: Sendable {
    private let flag = Atomic(false)

    /// Creates a flag that is not cancelled.
    package init() {}

    /// Whether the transfers must end.
    package var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Ends the transfers.
    package func cancel() { flag.store(true, ordering: .relaxed) }
}
