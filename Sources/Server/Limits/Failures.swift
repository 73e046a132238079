internal import Accounts
internal import HTTPServer
internal import Network

extension Services {
    /// Runs the step of a call that reads the request and verifies the signatures of its credentials.
    ///
    /// A refusal is counted for the log. In a guarded call, a refusal because of a bad signature also counts against
    /// the client, unless the call presents another valid credential. Valid means a good signature, whatever the age or
    /// state of the credential. The refusals of later steps therefore never count against the client: these steps run
    /// only after every credential of the call was found to have a good signature.
    ///
    /// - Parameters:
    ///   - request: the call.
    ///   - isGuarded: whether bad signatures count against the client, as guesses.
    ///   - step: decodes the request.
    /// - Throws: what the step throws; ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER in place of a counted refusal if the
    ///   client has used up its failures.
    func judging<Value>(_ request: Request, guarded isGuarded: Bool, _ step: () throws -> Value) throws -> Value {
        do { return try step() } catch let refusal as Refusal { throw judge(refusal, of: request, guarded: isGuarded) }
    }

    /// Counts a refusal of a call that was refused before its transaction, for the log and perhaps against the client
    /// (``judging(_:guarded:_:)``), and returns the refusal to send.
    ///
    /// The result is TOO_MANY_ATTEMPTS_TRY_LATER in place of `refusal` if the refusal counts against the client and the
    /// client has used up its failures.
    func judge(_ refusal: Refusal, of request: Request, guarded isGuarded: Bool) -> Refusal {
        let client = request.clientAddress
        let now = clock()
        failureTrace.record(refusal, from: client, at: now)
        guard isGuarded, Self.guesses.contains(refusal.code), !refusal.isOfValid, !presentsValid(request) else {
            return refusal
        }
        do {
            try limiters.failures.use(client, at: now)
            return refusal
        } catch {
            guard let limited = error as? Refusal else { return refusal }
            failureTrace.record(limited, from: client, at: now)
            return limited
        }
    }

    /// Counts a link with a bad signature when the response is a page and not an error: for the log, and against the
    /// client unless the request presents another valid credential.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER if the client has used up its failures.
    func countBadLink(of request: Request) throws {
        let client = request.clientAddress, now = clock()
        failureTrace.record(.badLink, from: client, at: now)
        guard !presentsValid(request) else { return }
        try limiters.failures.use(client, at: now)
    }

    /// The codes of the refusals that a bad signature may cause.
    ///
    /// Those of a credential with a good signature have `isOfValid` set.
    private static let guesses: Set<Code> = [
        .invalidOobCode, .invalidTicket, .invalidRefreshToken, .invalidIDToken, .invalidIdPResponse,
        .invalidCustomToken, .credentialMismatch, .invalidFirebaseToken,
    ]
}
