/// Classifies the statements that a server ran.
enum Trace {
    /// Whether a statement changes anything.
    static func isWrite(_ statement: String) -> Bool {
        !statement.hasPrefix("SELECT")
    }

    /// Whether a statement belongs to periodic work that does not depend on clients.
    static func isHousekeeping(_ statement: String) -> Bool {
        statement.hasPrefix("DELETE") && (statement.contains("WHERE id IN") || statement.contains("WHERE id > "))
            || statement.contains("cleanup") || statement.contains("INTO leases")
            || statement.contains("UPDATE leases") || statement.hasPrefix("INSERT INTO settings")
            || statement.contains("no server knows the hook")
            || statement.contains("FROM browser_sessions WHERE expires_at < ")
            || statement.hasPrefix("SELECT max(id) FROM (SELECT id FROM ")
            || statement.hasPrefix("INSERT INTO known_clients") || statement.hasPrefix("INSERT INTO mail_trace")
    }

    /// Whether a statement reads accounts.
    static func readsAccounts(_ statement: String) -> Bool {
        statement.contains("users") || statement.contains("identities")
    }
}
