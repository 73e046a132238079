internal import AccountDatabase
internal import Accounts
internal import Database
internal import JSON

/// A user with the rows of other tables that the user's JSON object contains.
struct UserRecord: Sendable {
    let user: User
    let identities: [Identity]
    let username: String?

    init(_ user: User, identities: [Identity], username: String?) {
        self.user = user
        self.identities = identities
        self.username = username
    }

    /// Reads the identities and the username of a user.
    ///
    /// A guest has no identities.
    init(_ user: User, in transaction: Transaction) throws {
        self.init(
            user,
            identities: user.isAnonymous ? [] : try transaction.identities(of: user.uid),
            username: try transaction.username(of: user.uid)
        )
    }

    /// Reads at most `limit` users whose UID is greater than `uid`, in ascending order of UIDs, in three queries.
    static func page(after uid: String, limit: Int64, in transaction: Transaction) throws -> [UserRecord] {
        let users = try transaction.users(after: uid, limit: limit)
        guard let last = users.last?.uid else { return [] }
        let identities = Dictionary(
            grouping: try transaction.identities(ofUsersAfter: uid, through: last),
            by: \.uid
        )
        let usernames = try transaction.usernames(ofUsersAfter: uid, through: last)
        return users.map { UserRecord($0, identities: identities[$0.uid] ?? [], username: usernames[$0.uid]) }
    }
}

extension JSONWriter {
    /// Writes a list of users as a member of an object.
    mutating func member(_ name: String, _ records: [UserRecord]) {
        beginArray(name)
        for record in records {
            beginObject()
            members(of: record.user, identities: record.identities, username: record.username)
            endObject()
        }
        endArray()
    }

    /// Writes a user's members (contract, 2.1).
    ///
    /// Values that are not set are absent.
    mutating func members(of user: User, identities: [Identity], username: String?) {
        member("localId", user.uid)
        if let email = user.email {
            member("email", email)
            member("emailVerified", user.emailVerifiedAt != nil)
        }
        member("username", username)
        member("displayName", user.displayName)
        member("photoUrl", user.photoURL)
        member("screenName", user.screenName)
        if user.isDisabled { member("disabled", true) }
        if user.emailLinkAt != nil { member("emailLinkSignin", true) }
        if user.customAuthAt != nil { member("customAuth", true) }
        member("initialEmail", user.initialEmail)
        member("customAttributes", user.customAttributes)
        providerUserInfo(of: user, identities: identities)
        if user.validSince > 0 { member("validSince", String(user.validSince)) }
        member("lastLoginAt", String(user.lastLoginAt))
        member("createdAt", String(user.createdAt))
        member("lastRefreshAt", Timestamp.rfc3339(milliseconds: user.lastRefreshAt))
    }

    /// Writes the member `providerUserInfo`, a user's sign-in methods; absent for a user without any unless
    /// `evenIfEmpty` is set.
    ///
    /// The row `password` stands for e-mail-link sign-in. It shows clients that a linked user is no longer anonymous
    /// (contract, 2.1).
    mutating func providerUserInfo(of user: User, identities: [Identity], evenIfEmpty: Bool = false) {
        let emailLink = user.emailLinkAt == nil ? nil : user.email
        guard evenIfEmpty || emailLink != nil || !identities.isEmpty else { return }
        beginArray("providerUserInfo")
        if let emailLink {
            beginObject()
            member("providerId", SignInProvider.emailLink.rawValue)
            member("email", emailLink)
            member("federatedId", emailLink)
            member("rawId", emailLink)
            member("displayName", user.displayName)
            member("photoUrl", user.photoURL)
            endObject()
        }
        for identity in identities {
            beginObject()
            member("providerId", identity.provider)
            member("rawId", identity.subject)
            member("federatedId", identity.subject)
            member("email", identity.email)
            member("displayName", identity.displayName)
            member("photoUrl", identity.photoURL)
            member("screenName", identity.screenName)
            endObject()
        }
        endArray()
    }
}
