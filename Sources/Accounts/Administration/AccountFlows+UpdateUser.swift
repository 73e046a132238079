/// An administrator's change to a user, decoded (contract, 3.5); parts that are `nil` stay as they are.
package struct UserUpdate: Sendable {
    /// The parts of the change that clients may also make to their own user.
    package var profile = ProfileUpdate()
    /// Whether the address counts as proven; `nil` for no change.
    package var isEmailVerified: Bool?
    /// Whether the user is disabled, and can neither sign in nor use a session; `nil` for no change.
    package var isDisabled: Bool?
    /// The new claims: a JSON object that ``CustomClaims/check(_:)`` has accepted, or an empty text to remove all
    /// claims.
    package var customAttributes: String?
    /// Whether ``customAttributes`` contains any claim, which makes a guest a permanent user.
    package var givesClaims = false
    /// The new time before which issued tokens are invalid, in seconds since 1970 (``User/validSince``).
    ///
    /// The user's sessions that began before the end of that second end too.
    package var validSince: Int64?
    /// The new time of the user's creation, in milliseconds since 1970.
    package var createdAt: Int64?
    /// The new time of the user's last sign-in, in milliseconds since 1970.
    package var lastLoginAt: Int64?
    /// An identity to add, in place of the user's identity at the same provider; its `uid` is ignored.
    package var identity: Identity?

    /// Makes an update that changes nothing.
    package init() {}
}

extension AccountFlows {
    /// Changes a user for an administrator, who is ``actor``.
    ///
    /// A guest becomes a permanent user when given an address, an identity or claims, or when their address is marked
    /// as verified. All sessions end if the user gets another address or is disabled, or if a guest gets an identity or
    /// a verified address. ``UserUpdate/validSince`` ends the sessions that began by then.
    ///
    /// - Parameters:
    ///   - update: the change.
    ///   - uid: the user's UID.
    ///   - notice: what the notice to ``User/initialEmail`` needs, which is sent if the address changes.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` USER_NOT_FOUND, OPERATION_NOT_ALLOWED (an administrator), EMAIL_EXISTS,
    ///   FEDERATED_USER_ID_ALREADY_LINKED, MERGE_IN_PROGRESS, or the update's own ``ProfileUpdate/refusal``.
    package func update(
        _ update: UserUpdate,
        of uid: String,
        notice: NoticeOpening,
        in store: some AccountStore
    ) throws -> UpdatedProfile {
        guard let before = try store.user(uid) else { throw Refusal(.userNotFound) }
        try requireAuthority(over: uid, in: store)
        if let refusal = update.profile.refusal { throw refusal }
        try before.refuseIfMergeSuspended()
        var user = before
        // A guest's address was never proven, so no recovery link is sent to it.
        let remembersOldEmail = !before.isAnonymous
        let changesEmail = try apply(update.profile, to: &user, remembersOldEmail: remembersOldEmail, in: store)
        update.setValues(of: &user, at: store.now)
        if update.isDisabled == false { try enable(&user, in: store) }
        // The key vouches for an administrator's address, whose owner could not sign in otherwise
        // (``takeOver(_:in:)``).
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
        let endsSessions = changesEmail || update.isDisabled == true
        try recordChange(ofImported: uid, endsSessions: endsSessions, in: store)
        if changesEmail {
            try noticeUnproven(of: user, update.profile, cause: .administrator, notice: notice, in: store)
        }
        if changesEmail || before.isAnonymous && givesWayIn {
            try announce(.userLinked, uid, isAnonymous: false, in: store)
        }
        try audit(.userChanged, uid: uid, detail: update.summary(changesEmail: changesEmail), in: store)
        return UpdatedProfile(user: user, identities: try store.identities(of: uid), session: nil)
    }

    /// Stores an identity for a user, in place of any at the same provider, and records it in the audit log.
    ///
    /// - Throws: ``Refusal`` FEDERATED_USER_ID_ALREADY_LINKED if another user has the identity.
    private func add(_ identity: Identity, to user: User, in store: some AccountStore) throws {
        if let owner = try store.identity(identity.subject, at: identity.provider), owner.uid != user.uid {
            throw Refusal(.federatedUserIDAlreadyLinked, detail: "Another user has this identity.")
        }
        var identity = identity
        identity.uid = user.uid
        try store.put(identity)
        try audit(.userLinked, uid: user.uid, detail: identity.provider, in: store)
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
        // Also ends sessions that began in that very second, because a revocation comes after what it revokes.
        if let validSince = update.validSince {
            try store.endSessions(of: uid, begunBefore: (validSince + 1) * 1000, reason: .revoked)
        }
    }
}

extension UserUpdate {
    /// Sets the verification of the address, a disabling, the claims, ``User/validSince`` and the times on a user whom
    /// the caller stores; all other parts of the update are the caller's.
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

    /// The detail for the audit log: the names of the changed parts, never their values.
    fileprivate func summary(changesEmail: Bool) -> String {
        let parts: [(String, Bool)] = [
            ("email-verified", isEmailVerified != nil), ("disabled", isDisabled == true),
            ("enabled", isDisabled == false), ("claims", customAttributes != nil), ("revoked", validSince != nil),
            ("provider", identity != nil), ("times", createdAt != nil || lastLoginAt != nil),
        ]
        let names = profile.parts(changesEmail: changesEmail) + parts.filter(\.1).map(\.0)
        return names.isEmpty ? "nothing" : names.joined(separator: " ")
    }
}
