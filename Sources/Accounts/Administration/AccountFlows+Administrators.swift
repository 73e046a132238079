extension AccountFlows {
    /// Whether an ID token is valid now (``authenticate(_:in:)``) and its user is listed in the setting
    /// `administrators`.
    ///
    /// No claim of a token makes its user an administrator. Calls of clients or of administrators add no user to the
    /// setting; the server removes users who are deleted.
    package func isAdministrator(_ token: PresentedToken, in store: some AccountStore) throws -> Bool {
        guard try store.administrators().contains(token.uid) else { return false }
        do { _ = try authenticate(token, in: store) } catch is Refusal { return false }
        return true
    }

    /// Removes the UID of a deleted user from the setting `administrators`, so that a later user with the UID is no
    /// administrator; does nothing if the UID is not listed.
    func dismissAdministrator(_ uid: String, in store: some AccountStore) throws {
        let administrators = try store.administrators()
        guard administrators.contains(uid) else { return }
        try store.setAdministrators(administrators.filter { $0 != uid })
    }
}

extension AccountFlows {
    /// Adds a user to the administrators, or removes the user.
    ///
    /// A guest who is added becomes a permanent user.
    ///
    /// - Throws: when adding, ``Refusal`` USER_NOT_FOUND.
    package func setAdministrator(_ isAdministrator: Bool, _ uid: String, in store: some AccountStore) throws {
        if isAdministrator {
            guard var user = try store.user(uid) else { throw Refusal(.userNotFound) }
            // A user whom the operator chose is not a guest any more, and is never cleaned up.
            user.anonymousSince = nil
            try store.update(user)
        }
        let before = try store.administrators()
        guard before.contains(uid) != isAdministrator else { return }
        let others = before.filter { $0 != uid }
        try store.setAdministrators(isAdministrator ? others + [uid] : others)
        try audit(isAdministrator ? .administratorAdded : .administratorRemoved, uid: uid, in: store)
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
            try noteChange(ofImported: uid, endsSessions: true, in: store)
        } else {
            try enable(&user, in: store)
        }
        try store.update(user)
        try audit(.userChanged, uid: uid, detail: isDisabled ? "disabled" : "enabled", in: store)
        return true
    }
}
