extension AccountFlows {
    /// Returns what the user of an ID token may do as an administrator; `nil` unless the token is valid now
    /// (``authenticate(_:in:)``) and its user is listed in the setting `administrators`.
    ///
    /// No claim of a token makes its user an administrator. Calls of clients or of administrators add no user to the
    /// setting; the server removes users who are deleted.
    package func administratorRole(of token: PresentedToken, in store: some AccountStore) throws -> AdministratorRole? {
        guard let role = try store.administratorList()[token.uid] else { return nil }
        do { _ = try authenticate(token, in: store) } catch is Refusal { return nil }
        return role
    }

    /// Removes the UID of a deleted user from the setting `administrators`, so that a later user with the UID is no
    /// administrator; does nothing if the UID is not listed.
    func dismissAdministrator(_ uid: String, in store: some AccountStore) throws {
        var list = try store.administratorList()
        guard list[uid] != nil else { return }
        list[uid] = nil
        try store.setAdministratorList(list)
    }
}

extension AccountFlows {
    /// Adds a user to the administrators, changes what an administrator may do, or removes an administrator.
    ///
    /// A guest who is added becomes a permanent user.
    ///
    /// - Parameters:
    ///   - role: what the user may do from now on; `nil` to remove the user.
    ///   - uid: the user.
    ///   - store: the transaction.
    /// - Throws: when adding, ``Refusal`` USER_NOT_FOUND.
    package func setAdministrator(_ role: AdministratorRole?, _ uid: String, in store: some AccountStore) throws {
        if role != nil {
            guard var user = try store.user(uid) else { throw Refusal(.userNotFound) }
            // A user whom the operator chose is not a guest any more, and is never cleaned up.
            user.anonymousSince = nil
            try store.update(user)
        }
        var list = try store.administratorList()
        guard list[uid] != role else { return }
        list[uid] = role
        try store.setAdministratorList(list)
        try audit(
            role == nil ? .administratorRemoved : .administratorAdded,
            uid: uid,
            detail: role == .readOnly ? "read-only" : nil,
            in: store
        )
    }

    /// Disables a user and ends their sessions, or enables the user again.
    ///
    /// Enabling also ends a contest about the account: the present address keeps the account.
    ///
    /// - Returns: whether there is such a user.
    package func setDisabled(_ isDisabled: Bool, _ uid: String, in store: some AccountStore) throws -> Bool {
        guard var user = try store.user(uid) else { return false }
        if isDisabled {
            user.disabledAt = user.disabledAt ?? store.now
            try store.endSessions(of: uid, except: nil, reason: .revoked)
            try recordChange(ofImported: uid, endsSessions: true, in: store)
        } else {
            try enable(&user, in: store)
        }
        try store.update(user)
        try audit(.userChanged, uid: uid, detail: isDisabled ? "disabled" : "enabled", in: store)
        return true
    }
}
