/// The reason why a user is deleted.
package enum DeletionCause: String, Sendable {
    /// A guest signed out.
    case signOut = "sign-out"
    /// The user requested it.
    case request
    case `operator`
    /// Clean-up deleted a guest who was due.
    case cleanUp = "clean-up"
}

extension AccountFlows {
    /// Deletes the user of an ID token at their own request (contract, 3.6).
    ///
    /// - Returns: the user as before the deletion.
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED (an administrator), CREDENTIAL_TOO_OLD_LOGIN_AGAIN,
    ///   MERGE_IN_PROGRESS, or those of ``authenticate(_:in:)``. The store's error if rows in the operator's own tables
    ///   keep the user.
    package func deleteUser(_ token: PresentedToken, in store: some AccountStore) throws -> User {
        try store.prefetch { store in
            _ = try store.sessionAndUser(token.sid)
            _ = try store.administrators()
        }
        let presented = try authenticate(token, in: store)
        try refuseIfAdministrator(presented.user.uid, in: store)
        try requireRecentSignIn(presented, in: store)
        try delete(presented.user, because: .request, in: store)
        return presented.user
    }

    /// Deletes a user with everything that belongs to them, including their sessions and known clients, records this in
    /// the audit log, and queues ``HookEvent/userDeleted``.
    ///
    /// - Throws: ``Refusal`` MERGE_IN_PROGRESS. The store's error if rows in the operator's own tables keep the user.
    package func delete(_ user: User, because cause: DeletionCause, in store: some AccountStore) throws {
        try user.refuseIfMergeSuspended()
        try store.requireSerializable(for: .deletion)
        try store.lockUsers([user.uid])
        try store.deleteSessions(of: user.uid)
        try forgetClients(of: user, in: store)
        try store.deleteUser(user.uid, mergedInto: nil)
        try dismissAdministrator(user.uid, in: store)
        try recordDeletion(of: user.uid, isAnonymous: user.isAnonymous, because: cause, in: store)
    }

    /// Records the deletion of a user in the audit log and queues its hook messages, in the deletion's transaction.
    ///
    /// Every deletion of a user goes through here, except that of a guest who is merged and the emulator's reset of the
    /// whole database.
    func recordDeletion(
        of uid: String,
        isAnonymous: Bool,
        because cause: DeletionCause,
        in store: some AccountStore
    ) throws {
        try audit(.userDeleted, uid: uid, detail: cause.rawValue, in: store)
        try announce(.userDeleted, uid, isAnonymous: isAnonymous, in: store)
    }
}
