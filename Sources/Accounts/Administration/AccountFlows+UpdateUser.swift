/// An administrator's change to a user, decoded (contract, 3.5).
package struct UserUpdate: Sendable {
    /// What clients may change as well.
    package var profile = ProfileUpdate()
    package var isEmailVerified: Bool?
    package var isDisabled: Bool?
    /// A JSON object that ``CustomClaims/check(_:)`` has let pass.
    package var customAttributes: String?
    /// Whether that has any claim.
    package var givesClaims = false
    /// Seconds since 1970.
    package var validSince: Int64?
    package var createdAt: Int64?
    package var lastLoginAt: Int64?
    /// A way in to add, in place of the one at the same provider; its UID does not count.
    package var identity: Identity?

    /// A change of nothing.
    package init() {}
}

extension AccountFlows {
    /// Changes a user for an administrator.
    ///
    /// A guest who is given an address, a way in or claims is none any more. Where it is a way in, all of its sessions end, so
    /// that whoever planted one is out.
    ///
    /// - Parameters:
    ///   - update: the change.
    ///   - uid: whose.
    ///   - notice: fresh identifiers for the notice to an address that another replaces.
    ///   - authority: what the call was authorized by.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` USER_NOT_FOUND, OPERATION_NOT_ALLOWED (an administrator), EMAIL_EXISTS,
    ///   FEDERATED_USER_ID_ALREADY_LINKED, MERGE_IN_PROGRESS, or that of the update itself.
    package func update(
        _ update: UserUpdate,
        of uid: String,
        notice: MailIDs,
        by authority: AdministratorAuthority,
        in store: some AccountStore
    ) throws -> UpdatedProfile {
        guard let before = try store.user(uid) else { throw Refusal(.userNotFound) }
        try require(authority, over: uid, in: store)
        if let refusal = update.profile.refusal { throw refusal }
        try before.refuseIfHeld()
        var user = before
        // What a guest set as an address nobody ever proved, so no way back is mailed there.
        let remembersOldEmail = !before.isAnonymous
        let changesEmail = try apply(update.profile, to: &user, remembersOldEmail: remembersOldEmail, in: store)
        update.setValues(of: &user, at: store.now)
        if update.isDisabled == false { try enable(&user, in: store) }
        // The key vouches for an administrator's address, whose owner could not sign in otherwise (``takeOver(_:in:)``).
        if update.isEmailVerified == true, user.unclaimedSince != nil, try store.administrators().contains(uid) {
            user.unclaimedSince = nil
        }
        let givesWayIn = update.identity != nil || user.email != nil && user.emailVerifiedAt != nil
        if before.isAnonymous, givesWayIn, !changesEmail { try endGuest(&user, in: store) }
        if changesEmail || update.givesClaims { user.anonymousSince = nil }
        if changesEmail { user.validSince = update.validSince ?? store.now / 1000 }
        try store.update(user)
        if let identity = update.identity { try add(identity, to: user, in: store) }
        try endSessions(of: before, by: update, changesEmail: changesEmail, in: store)
        if changesEmail { try noticeUnproven(of: user, update.profile, notice: notice, in: store) }
        if changesEmail || before.isAnonymous && givesWayIn {
            try announce(.userLinked, uid, isAnonymous: false, in: store)
        }
        try store.audit(.userChanged, uid: uid, detail: update.summary(changesEmail: changesEmail))
        return UpdatedProfile(user: user, identities: try store.identities(of: uid), session: nil)
    }

    /// Stores a way in that an administrator gives.
    private func add(_ identity: Identity, to user: User, in store: some AccountStore) throws {
        if let owner = try store.identity(identity.subject, at: identity.provider), owner.uid != user.uid {
            throw Refusal(.federatedUserIDAlreadyLinked)
        }
        var identity = identity
        identity.uid = user.uid
        try store.put(identity)
        try store.audit(.userLinked, uid: user.uid, detail: identity.provider)
    }

    private func endSessions(
        of before: User,
        by update: UserUpdate,
        changesEmail: Bool,
        in store: some AccountStore
    ) throws {
        let uid = before.uid
        if changesEmail {
            try store.endSessions(of: uid, except: nil, reason: .emailChanged)
        }
        if update.isDisabled == true { try store.endSessions(of: uid, except: nil, reason: .revoked) }
        // Those of that very second too: revoking comes after what it revokes.
        if let validSince = update.validSince {
            try store.endSessions(of: uid, begunBefore: (validSince + 1) * 1000, reason: .revoked)
        }
    }
}

extension UserUpdate {
    /// Sets what has no consequences for others.
    fileprivate func setValues(of user: inout User, at now: Int64) {
        if let isEmailVerified {
            user.emailVerifiedAt = isEmailVerified && user.email != nil ? user.emailVerifiedAt ?? now : nil
        }
        if isDisabled == true { user.disabledAt = user.disabledAt ?? now }
        if let customAttributes { user.customAttributes = customAttributes.isEmpty ? nil : customAttributes }
        if let validSince { user.validSince = validSince }
        if let createdAt { user.createdAt = createdAt }
        if let lastLoginAt { user.lastLoginAt = lastLoginAt }
    }

    /// What the audit log notes: which parts, never their values.
    fileprivate func summary(changesEmail: Bool) -> String {
        let parts: [(String, Bool)] = [
            ("email", changesEmail || profile.deletesEmail), ("email-verified", isEmailVerified != nil),
            ("disabled", isDisabled == true), ("enabled", isDisabled == false), ("claims", customAttributes != nil),
            ("revoked", validSince != nil), ("provider", identity != nil),
        ]
        let names = parts.filter(\.1).map(\.0)
        return names.isEmpty ? "profile" : names.joined(separator: " ")
    }
}
