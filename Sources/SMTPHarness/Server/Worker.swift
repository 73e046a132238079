internal import Glibc

/// Starts threads for blocking work, which must not block Swift's cooperative pool.
enum Worker {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a detached thread.
    ///
    /// - Throws: when the system has no thread left.
    static func start(_ run: @escaping @Sendable () -> Void) throws(SMTPServerError) {
        // Retained here, released by the thread, or here when there is none.
        let body = unsafe Unmanaged.passRetained(Body(run))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread,
            nil,
            { argument in
                pthread_detach(pthread_self())
                if let argument = unsafe argument {
                    unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            },
            body.toOpaque()
        )
        guard code == 0 else {
            unsafe body.release()
            throw .system(call: "pthread_create", errno: code, reason: unsafe String(cString: strerror(code)))
        }
    }
}
