package import Crypto
package import JSON

/// Checks custom tokens: what the operator's back end signs with the key of a service account, to say who a user is.
package struct CustomTokenVerifier: Sendable {
    /// What is wrong with a token.
    package enum Refusal: Error, Sendable, Equatable {
        /// `iss` is no account that is known.
        case unknownAccount
        /// No token that the account signed.
        case signature(JWTError)
        /// Not a custom token: `aud` is something else, or `sub` is not the account.
        case audience
        /// Too old, not good yet, or good for longer than an hour.
        case times
    }

    /// What `aud` is.
    package static let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
    /// The longest life, in seconds.
    static let longestLife: Int64 = 3600
    /// By how many seconds the back end's clock may differ from ours.
    static let leeway: Int64 = 60

    private let keys: [String: [VerificationKey]]

    /// Takes the keys of each account, by its e-mail address.
    package init(keys: [String: [VerificationKey]]) {
        self.keys = keys
    }

    /// Whether no account is known.
    package var isEmpty: Bool { keys.isEmpty }

    /// Checks a text that came from outside.
    ///
    /// - Parameters:
    ///   - text: anything.
    ///   - now: seconds since 1970.
    /// - Returns: the claims; whom they are about is for the caller to say.
    /// - Throws: what is wrong.
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
