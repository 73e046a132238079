package import Accounts
internal import Crypto
package import JSON
internal import Tokens

/// The claims of an identity provider's ID token that has been checked.
package struct ProviderClaims: Sendable {
    package let subject: String
    /// Every claim, as the provider wrote it.
    package let all: JSONObject
    /// Whether the provider's word about the address in it counts as proof (`trustEmail`, `emailDomains`).
    package let isEmailTrusted: Bool
    /// What success spends: set where the token carries a nonce, which makes it good for one sign-in.
    package let spends: SpentToken?
}

/// How far a token can be judged with the keys at hand.
package typealias ProviderVerdict = KeyedResult<ProviderClaims>

/// Checks the ID tokens of the configured identity providers.
package final class ProviderTokens: Sendable {
    private struct Issuer: Sendable {
        let rules: ProviderRules
        let keys: RemoteKeys
    }

    private let issuers: [String: Issuer]

    /// Fetches no keys yet.
    ///
    /// - Parameters:
    ///   - configuration: the providers, and which addresses they may be at.
    ///   - clock: milliseconds since 1970, for the age of keys.
    ///   - logger: takes what goes wrong.
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

    /// Checks a token.
    ///
    /// - Parameters:
    ///   - idToken: anything.
    ///   - provider: the provider's id in lower case.
    ///   - nonce: what the client says that it asked with.
    ///   - now: seconds since 1970.
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED for a provider that is not configured, INVALID_IDP_RESPONSE,
    ///   MISSING_OR_INVALID_NONCE, PROVIDER_UNAVAILABLE.
    package func check(
        _ idToken: String,
        of provider: String,
        nonce: String?,
        at now: Int64
    ) throws -> ProviderVerdict {
        guard let issuer = issuers[provider] else {
            throw Refusal(.operationNotAllowed, detail: "The server knows no provider of this name.")
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
    /// INVALID_IDP_RESPONSE with a sentence for whoever sets the provider up.
    ///
    /// - Throws: `CryptoError` where nothing is known about the token.
    fileprivate init(invalidToken error: JWTError) throws {
        let detail =
            switch error {
            case .tooLong: "The ID token is too long."
            case .malformed, .malformedClaims: "The ID token is no well-formed JWT."
            case .unsupportedHeader: "The ID token's header asks for something that is not supported."
            case .unknownKey: "The ID token names no key of the provider."
            case .wrongAlgorithm: "The ID token's algorithm is not the one of the provider's key."
            case .badSignature: "The ID token is not signed by the provider."
            case .library(let error): throw error
            }
        self.init(.invalidIdPResponse, detail: detail)
    }
}
