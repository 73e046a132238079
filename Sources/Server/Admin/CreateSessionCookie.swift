internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/projects/{project}:createSessionCookie`: makes a token that an app's back end can store in a cookie
/// instead of ID tokens (contract, 3.15).
///
/// The cookie has the claims of the ID token, but its own time of issue and expiry, and another issuer, so that neither
/// is ever accepted as the other. Ending the session does not invalidate the cookie. A back end for which that matters
/// looks up the user or the session (``FindUserSession``).
struct CreateSessionCookie: WritingEndpoint {
    struct Input: Sendable {
        let token: PresentedToken
        /// The claims of the ID token.
        let claims: JSONObject
        /// The life of the cookie, in seconds.
        let life: Int64
        /// The keys when the call was decoded: the transaction records that the signing key must be kept, and rendering
        /// signs with it.
        let keys: KeySet
    }

    struct Outcome: Sendable {
        let input: Input
        /// The cookie's time of issue, in seconds since 1970.
        let issuedAt: Int64
    }

    let services: Services

    /// The shortest life of a cookie, in seconds.
    static let shortestLife: Int64 = 300
    /// The longest life of a cookie, in milliseconds, if the operator does not set another one.
    ///
    /// It is also the longest life that Admin SDKs request.
    static let usualLongestLife: Int64 = 14 * 86_400_000

    func decode(_ call: AuthorizedRequest) throws -> Input {
        // A cookie may be valid for two weeks, so an administrator who requests one must have signed in recently.
        let body = try services.administratorsBody(of: call, changing: true)
        guard let text = try body.nonEmptyString("idToken", limit: JWT.maximumLength) else {
            throw Refusal(.missingIDToken)
        }
        let longestLife = services.configuration.sessionCookieLife / 1000
        let life = try body.int64("validDuration") ?? longestLife
        guard life >= Self.shortestLife, life <= longestLife else {
            throw Refusal(
                .invalidDuration,
                detail: "validDuration must be from \(Self.shortestLife) to \(longestLife) seconds."
            )
        }
        let token = try services.idTokens.verify(text, at: services.clock() / 1000)
        guard let claims = JWT.unverifiedClaims(of: text) else { throw Refusal(.invalidIDToken) }
        return Input(token: token, claims: claims, life: life, keys: services.idTokens.keySet)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        _ = try services.flows.authenticate(input.token, in: transaction)
        let issuedAt = transaction.now / 1000
        // Rounded up to the full hour, so that few cookies cause a write.
        let hour: Int64 = 3_600_000
        let end = (issuedAt + input.life) * 1000
        try transaction.keepSigningKey(input.keys.signer.keyID, untilCookiesEnd: end - end % hour + hour)
        return Outcome(input: input, issuedAt: issuedAt)
    }

    func committed(_ outcome: Outcome, of call: CallContext) {
        services.log(
            "cookie.created",
            uid: outcome.input.token.uid,
            isAnonymous: outcome.input.token.provider == .anonymous
        )
    }

    func render(_ outcome: Outcome) throws -> Response {
        var claims = outcome.input.claims
        claims["iss"] = .string(services.idTokens.cookieIssuer)
        claims["iat"] = .number(JSONNumber(outcome.issuedAt))
        claims["exp"] = .number(JSONNumber(outcome.issuedAt + outcome.input.life))
        let cookie = try services.idTokens.makeCookie(claims, keys: outcome.input.keys)
        var json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.member("sessionCookie", cookie)
        json.endObject()
        return .json(json.bytes)
    }
}

extension IDTokens {
    /// The `iss` claim of session cookies: a fixed prefix (``Configuration/cookieIssuers``) and the project's ID.
    var cookieIssuer: String { Configuration.cookieIssuers + audience }
}
