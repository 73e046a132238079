#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The answer of `accounts:lookup`, with the members that this client uses.
struct LookupResponse: Decodable {
    let users: [Account]?

    struct Account: Decodable {
        let localId: String
        let email: String?
        let emailVerified: Bool?
        let displayName: String?
        let photoUrl: String?
        let username: String?
        let createdAt: WireInteger?
        let lastLoginAt: WireInteger?
        let providerUserInfo: [Provider]?

        /// Returns the account as a user.
        ///
        /// - Parameter isAnonymous: whether the user is anonymous, which only the ID token says.
        func user(isAnonymous: Bool) -> User {
            User(
                uid: localId,
                email: email,
                isEmailVerified: emailVerified ?? false,
                displayName: displayName,
                photoURL: photoUrl.flatMap { URL(string: $0) },
                username: username,
                isAnonymous: isAnonymous,
                providers: (providerUserInfo ?? []).map(\.provider),
                creationDate: createdAt.map(Self.date),
                lastSignInDate: lastLoginAt.map(Self.date)
            )
        }

        private static func date(_ milliseconds: WireInteger) -> Date {
            Date(timeIntervalSince1970: Double(milliseconds.value / 1000))
        }
    }

    struct Provider: Decodable {
        let providerId: String
        let rawId: String?
        let federatedId: String?
        let email: String?
        let displayName: String?

        var provider: User.Provider {
            User.Provider(id: providerId, uid: rawId ?? federatedId, email: email, displayName: displayName)
        }
    }
}
