#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The signed-in user as the server last described it: a value, not a live object.
///
/// ``Auth/currentUser`` and ``Auth/states()`` return a new value after every change.
public struct User: Sendable, Equatable, Codable, Identifiable {
    /// The UID, which never changes: linking an address to an anonymous user keeps it.
    public let uid: String
    /// The user's e-mail address; `nil` if the user has none.
    public var email: String?
    /// Whether the address was verified, for example by opening an e-mail link.
    public var isEmailVerified: Bool
    /// The display name; `nil` if the user has none.
    public var displayName: String?
    /// The URL of the user's picture; `nil` if the user has none.
    public var photoURL: URL?
    /// The username, unique on the server, if one is claimed; `nil` also until the user was loaded from the server.
    public var username: String?
    /// Whether this is an anonymous user, who is deleted on sign-out.
    public var isAnonymous: Bool
    /// The sign-in methods, in the server's order; empty until the user was loaded from the server.
    public var providers: [Provider]
    /// When the user was created; `nil` until the user was loaded from the server.
    public var creationDate: Date?
    /// When the user last signed in; `nil` until the user was loaded from the server.
    public var lastSignInDate: Date?

    /// The UID, for lists.
    public var id: String { uid }

    /// A sign-in method.
    public struct Provider: Sendable, Equatable, Codable {
        /// The name of the sign-in method, for example `password` (the e-mail link) or `google.com`.
        public let id: String
        /// The user's identifier at the provider; the address for the e-mail link; `nil` if the server sent none.
        public let uid: String?
        /// The address at the provider; `nil` if the server knows none.
        public let email: String?
        /// The name at the provider; `nil` if the server knows none.
        public let displayName: String?
    }
}
