/// An identity provider's verified statement about the person who signs in.
package struct ProviderAssertion: Sendable, Equatable {
    /// The provider's id in lower case, such as `google.com` or `oidc.example`.
    package let provider: String
    /// The user's id at the provider (`sub`), never empty.
    package let subject: String
    /// The canonical address; `nil` if the provider gives none, or an invalid one.
    package var email: String?
    /// Whether the provider states that it has proven the address: only `true` or `"true"`.
    package var isEmailVerified = false
    /// Whether the provider is trusted for this address (`trustEmail`, `emailDomains`; contract, 3.8).
    package var isEmailTrusted = false
    package var displayName: String?
    package var photoURL: String?
    package var screenName: String?
    /// The token to use up on success; `nil` if the token may be used more than once.
    package var spends: SpentToken?

    /// Makes an assertion with only an identity.
    package init(provider: String, subject: String) {
        self.provider = provider
        self.subject = subject
    }

    /// Whether the assertion proves that ``email`` belongs to the person who signs in: the provider has proven it, and
    /// is trusted for it.
    package var provesEmail: Bool { email != nil && isEmailVerified && isEmailTrusted }
}

/// A single-use token of another issuer.
package struct SpentToken: Sendable, Equatable {
    /// The SHA-256 as base64url that identifies the token: of its whole text, or for identity providers of the part
    /// before the signature.
    package let digest: String
    /// When the token expires anyway, in milliseconds since 1970.
    package let expiresAt: Int64

    /// Makes the record of a single-use token from the token's digest and its expiry time.
    package init(digest: String, expiresAt: Int64) {
        self.digest = digest
        self.expiresAt = expiresAt
    }
}
