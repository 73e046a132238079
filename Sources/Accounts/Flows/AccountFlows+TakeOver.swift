extension AccountFlows {
    /// Makes an account ready for who has just proven that its address is theirs, by a mailed link or by a provider whose word
    /// counts.
    ///
    /// Where nobody ever proved the address, somebody else may have set it here, to be in the account when its owner comes: all
    /// ways in that were there before the proof end with it. What was made in the account stays.
    ///
    /// - Returns: the user as they are from now on, who is not stored yet.
    /// - Throws: ``Refusal`` USER_DISABLED, MERGE_IN_PROGRESS.
    func takeOver(_ owner: User, in store: some AccountStore) throws -> User {
        guard owner.disabledAt == nil else { throw Refusal(.userDisabled) }
        try owner.refuseIfHeld()
        var user = owner
        if owner.emailVerifiedAt == nil {
            try store.endSessions(of: owner.uid, except: nil, reason: .proven)
            try store.endActionCodes(of: owner.uid)
            try store.deleteIdentities(of: owner.uid)
            user.initialEmail = nil
            user.validSince = store.now / 1000
            user.emailVerifiedAt = store.now
        }
        user.anonymousSince = nil
        user.lastLoginAt = store.now
        return user
    }
}
