package import Accounts
internal import Crypto
package import JSON
internal import Tokens

/// The verified claims of an identity provider's ID token.
package struct ProviderClaims: Sendable {
    package let subject: String
    /// Every claim, as the provider wrote it.
    package let all: JSONObject
    /// Whether the provider's claim about the user's e-mail address counts as proof, by the settings `trustEmail` and
    /// `emailDomains` and for Google by who runs the mailbox; in development always true.
    package let isEmailTrusted: Bool
    /// The record that makes this token valid for one sign-in only; `nil` in development for a token without a nonce,
    /// which may be used repeatedly.
    package let spends: SpentToken?
}

/// The claims of a provider's token, or a closure that fetches the keys first.
package typealias ProviderVerdict = KeyedResult<ProviderClaims>

/// Verifies the ID tokens of the configured identity providers.
package final class ProviderTokens: Sendable {
    private struct Issuer: Sendable {
        let rules: ProviderRules
        let keys: RemoteKeys
    }

    private let issuers: [String: Issuer]

    /// Makes the verifier without fetching keys.
    ///
    /// - Parameters:
    ///   - configuration: the providers, and the addresses that they may have.
    ///   - clock: milliseconds since 1970, for the age of keys.
    ///   - logger: logs errors.
    package init(_ configuration: Configuration, clock: @escaping @Sendable () -> Int64, logger: Log) {
        var issuers: [String: Issuer] = [:]
        for provider in configuration.providers {
            issuers[provider.id] = Issuer(
                rules: ProviderRules(provider, isDevelopment: configuration.mode == .development),
                keys: RemoteKeys(
                    provider.id,
                    at: .issuer(provider.issuer),
                    configuration,
                    caFile: provider.caFile,
                    clock: clock,
                    logger: logger
                )
            )
        }
        self.issuers = issuers
    }

    /// Verifies an ID token with the provider's cached keys.
    ///
    /// - Parameters:
    ///   - idToken: the unverified token.
    ///   - provider: the provider's id in lower case.
    ///   - nonce: the nonce that the client says it used; `nil` for none.
    ///   - now: seconds since 1970.
    /// - Returns: the claims, or a closure that fetches the keys first and then verifies; it throws the same errors.
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED for a provider that is not configured, INVALID_IDP_RESPONSE,
    ///   MISSING_OR_INVALID_NONCE, PROVIDER_UNAVAILABLE; `CryptoError` if the token could not be checked.
    package func check(
        _ idToken: String,
        of provider: String,
        nonce: String?,
        at now: Int64
    ) throws -> ProviderVerdict {
        guard let issuer = issuers[provider] else {
            throw Refusal(.operationNotAllowed, detail: "The server has no provider of this name configured.")
        }
        do {
            let verdict = try issuer.keys.check(idToken) { keys in
                let token = try JWT.verify(idToken, keys: keys)
                return try Refusal.ofValid {
                    try issuer.rules.claims(of: token, as: idToken, nonce: nonce, at: now)
                }
            }
            guard case .awaitingKeys(let rest) = verdict else { return verdict }
            return .awaitingKeys {
                do { return try await rest() } catch let error as JWTError { throw try Refusal(invalidToken: error) }
            }
        } catch let error as JWTError {
            throw try Refusal(invalidToken: error)
        }
    }
}

extension Refusal {
    /// Creates INVALID_IDP_RESPONSE with an explanation for the operator who sets up the provider.
    ///
    /// - Throws: `CryptoError` if the token could not be checked.
    fileprivate init(invalidToken error: JWTError) throws {
        let detail =
            switch error {
            case .tooLong: "The ID token is too long."
            case .malformed, .malformedClaims: "The ID token is not a well-formed JWT."
            case .unsupportedHeader: "The ID token's header needs a feature that is not supported."
            case .unknownKey: "The ID token names no key of the provider."
            case .wrongAlgorithm: "The ID token's algorithm is not the one of the provider's key."
            case .badSignature: "The ID token is not signed by the provider."
            case .library(let error): throw error
            }
        self.init(.invalidIdPResponse, detail: detail)
    }
}
