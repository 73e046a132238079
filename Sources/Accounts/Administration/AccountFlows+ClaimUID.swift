extension AccountFlows {
    /// Makes sure that a UID which somebody chose may be given to a new user.
    ///
    /// One who was deleted may come again, without anything that spoke for them before; one who was merged away never
    /// (invariant 4).
    ///
    /// - Throws: ``Refusal`` DUPLICATE_LOCAL_ID.
    package func claim(_ uid: String, in store: some AccountStore) throws {
        guard try store.user(uid) == nil else { throw Refusal(.duplicateLocalID) }
        guard let former = try store.formerUser(uid) else { return }
        guard former.mergedInto == nil else { throw Refusal(.duplicateLocalID) }
        // Links that were mailed to the one before, such as the way back to an old address, are no way into the new account.
        try store.endActionCodes(of: uid)
        try dismissAdministrator(uid, in: store)
        try store.forgetFormerUser(uid)
    }
}
