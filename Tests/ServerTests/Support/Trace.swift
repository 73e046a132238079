/// What to make of the statements that a server ran.
enum Trace {
    /// Whether a statement changes anything.
    static func isWrite(_ statement: String) -> Bool {
        !statement.hasPrefix("SELECT")
    }

    /// Whether a statement is of the work that is done once in a while, whatever clients do.
    static func isHousekeeping(_ statement: String) -> Bool {
        statement.hasPrefix("DELETE") && (statement.contains("WHERE id IN") || statement.contains("WHERE id > "))
            || statement.contains("cleanup") || statement.contains("INTO leases")
            || statement.contains("UPDATE leases") || statement.hasPrefix("INSERT INTO settings")
            || statement.contains("no server knows the hook")
            || statement.hasPrefix("INSERT INTO known_clients")
    }

    /// Whether a statement looks into accounts.
    static func readsAccounts(_ statement: String) -> Bool {
        statement.contains("users") || statement.contains("identities")
    }
}
