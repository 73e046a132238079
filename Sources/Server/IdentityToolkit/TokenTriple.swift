internal import Accounts
internal import HTTPServer
internal import JSON
internal import Tokens

extension Services {
    /// Makes the response to a sign-in: the members of the particular call, then ID token, refresh token and the ID
    /// token's life (contract, 2.3).
    func respond(
        kind: String,
        to signedIn: SignedIn,
        _ members: (inout JSONWriter) -> Void
    ) throws -> Response {
        var json = JSONWriter(capacity: 1536)
        json.beginObject()
        json.member("kind", "identitytoolkit#\(kind)")
        members(&json)
        try writeTokens(of: signedIn.session, user: signedIn.user, identities: signedIn.identities, to: &json)
        json.endObject()
        return .json(json.bytes)
    }

    /// Signs a new ID token, and writes `idToken`, `refreshToken` and `expiresIn`.
    func writeTokens(
        of session: Session,
        user: User,
        identities: [Identity],
        to json: inout JSONWriter
    ) throws {
        json.member("idToken", try idTokens.sign(user, session: session, identities: identities))
        json.member("refreshToken", try refreshToken(of: session.sid, generation: session.generation))
        json.member("expiresIn", String(IDTokens.life))
    }

    /// Makes the refresh token of a session, as the client receives it.
    func refreshToken(of sid: String, generation: Int64) throws -> String {
        guard let id = TokenID(text: sid) else { throw Refusal(.invalidRefreshToken) }
        return try RefreshToken.make(session: id, generation: generation, secrets: secrets)
    }

    /// Makes the values of the new session that a sign-in may open, with a random session ID.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - namesClient: whether the sign-in may prove or use an e-mail address, so that the client is recorded as known
    ///     to that address.
    func opening(for request: Request, namesClient: Bool = false) throws -> SessionOpening {
        SessionOpening(
            sid: try TokenID.random().text,
            rotates: rotates(request),
            client: namesClient ? try clientHash(of: request) : nil,
            device: deviceName(of: request),
            network: networkLabel(of: request)
        )
    }
}
