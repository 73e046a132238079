/// What came of the deletion of several users.
package struct DeletedUsers: Sendable {
    package var users: [User] = []
    /// Those who stay, by their place in the list.
    package var kept: [(place: Int, uid: String, reason: Refusal)] = []

    /// Nothing, so far.
    package init() {}
}

extension AccountFlows {
    /// Deletes a user for an administrator (contract, 3.6).
    ///
    /// - Throws: ``Refusal`` USER_NOT_FOUND, OPERATION_NOT_ALLOWED (an administrator), MERGE_IN_PROGRESS. Where rows in the
    ///   operator's own tables keep the user, the store's error.
    package func deleteUser(
        _ uid: String,
        by authority: AdministratorAuthority,
        in store: some AccountStore
    ) throws -> User {
        guard let user = try store.user(uid) else { throw Refusal(.userNotFound) }
        try require(authority, over: uid, in: store)
        try delete(user, because: .operator, in: store)
        return user
    }

    /// Deletes users for an administrator (contract, 3.11); those who do not exist are no error.
    ///
    /// - Parameters:
    ///   - uids: the users, each with its place in the caller's list.
    ///   - force: whether also those go who are not disabled.
    ///   - authority: what the call was authorized by.
    ///   - store: the transaction.
    package func deleteUsers(
        _ uids: some Sequence<(offset: Int, element: String)>,
        force: Bool,
        by authority: AdministratorAuthority,
        in store: some AccountStore
    ) throws -> DeletedUsers {
        var outcome = DeletedUsers()
        for (place, uid) in uids {
            guard let user = try store.user(uid) else { continue }
            do {
                try require(authority, over: uid, in: store)
                // A contested account is not one that an administrator has disabled: its owner is yet to be found out.
                guard force || user.disabledAt != nil else {
                    throw Refusal(.notDisabled, detail: "Disable the account before batch deletion.")
                }
                try delete(user, because: .operator, in: store)
                outcome.users.append(user)
            } catch let refusal as Refusal {
                // Thrown before anything is changed.
                outcome.kept.append((place, uid, refusal))
            }
        }
        return outcome
    }
}
