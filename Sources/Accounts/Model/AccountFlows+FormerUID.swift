extension AccountFlows {
    /// Makes way for a user whose UID others choose: a deleted UID may come again, a merged one never.
    ///
    /// - Parameters:
    ///   - uid: a UID that no user has.
    ///   - code: how to refuse a merged one.
    ///   - store: the transaction that makes the user.
    /// - Throws: ``Refusal`` with that code.
    package func makeWay(for uid: String, orRefuse code: Code, in store: some AccountStore) throws {
        guard let former = try store.formerUser(uid) else { return }
        guard former.mergedInto == nil else { throw Refusal(code) }
        // Mails about the deleted user must not lead into the new one.
        try store.endActionCodes(of: uid)
        try store.forgetDeletedUser(uid)
    }
}
