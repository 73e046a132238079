package import Crypto
package import JSON

/// Verifies custom tokens, which the operator's back end signs with a service account's key to identify a user.
package struct CustomTokenVerifier: Sendable {
    /// The reason to reject a text as a custom token.
    package enum Refusal: Error, Sendable, Equatable {
        /// `iss` is missing, or is not the e-mail address of a known service account.
        case unknownAccount
        /// Not a token signed by the account in `iss`, or OpenSSL failed.
        case signature(JWTError)
        /// Not a custom token: `aud` is not ``audience``, or `sub` is missing or not the account in `iss`.
        case audience
        /// The times do not allow the token now, or are wrong.
        ///
        /// `exp` is ``CustomTokenVerifier/leeway`` ago or longer, `iat` or `nbf` is further ahead than that, `exp` is
        /// before `iat` or more than ``CustomTokenVerifier/longestLife`` after it, `iat` or `exp` is missing, or one of
        /// the three is not an integer.
        case times
    }

    /// The `aud` that a custom token must have, as tokens for Identity Toolkit do.
    package static let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
    /// The longest time from `iat` to `exp`, in seconds.
    static let longestLife: Int64 = 3600
    /// The tolerated difference between the clocks of the back end and the server, in seconds.
    static let leeway: Int64 = 60

    private let keys: [String: [VerificationKey]]

    /// Creates a verifier from the public keys of each service account, by the account's e-mail address.
    package init(keys: [String: [VerificationKey]]) {
        self.keys = keys
    }

    /// Whether the verifier knows no service account, and so rejects every token.
    package var isEmpty: Bool { keys.isEmpty }

    /// Verifies an untrusted text.
    ///
    /// - Parameters:
    ///   - text: any text.
    ///   - now: seconds since 1970.
    /// - Returns: all claims. The caller must still check the UID in `uid` or `user_id`.
    /// - Throws: the reason for the rejection.
    package func verify(_ text: String, now: Int64) throws(Refusal) -> JSONObject {
        let claims: JSONObject
        do {
            claims = try JWT.verify(text) { keys[$0] }
        } catch .unknownKey {
            throw .unknownAccount
        } catch {
            throw .signature(error)
        }
        let account = claims["iss"]?.string ?? ""
        let verifier = IDTokenVerifier(issuer: account, audience: Self.audience, leeway: Self.leeway)
        switch verifier.judge(claims, now: now) {
        case .valid(let token):
            guard claims["sub"] == .string(account) else { throw .audience }
            let (life, overflow) = token.expiresAt.subtractingReportingOverflow(token.issuedAt)
            guard !overflow, (0...Self.longestLife).contains(life) else { throw .times }
            return claims
        case .expired, .invalid(.times): throw .times
        case .invalid: throw .audience
        }
    }
}
