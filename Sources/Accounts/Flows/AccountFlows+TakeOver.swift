internal import Tokens

extension AccountFlows {
    /// Makes an account ready for the owner of its address, after a proof by an e-mail link or by a trusted provider that
    /// presents no session of the account.
    ///
    /// An attacker may have put the address on the account, to be in the account when the owner of the address comes. That is possible
    /// where the address was never proven, and where it was confirmed only by the button of a mail (``User/unclaimedSince``). All
    /// sign-in methods, sessions and codes of before end with such a proof. What was made in the account stays.
    ///
    /// - Returns: the user as they are from now on, who is not stored yet.
    /// - Throws: ``Refusal`` USER_DISABLED, MERGE_IN_PROGRESS; OPERATION_NOT_ALLOWED for an administrator.
    func takeOver(_ owner: User, in store: some AccountStore) throws -> User {
        guard !owner.isDisabled else { throw Refusal(.userDisabled) }
        try owner.refuseIfHeld()
        var user = owner
        if owner.isUnclaimed {
            try refuseIfAdministrator(owner.uid, in: store)
            // The old address keeps its recovery code, which from now on contests the account instead of handing it over.
            try endSessionsAndMails(of: &user, sparing: .recoverEmail, because: .proven, in: store)
            try endSignInMethods(of: &user, in: store)
            try forgetClients(of: user, in: store)
            user.takenOverAt = store.now
            try store.audit(.userTakenOver, uid: user.uid, detail: nil)
        }
        user.unclaimedSince = nil
        user.anonymousSince = nil
        user.lastLoginAt = store.now
        return user
    }

    /// Takes all providers off an account whose address has just been proven, and ends the tokens of before.
    private func endSignInMethods(of user: inout User, in store: some AccountStore) throws {
        try store.deleteIdentities(of: user.uid)
        user.validSince = store.now / 1000
        user.emailVerifiedAt = store.now
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
    ///
    /// - Parameter purpose: of codes that go on working.
    func endSessionsAndMails(
        of user: inout User,
        sparing purpose: ActionPurpose? = nil,
        because reason: SessionEnd,
        in store: some AccountStore
    ) throws {
        try store.hold([user.uid])
        try store.endSessions(of: user.uid, except: nil, reason: reason)
        if let purpose {
            try store.endActionCodes(of: user.uid, sparing: purpose)
        } else {
            try store.endActionCodes(of: user.uid)
        }
        user.initialEmail = nil
    }
}

extension User {
    /// Whether the next proof of the address takes the account over (``AccountFlows/takeOver(_:in:)``), unless it presents a session.
    var isUnclaimed: Bool { emailVerifiedAt == nil || unclaimedSince != nil }
}
