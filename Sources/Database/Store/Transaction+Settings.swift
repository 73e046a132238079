extension Transaction {
    /// The value of a setting that is kept in the database, such as who is an administrator.
    package func setting(_ name: String) throws -> String? {
        try first("SELECT value FROM settings WHERE name = \(name)") { row in try row.text(0) }
    }

    /// Stores a setting.
    package func set(_ name: String, to value: String) throws {
        try perform(
            """
            INSERT INTO settings (name, value, updated_at) VALUES (\(name), \(value), \(now))
            ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
            """
        )
    }

    /// Forgets a setting.
    package func removeSetting(_ name: String) throws {
        try perform("DELETE FROM settings WHERE name = \(name)")
    }

    package func administrators() throws -> [String] {
        try setting("administrators")?.split(separator: " ").map(String.init) ?? []
    }

    package func setAdministrators(_ uids: [String]) throws {
        try set("administrators", to: uids.joined(separator: " "))
    }
}
