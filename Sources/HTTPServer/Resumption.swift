/// The obligation to answer a suspended request exactly once.
///
/// An object that is released without a response makes the server respond with 500, so that a forgotten path in a
/// handler never leaves a client waiting. Further responses do nothing.
package final class Resumption: Sendable {
    private let suspension: Suspension

    init(_ suspension: Suspension) {
        self.suspension = suspension
    }

    deinit {
        suspension.complete { throw HTTPError.unanswered }
    }

    /// Whether the client has closed the suspended connection, so that no response can reach it.
    ///
    /// Callable from any thread. A client that vanished without closing is not noticed.
    package var isAbandoned: Bool { suspension.isAbandoned }

    /// Resumes the connection with a response.
    ///
    /// Callable from any thread; returns at once.
    ///
    /// - Parameter render: creates the response on the connection's own thread. Its errors are passed to
    ///   `errorResponse`.
    package func resume(_ render: @escaping @Sendable () throws -> Response) {
        suspension.complete { .response(try render()) }
    }

    /// Resumes the connection in any way, such as with a stream or another suspension.
    ///
    /// - Parameter next: decides how to continue, on the connection's own thread.
    package func proceed(_ next: @escaping Continuation) {
        suspension.complete(next)
    }
}
