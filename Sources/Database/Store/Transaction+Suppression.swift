extension Transaction {
    /// Stops mails to a mailbox that does not exist, for a while.
    ///
    /// - Parameters:
    ///   - mailbox: the keyed hash of its address.
    ///   - milliseconds: how long from now.
    package func suppress(_ mailbox: String, for milliseconds: Int64) throws {
        try perform(
            """
            INSERT INTO suppressed_mailboxes (mailbox, suppressed_until) VALUES (\(mailbox), \(now + milliseconds))
            ON CONFLICT (mailbox) DO UPDATE SET suppressed_until = excluded.suppressed_until
            """
        )
    }

    /// Which of these mailboxes get no mail at present.
    package func suppressedMailboxes(among mailboxes: [String]) throws -> Set<String> {
        let found = try all(
            """
            SELECT mailbox FROM suppressed_mailboxes WHERE mailbox IN \(in: mailboxes) AND suppressed_until > \(now)
            """
        ) { row in try row.text(0) }
        return Set(found)
    }

    package func endSuppression(of mailbox: String) throws {
        try perform("DELETE FROM suppressed_mailboxes WHERE mailbox = \(mailbox)")
    }

    /// Sends mails again to the mailbox that a failed mail went to.
    ///
    /// - Returns: whether the mail failed because its mailbox does not exist.
    package func endSuppression(ofMail mail: String) throws -> Bool {
        let mailbox = try first("SELECT mailbox FROM outbox WHERE mail = \(mail)") { row in try row.optionalText(0) }
        guard let mailbox = mailbox ?? nil else { return false }
        try endSuppression(of: mailbox)
        return true
    }
}
