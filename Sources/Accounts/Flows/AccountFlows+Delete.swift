/// What deletes a user.
package enum DeletionCause: String, Sendable {
    /// A guest signed out.
    case signOut = "sign-out"
    /// The user asked for it.
    case request
    case `operator`
    /// A guest's time was over.
    case cleanUp = "clean-up"
}

extension AccountFlows {
    /// Deletes the user of an ID token at their own wish (contract, 3.6).
    ///
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED (an administrator), CREDENTIAL_TOO_OLD_LOGIN_AGAIN, MERGE_IN_PROGRESS, or those
    ///   of ``authenticate(_:in:)``.
    package func deleteUser(_ token: PresentedToken, in store: some AccountStore) throws -> User {
        try store.foresee { store in
            _ = try store.sessionAndUser(token.sid)
            _ = try store.administrators()
        }
        let presented = try authenticate(token, in: store)
        try refuseIfAdministrator(presented.user.uid, in: store)
        try requireRecentSignIn(presented, in: store)
        try delete(presented.user, because: .request, in: store)
        return presented.user
    }

    /// Deletes a user for good, with their sessions.
    ///
    /// - Throws: ``Refusal`` MERGE_IN_PROGRESS. Where rows in the operator's own tables keep the user, the store's error.
    package func delete(_ user: User, because cause: DeletionCause, in store: some AccountStore) throws {
        try user.refuseIfHeld()
        try store.hold([user.uid])
        try store.deleteSessions(of: user.uid)
        try forgetClients(of: user, in: store)
        try store.deleteUser(user.uid, mergedInto: nil)
        try dismissAdministrator(user.uid, in: store)
        try noteDeletion(of: user.uid, isAnonymous: user.isAnonymous, because: cause, in: store)
    }

    /// What every deletion ends with, in its transaction: the one place that each deleted UID passes, whatever deleted it.
    func noteDeletion(
        of uid: String,
        isAnonymous: Bool,
        because cause: DeletionCause,
        in store: some AccountStore
    ) throws {
        try store.audit(.userDeleted, uid: uid, detail: cause.rawValue)
        try announce(.userDeleted, uid, isAnonymous: isAnonymous, in: store)
    }
}
