internal import Accounts
internal import Crypto
internal import HTTPServer

/// Who makes an Identity Toolkit call (contract, 1.2).
enum Caller: Sendable {
    /// Anyone with an API key.
    case client
    /// The operator's back end by a key, or an administrator by their own ID token.
    case administrator(PresentedToken?)

    var isAdministrator: Bool {
        if case .administrator = self { true } else { false }
    }
}

extension Services {
    /// Decides who is calling.
    ///
    /// - Throws: ``RequestError`` `badBearer`, `missingAPIKey` or `invalidAPIKey`; ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER for a wrong bearer
    ///   from a client that has used up its failures. The right key and an administrator's own token always pass.
    func caller(of request: Request) throws -> Caller {
        if let token = bearer(of: request) {
            if mayBeOwner(request), token.lowercased() == "owner" { return .administrator(nil) }
            if isAdministrator(token) { return .administrator(nil) }
            if let presented = try administratorsToken(token) { return .administrator(presented) }
            try countWrongBearer(token, of: request)
            throw RequestError.badBearer
        }
        try checkAPIKey(request)
        return .client
    }

    /// Counts a bearer that is not accepted, unless it is an ID token with a good signature.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER.
    private func countWrongBearer(_ token: String, of request: Request) throws {
        let client = request.clientAddress, now = clock()
        failureTrace.record(.refusedKey, from: client, at: now)
        guard !isSigned(idToken: token) else { return }
        try bearerLimiter.use(client, at: now)
    }

    /// Whether `Bearer owner` is all that an administrator has to say: in development, and on the admin listener.
    private func mayBeOwner(_ request: Request) -> Bool {
        configuration.mode == .development || request.listener == .admin
    }

    private func checkAPIKey(_ request: Request) throws {
        let header = request.header("x-goog-api-key").flatMap { $0.isEmpty ? nil : $0 }
        guard let key = header ?? request.queryValue("key"), !key.isEmpty else { throw RequestError.missingAPIKey }
        guard configuration.apiKeys.isEmpty || configuration.apiKeys.contains(key) else {
            failureTrace.record(.refusedKey, from: request.clientAddress, at: clock())
            throw RequestError.invalidAPIKey
        }
    }

    /// The body of a call, once its caller may make it.
    ///
    /// - Throws: ``RequestError``, or ``Refusal`` INSUFFICIENT_PERMISSION for a client that names a project.
    func body(of request: Request) throws -> RequestBody {
        let caller = try caller(of: request)
        let body = try RequestBody(request)
        if !caller.isAdministrator, body.has("targetProjectId") {
            throw Refusal(
                .insufficientPermission,
                detail: "Only authenticated requests can specify target_project_id."
            )
        }
        return body
    }

    /// The token of an `Authorization: Bearer` header; other schemes are ignored, as the contract says.
    func bearer(of request: Request) -> String? {
        guard let header = request.header("authorization"), header.utf8.count > 7,
            header.prefix(7).lowercased() == "bearer "
        else { return nil }
        return String(header.dropFirst(7))
    }

    /// Whether a bearer is the key of the operator's back end.
    func isAdministrator(_ token: String) -> Bool {
        if configuration.mode == .development {
            return token.hasPrefix("ya29.")
        }
        guard let key = configuration.adminKey else { return false }
        return constantTimeEqual([UInt8](token.utf8), [UInt8](key.utf8))
    }
}
