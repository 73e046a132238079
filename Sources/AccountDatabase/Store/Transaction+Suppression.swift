package import Database

extension Transaction {
    /// Stops e-mail to a mailbox that a mail server reported as nonexistent, for a limited time from now.
    ///
    /// - Parameters:
    ///   - mailbox: the keyed hash of the mailbox's address.
    ///   - milliseconds: the duration from now.
    package func suppress(_ mailbox: String, for milliseconds: Int64) throws {
        try enqueue(
            """
            INSERT INTO suppressed_mailboxes (mailbox, suppressed_until) VALUES (\(mailbox), \(now + milliseconds))
            ON CONFLICT (mailbox) DO UPDATE SET suppressed_until = excluded.suppressed_until
            """
        )
    }

    /// Returns those of the mailboxes, by the keyed hashes of their addresses, to which no e-mail is sent at present.
    package func suppressedMailboxes(among mailboxes: [String]) throws -> Set<String> {
        let found = try all(
            """
            SELECT mailbox FROM suppressed_mailboxes WHERE mailbox IN \(in: mailboxes) AND suppressed_until > \(now)
            """
        ) { row in try row.text(0) }
        return Set(found)
    }

    package func endSuppression(of mailbox: String) throws {
        try enqueue("DELETE FROM suppressed_mailboxes WHERE mailbox = \(mailbox)")
    }

    /// Ends the suppression of the mailbox to which an e-mail failed.
    ///
    /// - Parameter mail: the ID of the e-mail in the outbox.
    /// - Returns: whether the e-mail failed because its mailbox does not exist; otherwise nothing changes.
    package func endSuppression(ofMail mail: String) throws -> Bool {
        let mailbox = try first("SELECT mailbox FROM outbox WHERE mail = \(mail)") { row in try row.optionalText(0) }
        guard let mailbox = mailbox ?? nil else { return false }
        try endSuppression(of: mailbox)
        return true
    }
}
