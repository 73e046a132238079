extension AccountFlows {
    /// The counter that is running while a session or a client is denied an address.
    ///
    /// - Parameters:
    ///   - asker: the session's id, or the keyed hash of the client's network address.
    ///   - mailbox: the keyed hash of the folded address.
    func denial(of asker: String, at mailbox: String) -> String { "denied:\(mailbox):\(asker)" }

    /// The counter that is running while a client that many addresses denied gets few e-mails.
    func throttle(of client: String) -> String { "denied-often:\(client)" }

    /// Counts a denied request against the session and the client that asked.
    ///
    /// They do not get another e-mail for the address for a day. A client that too many addresses deny within an hour gets few
    /// e-mails for an hour.
    func countDenial(of ticket: Ticket, in store: some AccountStore) throws {
        let mailbox = try mailboxHash(ticket.email)
        let client = ticket.asking.client
        let denied = denial(of: client, at: mailbox)
        let limit = policy.denialsPerClient
        let hour = store.now - store.now % limit.window
        let isRepeated = try store.counters([denied]).contains { $0.since >= hour }
        try store.restart(denied, ifBegunBy: store.now)
        if let sid = ticket.asking.sid { try store.restart(denial(of: sid, at: mailbox), ifBegunBy: store.now) }
        // Each address counts once.
        guard !isRepeated, try store.count("denials:\(client)", in: limit.window).used >= limit.count else { return }
        try store.restart(throttle(of: client), ifBegunBy: store.now - policy.mailsAfterDenials.window)
    }
}
