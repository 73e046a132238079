package import Accounts
internal import Crypto
internal import JSON
internal import Synchronization
package import Tokens

/// Makes and verifies ID tokens (contract, 2.2).
package final class IDTokens: Sendable {
    /// The life of an ID token, in seconds.
    package static let life: Int64 = 3600

    package let issuer: String
    let audience: String
    /// Whether tokens have no signature, and those of others need none.
    ///
    /// Only in development (``Configuration/TokenForm``).
    private let isUnsigned: Bool
    private let verifier: IDTokenVerifier
    private let keys: Mutex<KeySet>
    private let verified = VerifiedTokens()

    /// Signs with the given keys until they are replaced, or makes tokens without a signature.
    package init(issuer: String, audience: String, keys: KeySet, form: Configuration.TokenForm = .signed) {
        self.issuer = issuer
        self.audience = audience
        isUnsigned = form == .unsigned
        verifier = IDTokenVerifier(issuer: issuer, audience: audience, longestAhead: Self.longestAhead)
        self.keys = Mutex(keys)
    }

    /// The number of seconds that another node's clock, or its estimate of the database's clock, may be ahead of this
    /// node's.
    static let longestAhead: Int64 = 10

    /// The current keys: the one that signs, and those that verify.
    package var keySet: KeySet { keys.withLock { $0 } }

    /// Replaces the keys.
    ///
    /// If the published keys differ from the previous ones, the cache of verified tokens is emptied.
    package func use(_ keySet: KeySet) {
        let areOthers = keys.withLock { keys in
            defer { keys = keySet }
            return keys.jwks != keySet.jwks
        }
        if areOthers { verified.forget() }
    }

    /// Makes an ID token for a session, with the session's last use as its time of issue.
    package func sign(_ user: User, session: Session, identities: [Identity]) throws -> String {
        let issuedAt = session.lastUsedAt / 1000
        var claims = JSONWriter(capacity: 640)
        claims.beginObject()
        let custom = Self.customClaims(of: user, session)
        for claim in custom.members where !Self.own.contains(claim.name) { claims.member(claim.name, claim.value) }
        claims.member("iss", issuer)
        claims.member("aud", audience)
        claims.member("auth_time", session.authTime)
        claims.member("user_id", user.uid)
        claims.member("sub", user.uid)
        claims.member("sid", session.sid)
        claims.member("iat", issuedAt)
        claims.member("exp", issuedAt + Self.life)
        if custom["name"] == nil { claims.member("name", user.displayName) }
        if custom["picture"] == nil { claims.member("picture", user.photoURL) }
        if session.provider == .anonymous { claims.member("provider_id", "anonymous") }
        if let email = user.email {
            claims.member("email", email)
            claims.member("email_verified", user.emailVerifiedAt != nil)
        }
        writeFirebase(user, session: session, identities: identities, to: &claims)
        claims.endObject()
        return try token(claims.bytes, with: keySet)
    }

    /// Makes a session cookie (contract, 3.15) in the form of the ID tokens.
    ///
    /// - Parameters:
    ///   - claims: all claims of the cookie.
    ///   - keys: the keys of which one signs it.
    func makeCookie(_ claims: JSONObject, keys: KeySet) throws -> String {
        try token(JSONValue.object(claims).serialized(), with: keys)
    }

    private func token(_ claims: [UInt8], with keys: KeySet) throws -> String {
        isUnsigned ? JWT.makeUnsecured(claims) : try JWT.sign(claims, with: keys.signer)
    }

    private func writeFirebase(
        _ user: User,
        session: Session,
        identities: [Identity],
        to claims: inout JSONWriter
    ) {
        claims.beginObject("firebase")
        claims.beginObject("identities")
        if let email = user.email {
            claims.beginArray("email")
            claims.element(email)
            claims.endArray()
        }
        for identity in identities {
            claims.beginArray(identity.provider)
            claims.element(identity.subject)
            claims.endArray()
        }
        claims.endObject()
        claims.member("sign_in_provider", session.provider.rawValue)
        claims.endObject()
    }

    /// The claims that an operator cannot set, because the server sets or omits them.
    private static let own: Set<String> = [
        "iss", "aud", "auth_time", "user_id", "sub", "sid", "iat", "exp", "provider_id", "email", "email_verified",
        "phone_number", "firebase",
    ]

    /// The operator's claims for a token: those set on the user, overridden by those of the session's custom token
    /// (contract, 2.2).
    ///
    /// In the token they override `name` and `picture`, but none of the server's other claims.
    private static func customClaims(of user: User, _ session: Session) -> JSONObject {
        var claims = JSONObject()
        for text in [user.customAttributes, session.claims] {
            guard let text, let object = try? JSONValue.parse(text).object else { continue }
            if claims.isEmpty {
                claims = object
            } else {
                for claim in object.members { claims[claim.name] = claim.value }
            }
        }
        return claims
    }

    /// Verifies the signature, issuer, audience and other claims of an ID token, which may have expired.
    ///
    /// - Parameters:
    ///   - token: the compact JWS.
    ///   - now: seconds since 1970.
    /// - Throws: ``Refusal`` INVALID_ID_TOKEN; `CryptoError` if the token could not be checked. An expired token is not
    ///   an error here; the result reports it.
    package func verify(_ token: String, at now: Int64) throws -> PresentedToken {
        if isUnsigned, let claims = JWT.unsecuredClaims(of: token) {
            return try presented(verifier.judge(claims, now: now))
        }
        let digest = try sha256([UInt8](token.utf8))
        if let known = verified.find(digest, at: now) { return known }
        // Read before the keys: if the keys change meanwhile, a token verified with the old ones is not cached.
        let keys = verified.keys
        let verdict = try verifier.verify(token, keys: keySet.verificationKeys, now: now)
        let token = try presented(verdict)
        if case .valid(let claims) = verdict {
            verified.record(digest, .init(token: token, expiresAt: claims.expiresAt), checkedUnder: keys)
        }
        return token
    }

    private func presented(_ verdict: IDTokenVerifier.Verdict) throws -> PresentedToken {
        switch verdict {
        case .valid(let claims): return try Refusal.ofValid { try presented(claims, isExpired: false) }
        case .expired(let claims): return try Refusal.ofValid { try presented(claims, isExpired: true) }
        case .invalid(.signature): throw Refusal(.invalidIDToken)
        case .invalid: throw Refusal(.invalidIDToken).ofValid()
        }
    }

    private func presented(_ claims: IDTokenVerifier.Claims, isExpired: Bool) throws -> PresentedToken {
        guard let sid = claims.all["sid"]?.string, let authTime = claims.all["auth_time"]?.int64,
            let provider = claims.all["firebase"]?["sign_in_provider"]?.string
        else { throw Refusal(.invalidIDToken) }
        return PresentedToken(
            uid: claims.subject,
            sid: sid,
            issuedAt: claims.issuedAt,
            authTime: authTime,
            provider: SignInProvider(rawValue: provider),
            isExpired: isExpired
        )
    }
}

extension PresentedToken {
    /// The token's `exp`: the first second since 1970 at which it is no longer valid.
    var expiry: Int64 { issuedAt + IDTokens.life }
}
