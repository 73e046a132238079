/// A way in at an identity provider: (provider, subject), which leads to one user.
package struct Identity: Sendable, Equatable {
    package var uid: String
    /// The provider's id, such as `google.com` or `oidc.example`.
    package var provider: String
    /// The user's id at the provider.
    package var subject: String
    package var email: String?
    package var displayName: String?
    package var photoURL: String?
    package var screenName: String?

    /// Names that are no provider's: ways in of another kind, and what stands beside the providers in a token.
    package static let reservedProviders: Set<String> = [
        "password", "emailLink", "phone", "anonymous", "custom", "email",
    ]

    /// Makes an identity from its stored parts.
    package init(
        uid: String,
        provider: String,
        subject: String,
        email: String? = nil,
        displayName: String? = nil,
        photoURL: String? = nil,
        screenName: String? = nil
    ) {
        self.uid = uid
        self.provider = provider
        self.subject = subject
        self.email = email
        self.displayName = displayName
        self.photoURL = photoURL
        self.screenName = screenName
    }
}
