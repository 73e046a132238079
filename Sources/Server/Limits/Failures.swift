internal import Accounts
internal import HTTPServer
internal import Network

extension Services {
    /// Runs the step of a call that reads the request and checks the signatures of what it presents.
    ///
    /// A refusal is recorded in the log's counts. In a guarded call, a refusal of something with a bad signature also counts
    /// against the client, unless the call presents something else that is valid. Valid means a good signature, whatever the
    /// age or state of what has it. The refusals of the later steps are therefore never counted against the client: these
    /// steps run only after everything that the call presents was found to have a good signature.
    ///
    /// - Parameters:
    ///   - request: the call.
    ///   - isGuarded: whether bad signatures count against the client, as guesses.
    ///   - step: decodes the request.
    /// - Throws: what the step throws; ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER in place of a counted refusal where the client
    ///   has used up its failures.
    func judging<Value>(_ request: Request, guarded isGuarded: Bool, _ step: () throws -> Value) throws -> Value {
        do { return try step() } catch let refusal as Refusal { throw judge(refusal, of: request, guarded: isGuarded) }
    }

    /// What a call is answered that was refused before its transaction.
    func judge(_ refusal: Refusal, of request: Request, guarded isGuarded: Bool) -> Refusal {
        let client = request.clientAddress
        let now = clock()
        failureTrace.record(refusal, from: client, at: now)
        guard isGuarded, Self.guesses.contains(refusal.code), !refusal.isOfValid, !presentsValid(request) else {
            return refusal
        }
        do {
            try failureLimiter.use(client, at: now)
            return refusal
        } catch {
            guard let limited = error as? Refusal else { return refusal }
            failureTrace.record(limited, from: client, at: now)
            return limited
        }
    }

    /// Counts a link with a bad signature whose answer is a page and no error.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER.
    func countBadLink(of request: Request) throws {
        let client = request.clientAddress, now = clock()
        failureTrace.record(.badLink, from: client, at: now)
        guard !presentsValid(request) else { return }
        try failureLimiter.use(client, at: now)
    }

    /// The codes of a bad signature.
    private static let guesses: Set<Code> = [
        .invalidOobCode, .invalidTicket, .invalidRefreshToken, .invalidIDToken, .invalidIdPResponse,
        .invalidCustomToken, .credentialMismatch, .invalidFirebaseToken,
    ]
}
