internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/projects/{project}:createSessionCookie`: what an app's back end may keep in a cookie instead of ID tokens
/// (contract, 3.15).
///
/// It says what the ID token says, under an issuer of its own, so that neither is ever taken for the other. Ending the
/// session does not end it: back ends ask for the user where that matters.
struct CreateSessionCookie: WritingEndpoint {
    struct Input: Sendable {
        let token: PresentedToken
        /// What the ID token says.
        let claims: JSONObject
        /// Seconds.
        let life: Int64
        /// The keys of this moment, so that the key that signs is the one that is kept.
        let keys: KeySet
    }

    struct Outcome: Sendable {
        let input: Input
        /// Seconds since 1970.
        let issuedAt: Int64
    }

    let services: Services

    /// The shortest life of a cookie, in seconds.
    static let shortestLife: Int64 = 300
    /// The longest life of a cookie without the setting, which is also the longest that Admin SDKs ask for; in milliseconds.
    static let usualLongestLife: Int64 = 14 * 86_400_000

    func decode(_ request: Request) throws -> Input {
        // A cookie may live for two weeks, so an administrator who asks for one must have signed in recently.
        let body = try services.administratorsBody(of: request, changing: true)
        guard let text = try body.nonEmptyString("idToken", limit: JWT.maximumLength) else {
            throw Refusal(.missingIDToken)
        }
        let longestLife = services.configuration.sessionCookieLife / 1000
        let life = try body.int64("validDuration") ?? longestLife
        guard life >= Self.shortestLife, life <= longestLife else { throw Refusal(.invalidDuration) }
        let token = try services.idTokens.verify(text, at: services.clock() / 1000)
        guard let claims = JWT.unverifiedClaims(of: text) else { throw Refusal(.invalidIDToken) }
        return Input(token: token, claims: claims, life: life, keys: services.idTokens.keySet)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        _ = try services.flows.authenticate(input.token, in: transaction)
        let issuedAt = transaction.now / 1000
        // To the full hour, so that few cookies write.
        let hour: Int64 = 3_600_000
        let end = (issuedAt + input.life) * 1000
        try transaction.keepSigningKey(input.keys.signer.keyID, untilCookiesEnd: end - end % hour + hour)
        return Outcome(input: input, issuedAt: issuedAt)
    }

    func render(_ outcome: Outcome) throws -> Response {
        var claims = outcome.input.claims
        claims["iss"] = .string(services.idTokens.cookieIssuer)
        claims["iat"] = .number(JSONNumber(outcome.issuedAt))
        claims["exp"] = .number(JSONNumber(outcome.issuedAt + outcome.input.life))
        let cookie = try JWT.sign(JSONValue.object(claims).serialized(), with: outcome.input.keys.signer)
        services.log(
            "cookie.created",
            uid: outcome.input.token.uid,
            isAnonymous: outcome.input.token.provider == .anonymous
        )
        var json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.member("sessionCookie", cookie)
        json.endObject()
        return .json(json.bytes)
    }
}

extension IDTokens {
    /// `iss` of session cookies.
    var cookieIssuer: String { Configuration.cookieIssuers + audience }
}
