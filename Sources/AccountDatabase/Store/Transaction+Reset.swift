package import Accounts
package import Database
internal import Tokens

extension Transaction {
    /// Returns the newest action codes that can still be used, up to `limit`, oldest first: neither used nor expired,
    /// and not of a ticket that was redeemed or has ended.
    ///
    /// Codes of notices about changed sign-in methods are left out, because Firebase has no such codes.
    package func usableActionCodes(limit: Int) throws -> [StoredActionCode] {
        try all(
            """
            SELECT \(StoredActionCode.columns) FROM action_codes a LEFT JOIN tickets t ON t.ticket = a.ticket
            WHERE a.used_at IS NULL AND a.expires_at > \(now) AND (a.ticket IS NULL OR t.state IN ('open', 'approved'))
                AND a.purpose <> \(ActionPurpose.revertMethodChange.requestType)
            ORDER BY a.id DESC LIMIT \(limit)
            """
        ) { row in try StoredActionCode(row) }.reversed()
    }

    /// Deletes all e-mails of the outbox that no worker has leased, finished ones included.
    package func dropWaitingMails() throws {
        try enqueue("DELETE FROM outbox WHERE leased_by IS NULL")
    }

    /// Whether any queued e-mail has a lease that has not expired.
    package func hasLeasedMail() throws -> Bool {
        try first(
            "SELECT 1 FROM outbox WHERE state = 'queued' AND leased_by IS NOT NULL AND due_at > \(now) LIMIT 1"
        ) { _ in true } ?? false
    }

    /// Deletes all rows of Latchkey's tables, except `schema_migrations`, the signing keys and the settings named in
    /// `kept`.
    ///
    /// The transaction must not be shared with other closures, because foreign keys and triggers of the operator's
    /// tables run in it.
    package func wipe(butSettings kept: [String]) throws {
        for table in Self.wipedTables { try execute("DELETE FROM \(identifier: table)") }
        try enqueue("DELETE FROM settings WHERE name NOT IN \(in: kept)")
    }

    /// The tables that ``wipe(butSettings:)`` empties completely, referring tables first.
    static let wipedTables = [
        "action_codes", "tickets", "outbox", "browser_sessions", "console_sessions", "sessions", "method_changes",
        "identities",
        "documents", "changes",
        "usernames", "users",
        "former_users", "merges", "webhook_deliveries", "limits", "known_clients", "spent_tokens", "audit_log",
        "leases", "suppressed_mailboxes",
    ]
}
