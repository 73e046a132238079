package import Crypto
package import JSON

/// Checks ID tokens (OpenID Connect Core section 3.1.3.7) of one issuer for one audience: signature, then claims.
package struct IDTokenVerifier: Sendable {
    /// What is wrong with a token that is not to be trusted at all.
    package enum Refusal: Sendable, Equatable {
        /// Not signed by a known key.
        case signature(JWTError)
        /// `iss` is not the issuer.
        case issuer
        /// `aud` is not the audience.
        case audience
        /// No `sub`, or an empty one.
        case subject
        /// `exp`, `iat` or `nbf` is missing or no integer, or `iat` or `nbf` is in the future.
        case times
    }

    /// The claims every ID token has, and all the others.
    package struct Claims: Sendable, Equatable {
        /// `sub`, never empty.
        package let subject: String
        /// Seconds since 1970.
        package let issuedAt: Int64
        /// Seconds since 1970; the token is good before this second.
        package let expiresAt: Int64
        /// Every claim, those above too.
        package let all: JSONObject
    }

    /// What `verify` found.
    package enum Verdict: Sendable, Equatable {
        /// In order in every respect; whether its session still lives is for the caller to ask.
        case valid(Claims)
        /// Signed by a known key for us and in order, but too old: good to tell whose it was, never to let anyone in.
        case expired(unverifiedExpiry: Claims)
        /// Not to be trusted at all.
        case invalid(Refusal)
    }

    /// What `iss` has to be, byte by byte.
    package let issuer: String
    /// What `aud` has to be, byte by byte.
    package let audience: String
    /// By how many seconds the issuer's clock may differ from ours; 0 for our own tokens.
    package let leeway: Int64
    /// By how many seconds a token may be of the future: nodes of one issuer agree about the time, but not to the millisecond.
    package let longestAhead: Int64

    /// A check for one issuer and one audience.
    package init(issuer: String, audience: String, leeway: Int64 = 0, longestAhead: Int64? = nil) {
        self.issuer = issuer
        self.audience = audience
        self.leeway = leeway
        self.longestAhead = longestAhead ?? leeway
    }

    /// Checks a text that came from outside.
    ///
    /// - Parameters:
    ///   - text: anything.
    ///   - keys: the issuer's.
    ///   - now: seconds since 1970.
    /// - Returns: the claims, or what is wrong.
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package func verify(_ text: String, keys: VerificationKeys, now: Int64) throws(CryptoError) -> Verdict {
        let token: JWT.Signed
        do {
            token = try JWT.verify(text, keys: keys)
        } catch .library(let error) {
            throw error
        } catch {
            return .invalid(.signature(error))
        }
        return judge(token.claims, now: now)
    }

    /// Judges the claims of a token whose signature has been checked.
    package func judge(_ claims: JSONObject, now: Int64) -> Verdict {
        guard claims["iss"] == .string(issuer) else { return .invalid(.issuer) }
        guard isForUs(claims["aud"]) else { return .invalid(.audience) }
        guard let subject = claims["sub"]?.string, !subject.isEmpty else { return .invalid(.subject) }
        guard let issuedAt = claims["iat"]?.int64, let expiresAt = claims["exp"]?.int64, expiresAt >= 0,
            !isFuture(issuedAt, now)
        else { return .invalid(.times) }
        if let notBefore = claims["nbf"] {
            guard let notBefore = notBefore.int64, !isFuture(notBefore, now) else { return .invalid(.times) }
        }
        let found = Claims(subject: subject, issuedAt: issuedAt, expiresAt: expiresAt, all: claims)
        return isPast(expiresAt, now) ? .expired(unverifiedExpiry: found) : .valid(found)
    }

    /// A single audience, as a string or alone in an array; a token for several parties is not for us.
    private func isForUs(_ claim: JSONValue?) -> Bool {
        claim == .string(audience) || claim == .array([.string(audience)])
    }

    private func isFuture(_ time: Int64, _ now: Int64) -> Bool {
        // The claim may be any number: an overflow is far in the future or in the past, never a trap.
        let (latest, overflow) = now.addingReportingOverflow(longestAhead)
        return !overflow && time > latest
    }

    private func isPast(_ time: Int64, _ now: Int64) -> Bool {
        let (end, overflow) = time.addingReportingOverflow(leeway)
        return !overflow && now >= end
    }
}
