/// A session at Firebase, as a verified ID token of it describes the session.
package struct FirebaseSession: Sendable, Equatable {
    /// The user's UID, the same in both systems.
    package let uid: String
    /// The time of the sign-in at Firebase, in seconds since 1970; with the UID, it names the session.
    package let authTime: Int64
    package let provider: SignInProvider
    /// The claims of the token that are not Firebase's own, as the text of a JSON object; `nil` unless a custom token
    /// began the session.
    package let claims: String?

    /// Makes a session from its verified parts.
    package init(uid: String, authTime: Int64, provider: SignInProvider, claims: String?) {
        self.uid = uid
        self.authTime = authTime
        self.provider = provider
        self.claims = claims
    }
}

/// A session here that a session at Firebase became, with its user.
package struct AdoptedSession: Sendable, Equatable {
    package let user: User
    package let session: Session
    package let identities: [Identity]
    /// Whether this transaction made the session.
    package let isNewSession: Bool
    /// Whether this transaction made the user.
    package let isNewUser: Bool

    /// The session in the form of a sign-in, for what follows from one.
    package var signedIn: SignedIn {
        SignedIn(
            user: user,
            session: session,
            identities: identities,
            isNewUser: isNewUser,
            linked: false,
            wasAnonymous: false
        )
    }
}

/// Thrown when a session at Firebase cannot move before the user was looked up there.
package struct FirebaseAccountNeeded: Error {}

/// Thrown when a session at Firebase can move neither now nor never, such as while its user is being merged.
package struct FirebaseMoveUndecided: Error, Equatable {
    /// The reason, for the log.
    package let reason: String

    /// Makes the error.
    package init(_ reason: String) { self.reason = reason }
}
