package import Accounts
internal import Tokens

extension Transaction {
    /// The newest codes that may still be used, the oldest of them first, but for those of notices that Firebase does not know.
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

    /// Drops the mails that no worker holds.
    package func dropWaitingMails() throws {
        try perform("DELETE FROM outbox WHERE leased_by IS NULL")
    }

    /// Whether a worker holds a mail.
    package func hasLeasedMail() throws -> Bool {
        try first(
            "SELECT 1 FROM outbox WHERE state = 'queued' AND leased_by IS NOT NULL AND due_at > \(now) LIMIT 1"
        ) { _ in true } ?? false
    }

    /// Deletes everything but the signing keys and some settings.
    ///
    /// Its transaction must not be shared with others: keys and triggers of the operator's tables run in it.
    package func wipe(butSettings kept: [String]) throws {
        for table in Self.wipedTables { try execute("DELETE FROM \(identifier: table)") }
        try perform("DELETE FROM settings WHERE name NOT IN \(in: kept)")
    }

    /// The tables that are emptied, those that refer to others first.
    static let wipedTables = [
        "action_codes", "tickets", "outbox", "sessions", "method_changes", "identities", "documents", "changes",
        "usernames", "users",
        "former_users", "merges", "webhook_deliveries", "limits", "known_clients", "spent_tokens", "audit_log",
        "leases", "suppressed_mailboxes",
    ]
}
