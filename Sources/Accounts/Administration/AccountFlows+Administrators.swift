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
