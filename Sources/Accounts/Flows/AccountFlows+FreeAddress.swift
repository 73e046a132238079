extension AccountFlows {
    /// Returns the owner of an address if that is a user other than `user` and has the address for certain, proven and
    /// not merely confirmed by an e-mail's button (``User/unclaimedSince``); else `nil`.
    func owner(of email: String, besides user: User, in store: some AccountStore) throws -> User? {
        guard let holder = try store.user(email: email), holder.uid != user.uid, !holder.isUnclaimed else { return nil }
        return holder
    }

    /// Locks a user and the owner of an address at once, before ``free(_:for:in:)`` changes both.
    ///
    /// All transactions lock users by id, so two separate locks could deadlock.
    func lock(_ user: User, andOwnerOf email: String, in store: some AccountStore) throws {
        let holder = try store.user(email: email)
        try store.lockUsers([user.uid] + (holder.map { [$0.uid] } ?? []))
    }

    /// Removes an address from another account whose owner has never signed in with it, so that this account cannot
    /// keep `user` from getting the address back; does nothing if no other account has it.
    ///
    /// Otherwise a thief who changed an account's address could put the old address on an account of their own and wait
    /// until the recovery link expires. The other account keeps everything else, because it may be the owner's new one.
    ///
    /// - Throws: ``Refusal`` EMAIL_EXISTS if the owner of the address has signed in to the other account with it,
    ///   OPERATION_NOT_ALLOWED if the other account is an administrator's, MERGE_IN_PROGRESS if it is suspended.
    func free(_ email: String, for user: User, in store: some AccountStore) throws {
        guard var holder = try store.user(email: email), holder.uid != user.uid else { return }
        guard holder.isUnclaimed else { throw Refusal(.emailExists) }
        try refuseIfAdministrator(holder.uid, in: store)
        try holder.refuseIfMergeSuspended()
        try forgetClients(of: holder, in: store)
        holder.email = nil
        holder.emailVerifiedAt = nil
        holder.emailLinkAt = nil
        try store.update(holder)
        try audit(.emailChanged, uid: holder.uid, detail: "freed for \(user.uid)", in: store)
    }
}
