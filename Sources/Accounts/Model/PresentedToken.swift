/// An ID token whose signature, issuer and audience have been checked; whether it is still valid depends on the store.
package struct PresentedToken: Sendable, Equatable {
    package let uid: String
    package let sid: String
    /// When the token was issued (`iat`), in seconds since 1970.
    package let issuedAt: Int64
    /// When the user signed in (`auth_time`), in seconds since 1970.
    package let authTime: Int64
    package let provider: SignInProvider
    /// Whether the token's `exp` has passed.
    ///
    /// An expired token still identifies a client that repeats a redemption whose reply was lost.
    package let isExpired: Bool

    /// Makes a token from its claims.
    package init(
        uid: String,
        sid: String,
        issuedAt: Int64,
        authTime: Int64,
        provider: SignInProvider,
        isExpired: Bool
    ) {
        self.uid = uid
        self.sid = sid
        self.issuedAt = issuedAt
        self.authTime = authTime
        self.provider = provider
        self.isExpired = isExpired
    }
}
