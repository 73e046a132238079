/// The outcome of deleting several users.
package struct DeletedUsers: Sendable {
    package var users: [User] = []
    /// The existing users who were not deleted, each with their place in the caller's list and the reason; unknown UIDs
    /// are left out.
    package var kept: [(place: Int, uid: String, reason: Refusal)] = []

    /// Makes an empty outcome.
    package init() {}
}

extension AccountFlows {
    /// Deletes a user for an administrator, who is ``actor`` (contract, 3.6).
    ///
    /// - Throws: ``Refusal`` USER_NOT_FOUND, OPERATION_NOT_ALLOWED (an administrator), MERGE_IN_PROGRESS. The store's
    ///   error if rows in the operator's own tables keep the user.
    package func deleteUser(_ uid: String, in store: some AccountStore) throws -> User {
        guard let user = try store.user(uid) else { throw Refusal(.userNotFound) }
        try requireAuthority(over: uid, in: store)
        try delete(user, because: .operator, in: store)
        return user
    }

    /// Deletes users for an administrator, who is ``actor`` (contract, 3.11); unknown users are not an error.
    ///
    /// - Parameters:
    ///   - uids: the users' UIDs, each with its place in the caller's list.
    ///   - force: whether to delete also users whom no administrator has disabled.
    ///   - store: the transaction.
    /// - Throws: the store's error if rows in the operator's own tables keep a user; refusals are part of the outcome.
    package func deleteUsers(
        _ uids: some Collection<(offset: Int, element: String)>,
        force: Bool,
        in store: some AccountStore
    ) throws -> DeletedUsers {
        var outcome = DeletedUsers()
        // All at once, because locks are taken in one order, and the caller's list may have another one.
        try store.lockUsers(uids.map(\.element))
        for (place, uid) in uids {
            guard let user = try store.user(uid) else { continue }
            do {
                try requireAuthority(over: uid, in: store)
                // A contested account has not been disabled by an administrator: its owner is yet to be determined.
                guard force || user.disabledAt != nil else {
                    throw Refusal(.notDisabled, detail: "Disable the account before batch deletion.")
                }
                try delete(user, because: .operator, in: store)
                outcome.users.append(user)
            } catch let refusal as Refusal {
                // Thrown before any change.
                outcome.kept.append((place, uid, refusal))
            }
        }
        return outcome
    }
}
