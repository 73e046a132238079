internal import Tokens

extension AccountFlows {
    /// Prepares an account for a sign-in by the owner of its address, and ends all other access to it if an attacker
    /// may have put the address on the account.
    ///
    /// The owner has proven the address by an e-mail link or a trusted provider, and presents no session of the
    /// account.
    ///
    /// An attacker may have put the address on the account, to have access when the owner of the address arrives. That
    /// is possible if the address was never proven, or was confirmed only by the button of an e-mail
    /// (``User/unclaimedSince``). In these cases all identities, sessions and codes of the account end, except recovery
    /// codes. The data in the account stays.
    ///
    /// - Returns: the changed user, not stored yet.
    /// - Throws: ``Refusal`` USER_DISABLED, MERGE_IN_PROGRESS; OPERATION_NOT_ALLOWED for an administrator whose address
    ///   is not proven for certain.
    func takeOver(_ owner: User, in store: some AccountStore) throws -> User {
        guard !owner.isDisabled else { throw Refusal(.userDisabled) }
        try owner.refuseIfMergeSuspended()
        var user = owner
        if owner.isUnclaimed {
            // The takeover revokes, too. It must not set the time of a revocation back, and must revoke the newest token.
            try store.requireTime(ofRevocation: max(owner.validSince, owner.lastTokenAt / 1000))
            try refuseIfAdministrator(owner.uid, in: store)
            // The old address keeps its recovery code, which from now on contests the account instead of recovering it.
            try endSessionsAndMails(of: &user, sparing: .recoverEmail, because: .proven, in: store)
            try endSignInMethods(of: &user, in: store)
            try forgetClients(of: user, in: store)
            try recordTakeover(of: &user, in: store)
            try audit(.userTakenOver, uid: user.uid, in: store)
        }
        user.unclaimedSince = nil
        user.anonymousSince = nil
        user.lastLoginAt = store.now
        return user
    }

    /// Records that an account is taken over, so that its earlier recovery codes contest it (``isDisputed(_:of:)``).
    ///
    /// The caller stores the user. A transaction keeps the time at which it began, and may have waited since for the one
    /// that made a code. So the time of the takeover is at least that of the newest code.
    func recordTakeover(of user: inout User, in store: some AccountStore) throws {
        user.takenOverAt = max(try store.takeoverTime(of: user.uid), user.takenOverAt ?? 0)
    }

    /// Returns the time of a new recovery code: now, but later than the last takeover of the account.
    func recoveryTime(of user: User, in store: some AccountStore) -> Int64 {
        max(store.now, user.takenOverAt.map { $0 + 1 } ?? 0)
    }

    /// Deletes all identities of an account whose address has just been proven, marks the address as proven, and
    /// invalidates earlier tokens; the caller stores the user.
    private func endSignInMethods(of user: inout User, in store: some AccountStore) throws {
        try store.deleteIdentities(of: user.uid)
        user.validSince = store.now / 1000
        user.emailVerifiedAt = store.now
    }

    /// Prepares a guest for their first sign-in method: ends all earlier sessions and e-mailed codes, and removes an
    /// unproven address.
    ///
    /// An attacker may have planted the guest, and could reach the account by any of these. The address would also let
    /// them in as soon as they open its mailbox (``takeOver(_:in:)``).
    func endGuest(_ user: inout User, in store: some AccountStore) throws {
        try endSessionsAndMails(of: &user, because: .linked, in: store)
        user.anonymousSince = nil
        if user.emailVerifiedAt == nil {
            try forgetClients(of: user, in: store)
            user.email = nil
        }
    }

    /// Ends every session of a user and every e-mailed code about them, except codes of one purpose.
    ///
    /// The caller stores the user, whose ``User/initialEmail`` is removed.
    ///
    /// - Parameter purpose: the purpose of codes that remain valid; `nil` ends all codes.
    func endSessionsAndMails(
        of user: inout User,
        sparing purpose: ActionPurpose? = nil,
        because reason: SessionEnd,
        in store: some AccountStore
    ) throws {
        try store.endSessions(of: user.uid, except: nil, reason: reason)
        try recordChange(ofImported: user.uid, endsSessions: true, in: store)
        if let purpose {
            try store.endActionCodes(of: user.uid, sparing: purpose)
        } else {
            try store.endActionCodes(of: user.uid)
        }
        user.initialEmail = nil
    }
}

extension User {
    /// Whether the next proof of the user's address takes the account over (``AccountFlows/takeOver(_:in:)``), unless
    /// the proof presents a session of the user.
    var isUnclaimed: Bool { emailVerifiedAt == nil || unclaimedSince != nil }

    /// When the user last got a token of which the database knows, in milliseconds since 1970.
    fileprivate var lastTokenAt: Int64 { max(lastLoginAt, lastRefreshAt) }
}
