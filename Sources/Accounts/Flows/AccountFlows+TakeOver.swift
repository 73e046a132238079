extension AccountFlows {
    /// Makes an account ready for who has just proven that its address is theirs, by a mailed link or by a provider whose word
    /// counts.
    ///
    /// Where nobody ever proved the address, somebody else may have set it here, to be in the account when its owner comes: all
    /// ways in that were there before the proof end with it. What was made in the account stays.
    ///
    /// - Returns: the user as they are from now on, who is not stored yet.
    /// - Throws: ``Refusal`` USER_DISABLED, MERGE_IN_PROGRESS; OPERATION_NOT_ALLOWED for an administrator whose address is unproven.
    func takeOver(_ owner: User, in store: some AccountStore) throws -> User {
        guard owner.disabledAt == nil else { throw Refusal(.userDisabled) }
        try owner.refuseIfHeld()
        var user = owner
        if owner.emailVerifiedAt == nil {
            try refuseIfAdministrator(owner.uid, in: store)
            try endSessionsAndMails(of: &user, because: .proven, in: store)
            try store.deleteIdentities(of: owner.uid)
            user.validSince = store.now / 1000
            user.emailVerifiedAt = store.now
        }
        user.anonymousSince = nil
        user.lastLoginAt = store.now
        return user
    }

    /// Makes a guest ready for their first way in: all sessions and mailed codes of before end, and an address that nobody
    /// proved goes.
    ///
    /// Somebody else may have planted the guest; they would be in the account by any of these, by the address too, as soon as
    /// they open its mailbox (``takeOver(_:in:)``).
    func endGuest(_ user: inout User, in store: some AccountStore) throws {
        try endSessionsAndMails(of: &user, because: .linked, in: store)
        user.anonymousSince = nil
        if user.emailVerifiedAt == nil {
            try forgetClients(of: user, in: store)
            user.email = nil
        }
    }

    /// Ends every session of a user and every mailed code that could still change them.
    func endSessionsAndMails(
        of user: inout User,
        because reason: SessionEnd,
        in store: some AccountStore
    ) throws {
        try store.hold([user.uid])
        try store.endSessions(of: user.uid, except: nil, reason: reason)
        try store.endActionCodes(of: user.uid)
        user.initialEmail = nil
    }
}
