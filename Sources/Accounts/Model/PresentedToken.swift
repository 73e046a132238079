/// An ID token whose signature, issuer and audience have been checked; whether it still counts is for the store to say.
package struct PresentedToken: Sendable, Equatable {
    package let uid: String
    package let sid: String
    /// Seconds since 1970.
    package let issuedAt: Int64
    /// Seconds since 1970.
    package let authTime: Int64
    package let provider: SignInProvider
    /// Whether its `exp` has passed.
    ///
    /// Such a token still identifies who repeats a redemption whose reply was lost.
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
