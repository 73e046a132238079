/// How a handler goes on.
package enum Handling: Sendable {
    /// Answered at once, in the connection's own thread: the fastest.
    case response(Response)
    /// The connection waits while another thread works. The closure starts that work and returns; whoever finishes calls
    /// `resume`, from any thread and at any time, even before the closure returned.
    case suspended(@Sendable (Resumption) -> Void)
    /// The connection waits for a Swift task, for the few that wait for others. What is thrown reaches `errorResponse`.
    case async(@Sendable () async throws -> Response)
    /// Status and header fields now, the body bit by bit. The closure gets the writer once the head is on its way, and may
    /// keep it and use it from any thread. The head's own body is not sent.
    case stream(Response, @Sendable (StreamWriter) -> Void)

    /// The connection waits for a Swift task that finds out how to go on.
    package static func awaiting(_ work: @escaping @Sendable () async throws -> Continuation) -> Handling {
        .suspended { resumption in
            Task {
                do {
                    resumption.proceed(try await work())
                } catch {
                    resumption.resume { throw error }
                }
            }
        }
    }
}

/// What answers a route.
///
/// It runs in the connection's thread and must not wait; what it throws reaches `errorResponse`.
package typealias Handler = @Sendable (Request) throws -> Handling

/// The next step of a request, run in its connection's thread.
package typealias Continuation = @Sendable () throws -> Handling

/// What judges a request by its head, before its body is read.
///
/// It runs in the connection's thread and must not wait; what it throws reaches `errorResponse`.
package typealias HeadCheckpoint = @Sendable (Request) throws -> Void
