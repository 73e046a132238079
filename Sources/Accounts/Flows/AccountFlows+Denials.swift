extension AccountFlows {
    /// The name of the counter that runs while a session or a client gets no e-mail for an address that denied it.
    ///
    /// - Parameters:
    ///   - asker: the session's id, or the keyed hash of the client's network address.
    ///   - mailbox: the hash of the address that ``mailboxHash(_:)`` returns.
    func denial(of asker: String, at mailbox: String) -> String { "denied:\(mailbox):\(asker)" }

    /// The name of the counter that runs while a client that many addresses denied gets few e-mails.
    ///
    /// - Parameter client: the keyed hash of the client's network address.
    func throttle(of client: String) -> String { "denied-often:\(client)" }

    /// Counts against the session and the client that requested an e-mail that the owner of the mailbox did not request
    /// it ("This wasn't me").
    ///
    /// The session gets no other e-mail for the address for ``Policy/denialLife``, nor does the client, unless the
    /// address has signed in from it. If too many addresses deny a client (``Policy/denialsPerClient``), its requests
    /// without history (``AskerStanding/hasHistory``) get only ``Policy/mailsAfterDenials``.
    ///
    /// - Parameters:
    ///   - email: the address that denied the request.
    ///   - client: the keyed hash of the asking client's network address; `nil` if it is unknown.
    ///   - session: the session that asked, if any.
    ///   - store: the transaction.
    func countDenial(of email: String, client: String?, session: String?, in store: some AccountStore) throws {
        let mailbox = try mailboxHash(email)
        if let session { try store.restart(denial(of: session, at: mailbox), ifBegunBy: store.now) }
        guard let client else { return }
        let denied = denial(of: client, at: mailbox)
        let limit = policy.denialsPerClient
        let hour = store.now - store.now % limit.window
        let isRepeated = try store.counters([denied]).contains { $0.since >= hour }
        try store.restart(denied, ifBegunBy: store.now)
        // Each address counts once.
        guard !isRepeated, try store.count("denials:\(client)", in: limit.window).used >= limit.count else { return }
        try store.restart(throttle(of: client), ifBegunBy: store.now - policy.mailsAfterDenials.window)
    }
}
