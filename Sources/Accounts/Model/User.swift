/// A user: one row with a UID.
///
/// Times are milliseconds since 1970 but for ``validSince``; flags are the time at which they were set, `nil` where they are
/// not.
package struct User: Sendable, Equatable {
    package var uid: String
    /// The canonical address, or `nil`.
    package var email: String? {
        didSet {
            guard oldValue != email else { return }
            unclaimedSince = nil
            if oldValue != nil { importedAt = nil }
        }
    }
    package var emailVerifiedAt: Int64?
    /// Set once the user has signed in by a mailed link.
    package var emailLinkAt: Int64?
    package var displayName: String?
    package var photoURL: String?
    /// The name that an identity provider knows the user by, such as a handle.
    package var screenName: String?
    /// The address before the first change that nobody confirmed by mail.
    package var initialEmail: String?
    /// A JSON object of claims that administrators give.
    package var customAttributes: String?
    /// Set once a custom token has signed the user in.
    package var customAuthAt: Int64?
    /// Set on users that an import made, until they get their first credential or another address here.
    ///
    /// From then on, whoever is the user where they came from need not be the same person.
    package var importedAt: Int64?
    /// Set while the user never had a credential; `nil` for good from the first one on.
    package var anonymousSince: Int64? {
        didSet { if oldValue != nil, anonymousSince == nil { importedAt = nil } }
    }
    /// Set when an administrator disabled the user; ``isDisabled`` says whether the user may sign in.
    package var disabledAt: Int64?
    /// Set while the present address has been confirmed by a mail to it, but its owner has not signed in yet.
    ///
    /// The person who confirmed the address need not be the person who asked for the mail. The first sign-in that proves the address
    /// therefore takes the account over. Another address ends the mark.
    package var unclaimedSince: Int64?
    /// Set when such a sign-in took the account over.
    package var takenOverAt: Int64?
    /// The mark that ``initialEmail`` had when it was the present address.
    package var initialUnclaimedSince: Int64?
    /// The dispute between the address and the one before it, until an operator resolves it.
    package var contest: Contest?
    /// Set on users that only a review address made.
    package var reviewSince: Int64?
    /// The merge that holds the guest while hooks are asked; nobody may change the guest until it is settled.
    package var mergeID: String?
    /// Tokens issued before this time are dead; 0 while nothing has ever revoked any.
    ///
    /// Seconds since 1970.
    package var validSince: Int64
    package var createdAt: Int64
    package var lastLoginAt: Int64
    package var lastRefreshAt: Int64

    /// A user without any credential.
    package init(anonymous uid: String, at now: Int64) {
        self.init(uid: uid, createdAt: now)
        anonymousSince = now
    }

    /// A user who proves an address by their first act.
    package init(uid: String, provenEmail email: String, at now: Int64) {
        self.init(uid: uid, createdAt: now)
        prove(email, at: now)
    }

    /// A user with a UID and times only, as the store reads it and administrators create it.
    package init(uid: String, createdAt now: Int64) {
        self.uid = uid
        validSince = 0
        createdAt = now
        lastLoginAt = now
        lastRefreshAt = now
    }

    /// Whether the user may not sign in: an administrator disabled the account, or it is contested.
    package var isDisabled: Bool { disabledAt != nil || contest != nil }

    /// Whether the user never had a credential.
    ///
    /// The only users that sign-out, clean-up or a merge may delete.
    package var isAnonymous: Bool { anonymousSince != nil }

    /// Sets an address whose mailbox the user has just opened by a sign-in link.
    package mutating func prove(_ address: String, at now: Int64) {
        email = address
        emailVerifiedAt = now
        emailLinkAt = now
        unclaimedSince = nil
        anonymousSince = nil
        lastLoginAt = now
    }
}
