/// The duty to answer a suspended request, exactly once.
///
/// Released without an answer it answers 500 by itself, so that a forgotten path in a handler never leaves a client
/// waiting; second and later answers do nothing.
package final class Resumption: Sendable {
    private let suspension: Suspension

    init(_ suspension: Suspension) {
        self.suspension = suspension
    }

    deinit {
        suspension.complete { throw HTTPError.unanswered }
    }

    /// Wakes the connection to answer.
    ///
    /// From any thread; returns at once.
    ///
    /// - Parameter render: makes the response, in the connection's own thread; what it throws reaches `errorResponse`.
    package func resume(_ render: @escaping @Sendable () throws -> Response) {
        suspension.complete { .response(try render()) }
    }

    /// Wakes the connection to go on in any way, such as with a stream or a further wait.
    ///
    /// - Parameter next: decides how, in the connection's own thread.
    package func proceed(_ next: @escaping Continuation) {
        suspension.complete(next)
    }
}
