#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Auth {
    /// Waits until a ticket is approved on another device, and collects its session.
    ///
    /// The server holds each call until the ticket is approved, for 25 seconds at most. With a server that cannot do
    /// so, the call polls at intervals. It slows down when the server requests it (`Retry-After`) or is unreachable.
    /// Other calls can run meanwhile.
    ///
    /// - Parameters:
    ///   - ticket: ``SignInRequest/ticket``.
    ///   - onConflict: what to do when the ticket's anonymous user would get an address that another user owns.
    ///   - interval: the pause between two polls.
    ///   - timeout: how long to wait; `nil` waits until the server reports that the ticket has expired. A ticket lives
    ///     for ``SignInRequest/expiresIn`` from when its e-mail is sent, a time that this device does not know.
    /// - Returns: the user, and whether it is the ticket's anonymous user.
    /// - Throws: ``AuthError/Code/cancelled`` at once when the task is cancelled. When `timeout` is over, the error of
    ///   the last call: ``AuthError/Code/ticketPending``, ``AuthError/Code/tooManyRequests`` or
    ///   ``AuthError/Code/networkRequestFailed``. In these cases the ticket stays valid. Else as
    ///   ``collect(_:onConflict:)``.
    @discardableResult
    public func waitForApproval(
        of ticket: String,
        onConflict: ConflictPolicy = .error,
        every interval: Duration = .seconds(2),
        timeout: Duration? = nil
    ) async throws(AuthError) -> AuthResult {
        let deadline = timeout.map { ContinuousClock.now + $0 }
        var trouble = interval
        var serverHolds = true
        // How many long waits in a row may still be lost before the client makes them short.
        var attempts = Self.waitAttempts
        while true {
            let pause: Duration
            let failure: AuthError
            let seconds = serverHolds ? Self.wait(until: deadline, isShort: attempts == 0) : nil
            do throws(AuthError) {
                guard let seconds else { return try await collect(ticket, onConflict: onConflict) }
                let start = ContinuousClock.now
                switch try await collect(ticket, onConflict: onConflict, waiting: seconds) {
                case .signedIn(let result): return result
                case .pending(let retryAfter):
                    trouble = interval
                    let hasWaited = ContinuousClock.now - start >= .seconds(seconds) / 2
                    pause = retryAfter ?? (hasWaited && seconds > 1 ? .zero : interval)
                    failure = AuthError(.ticketPending, serverCode: "TICKET_PENDING", retryAfter: retryAfter)
                }
            } catch {
                failure = error
                switch error.code {
                case .ticketPending:
                    serverHolds = false
                    trouble = interval
                    pause = interval
                case .tooManyRequests:
                    trouble = min(trouble * 2, .seconds(30))
                    pause = error.retryAfter ?? trouble
                case _ where error.isTransient:
                    attempts = max(0, attempts - 1)
                    trouble = min(trouble * 2, .seconds(30))
                    pause = trouble
                default:
                    throw error
                }
            }
            if let deadline, ContinuousClock.now + pause >= deadline { throw failure }
            do {
                try await Task.sleep(for: pause)
            } catch {
                throw AuthError(.cancelled)
            }
        }
    }

    /// The result of a held call.
    private enum HeldResult: Sendable {
        case signedIn(AuthResult)
        /// The ticket is still open.
        case pending(retryAfter: Duration?)
    }

    /// The number of seconds for which the server is asked to hold a call.
    private static let longestWait = 25
    /// The number of long waits that may be lost, such as because a proxy breaks them off.
    private static let waitAttempts = 3

    /// Returns for how many seconds the server may hold the next call.
    private static func wait(until deadline: ContinuousClock.Instant?, isShort: Bool) -> Int {
        guard !isShort else { return 1 }
        guard let deadline else { return longestWait }
        return max(1, min(Int(clamping: (deadline - .now).components.seconds), longestWait))
    }

    /// Collects the session of a ticket, in a call that the server holds while the ticket is open.
    ///
    /// Only the answer is handled exclusively, so that other calls run during the wait.
    ///
    /// - Throws: ``AuthError/Code/cancelled`` at once when the task is cancelled; ``AuthError/Code/ticketPending`` from
    ///   a server that holds no calls; else as ``collect(_:onConflict:)``.
    private func collect(
        _ ticket: String,
        onConflict: ConflictPolicy,
        waiting seconds: Int
    ) async throws(AuthError) -> HeldResult {
        let body = TicketBody(ticket: ticket, code: nil, onConflict: onConflict.wireValue, wait: seconds)
        let asked = now()
        let answer: TicketAnswer
        do {
            answer = try await abandonable { [api] () async throws(AuthError) in try await api.wait(body) }
        } catch {
            guard error.code == .emailAlreadyInUse || error.code == .credentialAlreadyInUse else { throw error }
            var error = error
            error.credential = .ticket(ticket)
            throw error
        }
        switch answer {
        case .pending(let retryAfter): return .pending(retryAfter: retryAfter)
        case .session(let response):
            return .signedIn(
                try await exclusively { () async throws(AuthError) -> AuthResult in
                    try await self.begin(response, asked: asked, isLinked: response.linked ?? false)
                }
            )
        }
    }
}

/// Runs work in a task of its own, and stops waiting for it as soon as the calling task is cancelled.
///
/// The work is cancelled then too, but a transport may take a moment to notice, and its answer is dropped.
///
/// - Throws: what `work` throws; ``AuthError/Code/cancelled``.
private func abandonable<T: Sendable>(
    _ work: @escaping @Sendable () async throws(AuthError) -> T
) async throws(AuthError) -> T {
    let (results, continuation) = AsyncStream<Result<T, AuthError>>.makeStream()
    let task = Task {
        do throws(AuthError) {
            continuation.yield(.success(try await work()))
        } catch {
            continuation.yield(.failure(error))
        }
    }
    defer { task.cancel() }
    // The iteration ends at once when the calling task is cancelled.
    for await result in results { return try result.get() }
    throw AuthError(.cancelled)
}
