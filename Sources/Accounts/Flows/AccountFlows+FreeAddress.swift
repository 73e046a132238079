extension AccountFlows {
    /// Another account whose owner has proven an address by a sign-in; `nil` where there is none.
    func owner(of email: String, besides user: User, in store: some AccountStore) throws -> User? {
        guard let holder = try store.user(email: email), holder.uid != user.uid, !holder.isUnclaimed else { return nil }
        return holder
    }

    /// Takes an address off another account that has not proven it, so that it cannot keep the owner from recovering theirs.
    ///
    /// A thief who moved an account away from its address could else put the freed address on an account of his own and wait until
    /// the recovery link ends. The other account keeps everything else, because it may be the owner's new one.
    ///
    /// - Throws: ``Refusal`` EMAIL_EXISTS where the owner of the address has signed in to the other account with it;
    ///   OPERATION_NOT_ALLOWED where that is an administrator's, MERGE_IN_PROGRESS.
    func free(_ email: String, for user: User, in store: some AccountStore) throws {
        guard var holder = try store.user(email: email), holder.uid != user.uid else { return }
        guard holder.isUnclaimed else { throw Refusal(.emailExists) }
        try refuseIfAdministrator(holder.uid, in: store)
        try holder.refuseIfHeld()
        try forgetClients(of: holder, in: store)
        holder.email = nil
        holder.emailVerifiedAt = nil
        holder.emailLinkAt = nil
        try store.update(holder)
        try store.audit(.emailChanged, uid: holder.uid, detail: "freed for \(user.uid)")
    }
}
