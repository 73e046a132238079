internal import Accounts
internal import JSON

/// The claims of an identity provider's ID token that has been checked.
struct ProviderClaims: Sendable {
    let subject: String
    /// Every claim, as the provider wrote it.
    let all: JSONObject
    /// Whether the provider's word about the address in it counts as proof (`trustEmail`, `emailDomains`).
    let isEmailTrusted: Bool
    /// What success spends: set where the token carries a nonce, which makes it good for one sign-in.
    let spends: SpentToken?
}

/// How far a token can be judged with the keys at hand.
enum ProviderVerdict: Sendable {
    /// Checked.
    case known(ProviderClaims)
    /// The issuer's keys have to be fetched first.
    case awaitingKeys(@Sendable () async throws -> ProviderClaims)
}

/// Checks the ID tokens of the configured identity providers.
final class ProviderTokens: Sendable {
    /// Checks a token.
    ///
    /// - Parameters:
    ///   - idToken: anything.
    ///   - provider: the provider's id in lower case.
    ///   - nonce: what the client says that it asked with.
    ///   - now: seconds since 1970.
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED for a provider that is not configured, INVALID_IDP_RESPONSE,
    ///   MISSING_OR_INVALID_NONCE, PROVIDER_UNAVAILABLE.
    func check(_ idToken: String, of provider: String, nonce: String?, at now: Int64) throws -> ProviderVerdict {
        throw Refusal(.operationNotAllowed)
    }
}
