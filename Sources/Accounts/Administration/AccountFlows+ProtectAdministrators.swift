extension AccountFlows {
    /// Refuses to change the sign-in methods of a user in `administrators`, or to delete the user.
    ///
    /// Asked in the transaction that makes the change, because the list may have changed since the change was requested.
    ///
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED.
    func refuseIfAdministrator(_ uid: String, in store: some AccountStore) throws {
        if try store.administrators().contains(uid) { throw Refusal.protectsAdministrator }
    }

    /// Refuses an administrator's call about a user in `administrators`, unless the key authorizes it.
    ///
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED.
    func require(_ authority: AdministratorAuthority, over uid: String, in store: some AccountStore) throws {
        if authority == .idToken { try refuseIfAdministrator(uid, in: store) }
    }

    /// Refuses the redemption of a ticket that would give an administrator another address, or that an administrator's ID token
    /// made a link for.
    ///
    /// - Parameters:
    ///   - ticket: the ticket.
    ///   - presented: the user whose session was presented.
    ///   - owner: the user with the ticket's address.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED.
    func protectAdministrators(
        from ticket: Ticket,
        presented: User?,
        owner: User?,
        in store: some AccountStore
    ) throws {
        if let presented, presented.email != ticket.email || presented.emailVerifiedAt == nil {
            try refuseIfAdministrator(presented.uid, in: store)
        }
        if ticket.mintedAt != nil, let owner { try refuseIfAdministrator(owner.uid, in: store) }
    }
}

extension Refusal {
    /// The refusal of a change to an account in `administrators`.
    static let protectsAdministrator = Refusal(
        .operationNotAllowed,
        detail: "This user is an administrator. Only the administrator's key, the admin listener and the command line "
            + "change an administrator's sign-in methods."
    )
}
