extension AccountFlows {
    /// Makes sure that a UID chosen by the caller may be given to a new user, and removes what is left of a deleted
    /// user who had it.
    ///
    /// The UID of a deleted user may be used again: the earlier user's e-mail links end, the UID leaves the setting
    /// `administrators`, and the record of the deletion (``FormerUser``) is deleted. The UID of a merged user may not
    /// be used again (invariant 4).
    ///
    /// - Throws: ``Refusal`` DUPLICATE_LOCAL_ID if a user has the UID, or a merged user had it.
    package func claim(_ uid: String, in store: some AccountStore) throws {
        guard try store.user(uid) == nil else { throw Refusal(.duplicateLocalID) }
        guard let former = try store.formerUser(uid) else { return }
        guard former.mergedInto == nil else { throw Refusal(.duplicateLocalID) }
        // E-mail links of the earlier user, such as a recovery link for an old address, must not open the new account.
        try store.endActionCodes(of: uid)
        try dismissAdministrator(uid, in: store)
        try store.forgetFormerUser(uid)
    }
}
