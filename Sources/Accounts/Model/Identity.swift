/// A user's sign-in method at an identity provider: the pair (provider, subject), which at most one user has.
package struct Identity: Sendable, Equatable {
    /// The UID of the identity's owner.
    package var uid: String
    /// The provider's id, such as `google.com` or `oidc.example`.
    package var provider: String
    /// The user's id at the provider.
    package var subject: String
    /// The canonical address at the provider, proven or not; `nil` if the provider gave none, or an invalid one.
    package var email: String?
    package var displayName: String?
    package var photoURL: String?
    /// The user's name at the provider, such as a handle.
    package var screenName: String?

    /// Names that no provider may have, because they stand for other sign-in methods or have another meaning in tokens.
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
