#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The state in a ``SessionStore``.
///
/// The state contains secrets: store it where only the device's owner can read it.
public struct PersistedState: Sendable, Equatable, Codable, CustomStringConvertible {
    /// The session of the user who is signed in; `nil` if no user is.
    public var session: StoredSession?
    /// The sign-in e-mail that was requested last; `nil` without one.
    ///
    /// See ``Auth/pendingSignIn``.
    public var pendingSignIn: SignInRequest?
    /// The idempotency key of an anonymous sign-up that was not answered yet; `nil` without one.
    ///
    /// A secret. Sending the key again gets the same user.
    public var signUpKey: String?

    /// Creates a state; without arguments, an empty one.
    public init(
        session: StoredSession? = nil,
        pendingSignIn: SignInRequest? = nil,
        signUpKey: String? = nil
    ) {
        self.session = session
        self.pendingSignIn = pendingSignIn
        self.signUpKey = signUpKey
    }

    /// Whether there is nothing to store.
    public var isEmpty: Bool { session == nil && pendingSignIn == nil && signUpKey == nil }

    /// A text with the UID of the signed-in user, without secrets, or "no session".
    public var description: String { session?.description ?? "no session" }
}

/// A signed-in user with its tokens.
public struct StoredSession: Sendable, Equatable, Codable, CustomStringConvertible {
    /// The user as the server last described it.
    public var user: User
    /// The ID token.
    ///
    /// A secret.
    public var idToken: String
    /// The refresh token.
    ///
    /// A secret.
    public var refreshToken: String
    /// When the ID token expires, by this device's clock.
    public var expiry: Date

    /// A text with the user's UID, without secrets.
    public var description: String { "session of \(user.uid)" }
}
