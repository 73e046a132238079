#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The signed-in user as the server last described it: a value, not a live object.
///
/// ``Auth/currentUser`` and ``Auth/states()`` hand out a new value after every change.
public struct User: Sendable, Equatable, Codable, Identifiable {
    /// The UID, the same for good: linking an address to an anonymous user keeps it.
    public let uid: String
    /// The address, once there is one.
    public var email: String?
    /// Whether the address was proven by opening a mailed link.
    public var isEmailVerified: Bool
    /// The name to show.
    public var displayName: String?
    /// The picture to show.
    public var photoURL: URL?
    /// The username, unique on the server, once one is claimed; `nil` too until the server was asked.
    public var username: String?
    /// Whether this is an anonymous user, who is lost when signed out.
    public var isAnonymous: Bool
    /// The ways to sign in, in the server's order; `password` stands for the mailed link.
    public var providers: [Provider]
    /// When the user was made; `nil` until the server was asked.
    public var creationDate: Date?
    /// When the user last signed in; `nil` until the server was asked.
    public var lastSignInDate: Date?

    /// The UID, for lists.
    public var id: String { uid }

    /// One way to sign in.
    public struct Provider: Sendable, Equatable, Codable {
        /// For example `password` (the mailed link) or `google.com`.
        public let id: String
        /// The user's identifier there; for the mailed link the address.
        public let uid: String?
        /// The address there.
        public let email: String?
        /// The name there.
        public let displayName: String?
    }
}
