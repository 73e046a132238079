/// What an identity provider gave the app for the person who signs in: its ID token.
///
/// ```swift
/// let credential = ProviderCredential(providerID: "apple.com", idToken: token, nonce: nonce)
/// switch try await auth.continue(with: credential) { … }
/// ```
public struct ProviderCredential: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The provider's name in the server's configuration: `google.com`, `apple.com`, `oidc.…`.
    public let providerID: String
    let idToken: String
    let nonce: String?

    /// Makes a credential of a provider's ID token.
    ///
    /// - Parameters:
    ///   - providerID: The provider's name in the server's configuration.
    ///   - idToken: The ID token. A secret.
    ///   - nonce: The nonce that the token was asked with, where it was: as the app drew it, also where the provider was given
    ///     its SHA-256. Such a token is good for one sign-in.
    public init(providerID: String, idToken: String, nonce: String? = nil) {
        self.providerID = providerID
        self.idToken = idToken
        self.nonce = nonce
    }

    /// The provider; no secrets.
    public var description: String { "an ID token of \(providerID)" }

    /// Hides the secrets from `dump` and debuggers' views.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
