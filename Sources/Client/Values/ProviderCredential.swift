/// The ID token that an identity provider gave the app for the user.
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

    /// Creates a credential from a provider's ID token.
    ///
    /// - Parameters:
    ///   - providerID: the provider's name in the server's configuration.
    ///   - idToken: the ID token. A secret.
    ///   - nonce: the nonce with which the token was requested, if any. Pass the original nonce, even if the provider
    ///     received its SHA-256. A token with a nonce is valid for one sign-in.
    public init(providerID: String, idToken: String, nonce: String? = nil) {
        self.providerID = providerID
        self.idToken = idToken
        self.nonce = nonce
    }

    /// The provider, without secrets.
    public var description: String { "an ID token of \(providerID)" }

    /// Hides the secrets from `dump` and debuggers' views.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
