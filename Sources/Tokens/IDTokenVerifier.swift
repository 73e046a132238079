package import Crypto
package import JSON

/// Verifies ID tokens (OpenID Connect Core section 3.1.3.7) of one issuer for one audience: signature, then claims.
package struct IDTokenVerifier: Sendable {
    /// The reason why the claims of a token cannot be trusted, not even to identify a user.
    package enum Refusal: Sendable, Equatable {
        /// The text is no JWT, or none of the known keys has signed it; the error says which.
        case signature(JWTError)
        /// `iss` is not the issuer.
        case issuer
        /// `aud` is not the audience, or names others besides it.
        case audience
        /// No `sub`, or an empty one.
        case subject
        /// `exp` or `iat` is missing, `exp`, `iat` or `nbf` is not an integer, `exp` is negative, or `iat` or `nbf` is
        /// further in the future than ``IDTokenVerifier/longestAhead``.
        case times
    }

    /// The claims of a token whose signature, issuer and audience were verified.
    package struct Claims: Sendable, Equatable {
        /// `sub`, never empty.
        package let subject: String
        /// `iat`, in seconds since 1970.
        package let issuedAt: Int64
        /// `exp`, in seconds since 1970.
        ///
        /// The token is valid before this second plus the verifier's leeway.
        package let expiresAt: Int64
        /// All claims, including those above.
        package let all: JSONObject
    }

    /// The result of verifying a token.
    package enum Verdict: Sendable, Equatable {
        /// The token is valid by its signature and claims. Of one of the server's own tokens, the caller must still
        /// check the session.
        case valid(Claims)
        /// The token is valid except that its `exp` plus the leeway has passed. It identifies the user, but must never
        /// grant access.
        case expired(unverifiedExpiry: Claims)
        /// The token must not be trusted at all, not even to identify a user.
        case invalid(Refusal)
    }

    /// The required `iss`, compared byte by byte.
    package let issuer: String
    /// The required `aud`, compared byte by byte.
    package let audience: String
    /// How long after `exp` a token is still valid, in seconds, because the issuer's clock may differ; 0 for the
    /// server's own tokens.
    package let leeway: Int64
    /// How far in the future `iat` and `nbf` may be, in seconds.
    ///
    /// Nodes of one issuer agree about the time, but not to the millisecond.
    package let longestAhead: Int64

    /// Creates a verifier for one issuer and one audience; `longestAhead` is `leeway` unless given.
    package init(issuer: String, audience: String, leeway: Int64 = 0, longestAhead: Int64? = nil) {
        self.issuer = issuer
        self.audience = audience
        self.leeway = leeway
        self.longestAhead = longestAhead ?? leeway
    }

    /// Verifies an untrusted text.
    ///
    /// - Parameters:
    ///   - text: any text.
    ///   - keys: the issuer's keys.
    ///   - now: seconds since 1970.
    /// - Returns: the verified or expired claims, or the reason for the rejection.
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

    /// Checks the issuer, audience, subject and times of a token whose signature was verified.
    ///
    /// - Parameters:
    ///   - claims: all claims of the token.
    ///   - now: seconds since 1970.
    /// - Returns: the valid or expired claims, or the reason for the rejection.
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

    /// Whether an `aud` claim is ``audience``, as a string or alone in an array.
    ///
    /// A token for several parties is rejected.
    private func isForUs(_ claim: JSONValue?) -> Bool {
        claim == .string(audience) || claim == .array([.string(audience)])
    }

    private func isFuture(_ time: Int64, _ now: Int64) -> Bool {
        // The claim may be any number. An overflow counts as far in the future or past, and never traps.
        let (latest, overflow) = now.addingReportingOverflow(longestAhead)
        return !overflow && time > latest
    }

    private func isPast(_ time: Int64, _ now: Int64) -> Bool {
        let (end, overflow) = time.addingReportingOverflow(leeway)
        return !overflow && now >= end
    }
}
