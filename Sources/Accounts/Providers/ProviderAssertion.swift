/// What an identity provider says of the person who signs in, once its token has been believed.
package struct ProviderAssertion: Sendable, Equatable {
    /// The provider's id in lower case, such as `google.com` or `oidc.example`.
    package let provider: String
    /// `sub`, never empty.
    package let subject: String
    /// In canonical form; `nil` where it gives none, or none that could be mailed to.
    package var email: String?
    /// Whether the provider says that it has proven the address: `true` or `"true"`, and nothing else.
    package var isEmailVerified = false
    /// Whether its word about this address counts as proof here (`trustEmail`, `emailDomains`; contract, first table).
    package var isEmailTrusted = false
    package var displayName: String?
    package var photoURL: String?
    package var screenName: String?
    /// What success spends, where the token is good for one sign-in only.
    package var spends: SpentToken?

    /// An assertion that says no more than who it is.
    package init(provider: String, subject: String) {
        self.provider = provider
        self.subject = subject
    }

    /// Whether whoever signs in has proven to us that the address is theirs.
    package var provesEmail: Bool { email != nil && isEmailVerified && isEmailTrusted }
}

/// A token of another issuer that is good for one use.
package struct SpentToken: Sendable, Equatable {
    /// Its SHA-256 as base64url.
    package let digest: String
    /// From when on it is no good anyway.
    ///
    /// Milliseconds since 1970.
    package let expiresAt: Int64

    /// Makes it from its parts.
    package init(digest: String, expiresAt: Int64) {
        self.digest = digest
        self.expiresAt = expiresAt
    }
}
