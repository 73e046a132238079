extension AccountFlows {
    /// Whether an ID token is that of an administrator, whose session is alive.
    ///
    /// Who is one stands in a setting that only the operator writes, and never in a claim.
    package func isAdministrator(_ token: PresentedToken, in store: some AccountStore) throws -> Bool {
        guard try store.administrators().contains(token.uid) else { return false }
        do { _ = try authenticate(token, in: store) } catch is Refusal { return false }
        return true
    }

    /// Takes a user who goes from the administrators, so that nobody who comes to have the UID is one.
    func dismissAdministrator(_ uid: String, in store: some AccountStore) throws {
        let administrators = try store.administrators()
        guard administrators.contains(uid) else { return }
        try store.setAdministrators(administrators.filter { $0 != uid })
    }
}
