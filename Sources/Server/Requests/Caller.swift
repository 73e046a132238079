internal import Accounts
internal import Crypto
internal import Database
internal import HTTPServer

/// The caller of an Identity Toolkit call (contract, 1.2).
enum Caller: Sendable {
    /// A client with an API key and without a bearer.
    case client
    /// The operator's back end with the admin key, or an administrator with their own ID token, which is then the
    /// value.
    ///
    /// The value is `nil` for the admin key, for `Bearer owner`, and in development for a token that begins with
    /// `ya29.`. Whether an administrator may only look, the role says.
    case administrator(PresentedToken?, AdministratorRole)

    var isAdministrator: Bool {
        if case .administrator = self { true } else { false }
    }
}

/// A request whose API key or bearer was checked, with its caller.
struct AuthorizedRequest: Sendable {
    let request: Request
    let caller: Caller
}

/// What the head of a request says about its caller, without reading the database.
private enum Claim {
    case proven(Caller)
    /// A bearer that is an ID token of this server. Only the database can tell whether its user is an administrator.
    case idToken(PresentedToken)
}

extension Services {
    /// Determines the caller of a request, and passes both to a closure.
    ///
    /// Reads the database only if the bearer is an ID token.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - isGuarded: as in ``judging(_:guarded:_:)``; `nil` if refusals of the caller are not counted.
    ///   - next: handles the authorized request, on the HTTP thread.
    /// - Throws: ``RequestError`` `badBearer`, `missingAPIKey` or `invalidAPIKey`; ``Refusal``
    ///   TOO_MANY_ATTEMPTS_TRY_LATER for a wrong bearer from a client that has used up its failures. The correct key
    ///   and an administrator's own token are always accepted.
    func authorize(
        _ request: Request,
        guarded isGuarded: Bool?,
        then next: @escaping @Sendable (AuthorizedRequest) throws -> Handling
    ) throws -> Handling {
        @Sendable
        func judged<Value>(_ step: () throws -> Value) throws -> Value {
            guard let isGuarded else { return try step() }
            return try judging(request, guarded: isGuarded, step)
        }
        switch try judged({ try claim(of: request) }) {
        case .proven(let caller):
            return try next(AuthorizedRequest(request: request, caller: caller))
        case .idToken(let token):
            return try reading("Caller") { [flows] in
                try flows.administratorRole(of: token, in: $0)
            } then: { result in
                let caller = try judged { try self.caller(token, result.get(), of: request) }
                return try next(AuthorizedRequest(request: request, caller: caller))
            }
        }
    }

    /// Returns a handler that determines the caller and passes the authorized request to a closure, for calls that are
    /// no ``Endpoint``.
    func authorized(_ handler: @escaping @Sendable (AuthorizedRequest) throws -> Handling) -> Handler {
        { request in try self.authorize(request, guarded: nil, then: handler) }
    }

    /// Determines the caller by the head of a request, before its body is received.
    ///
    /// This method must not wait, so it never asks a PostgreSQL database: with PostgreSQL, an ID token is checked
    /// against the administrators that this node last read. The call itself determines its caller again.
    ///
    /// - Throws: as ``authorize(_:guarded:then:)`` does.
    func callerByHead(of request: Request) throws -> Caller {
        switch try claim(of: request) {
        case .proven(let caller): return caller
        case .idToken(let token):
            let role =
                try database.isLocal
                ? database.readNow(snapshot: false) { try flows.administratorRole(of: token, in: $0) }
                : lastRole(of: token.uid)
            return try caller(token, role, of: request)
        }
    }

    private func claim(of request: Request) throws -> Claim {
        guard let bearer = bearer(of: request) else {
            try checkAPIKey(request)
            return .proven(.client)
        }
        if mayBeOwner(request), bearer.lowercased() == "owner" { return .proven(.administrator(nil, .full)) }
        if isAdministrator(bearer) { return .proven(.administrator(nil, .full)) }
        if let token = try? idTokens.verify(bearer, at: clock() / 1000) { return .idToken(token) }
        throw try wrongBearer(bearer, of: request)
    }

    /// Returns the caller whose bearer is this ID token.
    ///
    /// - Throws: the error for a wrong bearer unless its user is an administrator.
    private func caller(
        _ token: PresentedToken,
        _ role: AdministratorRole?,
        of request: Request
    ) throws -> Caller {
        guard let role else { throw try wrongBearer(bearer(of: request) ?? "", of: request) }
        return .administrator(token, role)
    }

    /// Records a rejected bearer for the log, and counts it against the client unless it is an ID token with a valid
    /// signature.
    ///
    /// - Returns: the error for the client.
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER if the client has used up its failures.
    private func wrongBearer(_ bearer: String, of request: Request) throws -> RequestError {
        let client = request.clientAddress, now = clock()
        failureTrace.record(.refusedKey, from: client, at: now)
        if !isSigned(idToken: bearer) { try limiters.bearers.use(client, at: now) }
        return .badBearer
    }

    /// Whether `Bearer owner` suffices for an administrator: in development, and on the admin listener.
    private func mayBeOwner(_ request: Request) -> Bool {
        configuration.mode == .development || request.listener == .admin
    }

    /// Returns the administrator who presented no ID token, as the audit log names them.
    ///
    /// The holder of the key may name a person or a program in `X-Latchkey-Actor`. Nothing proves the name.
    ///
    /// - Throws: ``RequestError`` for a name that is empty, too long, or not of a single line.
    func keyHolder(_ request: Request) throws -> AuditActor {
        if mayBeOwner(request), bearer(of: request)?.lowercased() == "owner" {
            return AuditActor(.owner, request.peerUser.map { Login.name(of: $0) })
        }
        guard let name = request.header("x-latchkey-actor") else { return AuditActor(.key) }
        guard (1...AuditActor.longestName).contains(name.count), SingleLine.accepts(name) else {
            throw RequestError.schema(
                "X-Latchkey-Actor must have 1 to \(AuditActor.longestName) characters on one line"
            )
        }
        return AuditActor(.key, name)
    }

    private func checkAPIKey(_ request: Request) throws {
        let header = request.header("x-goog-api-key").flatMap { $0.isEmpty ? nil : $0 }
        guard let key = header ?? request.queryValue("key"), !key.isEmpty else {
            throw RequestError.missingAPIKey(
                advice: isForAdministrators(request) ? adviceForAdministrators(request) : nil
            )
        }
        guard configuration.apiKeys.isEmpty || configuration.apiKeys.contains(key) else {
            failureTrace.record(.refusedKey, from: request.clientAddress, at: clock())
            throw RequestError.invalidAPIKey
        }
    }

    /// Parses the body of a call.
    ///
    /// - Throws: ``RequestError``, or ``Refusal`` UNSUPPORTED_TENANT_OPERATION for a call that names a tenant,
    ///   INSUFFICIENT_PERMISSION for a client that names a project.
    func body(of call: AuthorizedRequest) throws -> RequestBody {
        let request = call.request
        let body = try RequestBody(request)
        try body.refuseTenant()
        if !call.caller.isAdministrator, body.has("targetProjectId") {
            throw insufficientPermission("Only authenticated requests can specify target_project_id.", request)
        }
        return body
    }

    /// The token of an `Authorization: Bearer` header; `nil` without the header and for other schemes, which are
    /// ignored (contract, 1.2).
    func bearer(of request: Request) -> String? {
        guard let header = request.header("authorization"), header.utf8.count > 7,
            header.prefix(7).lowercased() == "bearer "
        else { return nil }
        return String(header.dropFirst(7))
    }

    /// Whether a bearer is the admin key; in development, whether it looks like a Google access token (`ya29.…`), as
    /// Admin SDKs send it.
    func isAdministrator(_ token: String) -> Bool {
        if configuration.mode == .development {
            return token.hasPrefix("ya29.")
        }
        guard let key = configuration.adminKey else { return false }
        return constantTimeEqual([UInt8](token.utf8), [UInt8](key.utf8))
    }
}
