internal import Telemetry

/// What the server does after a handler or a continuation has returned.
package enum Handling: Sendable {
    /// Responds at once, on the connection's own thread. This is the fastest way.
    case response(Response)
    /// Suspends the connection while another thread works.
    ///
    /// The closure starts that work and returns. The thread that finishes the work calls `resume` or `proceed`, at any
    /// time, even before the closure has returned.
    case suspended(@Sendable (Resumption) -> Void)
    /// Suspends the connection for a Swift task, whose result is the response.
    ///
    /// Errors are passed to `errorResponse`.
    case async(@Sendable () async throws -> Response)
    /// Sends status and header fields now, and the body in pieces.
    ///
    /// The closure receives the writer once the head is being sent, and may use it from any thread. The head's own body
    /// is not sent.
    case stream(Response, @Sendable (StreamWriter) -> Void)

    /// Suspends the connection for a Swift task.
    ///
    /// The closure that the task returns then runs on the connection's thread and decides how to continue. Errors are
    /// passed to `errorResponse`.
    package static func awaiting(_ work: @escaping @Sendable () async throws -> Continuation) -> Handling {
        .suspended { resumption in
            let tag = RequestTag.current
            Task {
                do {
                    resumption.proceed(try await RequestTag.run(tag, work))
                } catch {
                    resumption.resume { throw error }
                }
            }
        }
    }
}

/// Handles the requests of a route.
///
/// The handler runs on the connection's thread and must not block. Its errors are passed to `errorResponse`.
package typealias Handler = @Sendable (Request) throws -> Handling

/// The next step of a request, run on its connection's thread.
package typealias Continuation = @Sendable () throws -> Handling

/// Checks a request by its head, before its body is read.
///
/// The check runs on the connection's thread and must not block. Its errors are passed to `errorResponse`.
package typealias HeadCheckpoint = @Sendable (Request) throws -> Void
