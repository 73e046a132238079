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
    ///
    /// - Parameters:
    ///   - email: the address that denied the request.
    ///   - client: the keyed hash of the asking client's network address; `nil` where it is unknown.
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
