package import Database

/// The pause of e-mails to a mailbox that a mail server reported as nonexistent.
package struct Suppression: Sendable, Equatable {
    /// The keyed hash of the mailbox's address.
    package let mailbox: String
    /// When the pause ends, in milliseconds since 1970.
    package let until: Int64
    /// When an e-mail was last sent to the mailbox, in milliseconds since 1970; `nil` if an earlier version sent it.
    package let triedAt: Int64?
}

extension Transaction {
    package func suppress(_ mailbox: String, for milliseconds: Int64) throws {
        try enqueue(
            """
            INSERT INTO suppressed_mailboxes (mailbox, suppressed_until, tried_at)
            VALUES (\(mailbox), \(now + milliseconds), \(now))
            ON CONFLICT (mailbox)
                DO UPDATE SET suppressed_until = excluded.suppressed_until, tried_at = excluded.tried_at
            """
        )
    }

    /// Returns the suppressions of those of the mailboxes, by the keyed hashes of their addresses, to which no e-mail is
    /// sent at present.
    package func suppressions(among mailboxes: [String]) throws -> [Suppression] {
        try all(
            """
            SELECT mailbox, suppressed_until, tried_at FROM suppressed_mailboxes
            WHERE mailbox\(dialect.isAny(of: mailboxes)) AND suppressed_until > \(now)
            """
        ) { row in
            Suppression(
                mailbox: try row.text(0),
                until: try row.integer(1),
                triedAt: try row.optionalInteger(2)
            )
        }
    }

    /// Records that an e-mail is sent to a suppressed mailbox, to see whether it exists by now.
    package func recordTrial(of mailbox: String) throws {
        try enqueue("UPDATE suppressed_mailboxes SET tried_at = \(now) WHERE mailbox = \(mailbox)")
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
