/// A user: one row with a UID.
///
/// Times are milliseconds since 1970, except ``validSince``. Flags are the time at which they were set, or `nil`.
package struct User: Sendable, Equatable {
    package var uid: String
    /// The canonical address, if any.
    package var email: String? {
        didSet {
            guard oldValue != email else { return }
            unclaimedSince = nil
            if oldValue != nil { importedAt = nil }
        }
    }
    /// When the address was proven, or marked as verified by an administrator or an import; `nil` if it is unproven or
    /// there is none.
    package var emailVerifiedAt: Int64?
    /// When the user last signed in by an e-mail link or code, or was imported with the e-mail link as a sign-in method;
    /// `nil` if neither happened, or if the address was removed since.
    package var emailLinkAt: Int64?
    package var displayName: String?
    package var photoURL: String?
    /// The user's name at an identity provider, such as a handle.
    package var screenName: String?
    /// The address that gets the recovery links of changes that no e-mail confirmed: the one before the first of them,
    /// or the proven one that such a change replaced last.
    package var initialEmail: String?
    /// The JSON object of claims that an administrator or an import set and that all of the user's tokens carry; `nil`
    /// if there are none.
    package var customAttributes: String?
    /// When a custom token first signed the user in; `nil` if none has.
    package var customAuthAt: Int64?
    /// When the user was imported; `nil` for other users, and once an imported guest becomes permanent or an imported
    /// user's address is changed or removed.
    ///
    /// From then on, the user in the source system may be another person.
    package var importedAt: Int64?
    /// When the user became a guest, by a sign-up or an import; `nil` for permanent users.
    ///
    /// A permanent user never becomes a guest again.
    package var anonymousSince: Int64? {
        didSet { if oldValue != nil, anonymousSince == nil { importedAt = nil } }
    }
    /// When an administrator or an import disabled the user; `nil` for users who are not disabled.
    ///
    /// ``isDisabled`` tells whether the user may sign in.
    package var disabledAt: Int64?
    /// When the current address was confirmed by an e-mail to it, while its owner has not signed in since; otherwise
    /// `nil`.
    ///
    /// The person who confirmed the address may not be the person who requested the e-mail. Therefore the first sign-in
    /// that proves the address takes the account over. Another address clears the mark.
    package var unclaimedSince: Int64?
    /// The time at which the user last proved an address that another person may have put on the account; `nil` if the
    /// user never did.
    ///
    /// That happens when a sign-in takes the account over (``AccountFlows/takeOver(_:in:)``), when a user who is signed in
    /// proves their address, and when a recovery code gives back an address that was unclaimed (``unclaimedSince``).
    /// Recovery codes made until then contest the account.
    package var takenOverAt: Int64?
    /// The value that ``unclaimedSince`` had for ``initialEmail`` when another address replaced it.
    package var initialUnclaimedSince: Int64?
    /// The dispute between the owners of the current address and an earlier one; `nil` unless an operator has yet to
    /// resolve one.
    package var contest: Contest?
    /// When a sign-in with a review address (``ReviewAddress``) created the user, or made the guest permanent; `nil`
    /// for all other users.
    ///
    /// Review addresses sign in only such users.
    package var reviewSince: Int64?
    /// The id of the merge that suspends the guest while hooks are asked, during which the guest cannot be changed;
    /// otherwise `nil`.
    package var mergeID: String?
    /// The time before which issued tokens are invalid, in seconds since 1970; 0 if none has ever been revoked.
    package var validSince: Int64
    package var createdAt: Int64
    package var lastLoginAt: Int64
    package var lastRefreshAt: Int64

    /// Makes a guest with this UID, without an address or any other credential.
    package init(anonymous uid: String, at now: Int64) {
        self.init(uid: uid, createdAt: now)
        anonymousSince = now
    }

    /// Makes a permanent user, whose address a sign-in link or code has just proven.
    package init(uid: String, provenEmail email: String, at now: Int64) {
        self.init(uid: uid, createdAt: now)
        prove(email, at: now)
    }

    /// Makes a permanent user with only a UID and times.
    package init(uid: String, createdAt now: Int64) {
        self.uid = uid
        validSince = 0
        createdAt = now
        lastLoginAt = now
        lastRefreshAt = now
    }

    /// Whether the user may not sign in: an administrator disabled the account, or it is contested.
    package var isDisabled: Bool { disabledAt != nil || contest != nil }

    /// Whether the user is a guest (``anonymousSince``).
    ///
    /// Sign-out, clean-up and merges may delete only guests.
    package var isAnonymous: Bool { anonymousSince != nil }

    /// Sets an address that the user has just proven by a sign-in link or code, records the sign-in, and makes a guest
    /// permanent.
    package mutating func prove(_ address: String, at now: Int64) {
        email = address
        emailVerifiedAt = now
        emailLinkAt = now
        unclaimedSince = nil
        anonymousSince = nil
        lastLoginAt = now
    }
}
