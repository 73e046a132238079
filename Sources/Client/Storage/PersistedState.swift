#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a ``SessionStore`` keeps.
///
/// It holds secrets: store it where only the person who signed in can read it.
public struct PersistedState: Sendable, Equatable, Codable, CustomStringConvertible {
    /// The session of the user who is signed in.
    public var session: StoredSession?
    /// The last sign-in mail that was asked for and not used yet.
    public var pendingSignIn: SignInRequest?
    /// The key of an anonymous sign-up that was not answered yet.
    ///
    /// A secret.
    public var signUpKey: String?

    /// Makes a state; without arguments an empty one.
    public init(
        session: StoredSession? = nil,
        pendingSignIn: SignInRequest? = nil,
        signUpKey: String? = nil
    ) {
        self.session = session
        self.pendingSignIn = pendingSignIn
        self.signUpKey = signUpKey
    }

    /// Whether there is nothing to keep.
    public var isEmpty: Bool { session == nil && pendingSignIn == nil && signUpKey == nil }

    /// Who is signed in; no secrets.
    public var description: String { session?.description ?? "no session" }
}

/// A signed-in user with its tokens.
public struct StoredSession: Sendable, Equatable, Codable, CustomStringConvertible {
    /// The user as last seen.
    public var user: User
    /// The ID token.
    ///
    /// A secret.
    public var idToken: String
    /// The refresh token.
    ///
    /// A secret.
    public var refreshToken: String
    /// When the ID token ends, by this device's clock.
    public var expiry: Date

    /// The UID; no secrets.
    public var description: String { "session of \(user.uid)" }
}
