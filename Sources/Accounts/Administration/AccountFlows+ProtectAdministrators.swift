extension AccountFlows {
    /// Refuses a call that concerns a user in the setting `administrators`, such as one that changes the user's sign-in
    /// methods or deletes the user.
    ///
    /// Must run in the transaction that makes the change, because the list may have changed since the change was
    /// requested.
    ///
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED.
    func refuseIfAdministrator(_ uid: String, in store: some AccountStore) throws {
        if try store.administrators().contains(uid) { throw Refusal.protectsAdministrator }
    }

    /// Refuses an administrator's call about a user in the setting `administrators`, unless ``actor`` has the authority
    /// ``AdministratorAuthority/key``.
    ///
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED.
    func requireAuthority(over uid: String, in store: some AccountStore) throws {
        if actor.authority != .key { try refuseIfAdministrator(uid, in: store) }
    }

    /// Refuses the redemption of a ticket that would give a user in `administrators` another or a first proven address,
    /// or whose link was made with an administrator's ID token (``Ticket/mintedAt``) and signs in to such a user.
    ///
    /// - Parameters:
    ///   - ticket: the ticket.
    ///   - presented: the user whose session was presented; `nil` without a session.
    ///   - owner: the user with the ticket's address; `nil` if no user has it.
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
        guard ticket.mintedAt != nil, let owner else { return }
        // Read under the lock of the owner's row, which changes when the owner becomes an administrator.
        try refuseIfAdministrator(owner.uid, in: store)
    }
}

extension Refusal {
    /// The refusal OPERATION_NOT_ALLOWED of a change to the account of a user in the setting `administrators`.
    static let protectsAdministrator = Refusal(
        .operationNotAllowed,
        detail: "This user is an administrator. Only the administrator's key, the admin listener and the command line "
            + "change an administrator's sign-in methods."
    )
}
