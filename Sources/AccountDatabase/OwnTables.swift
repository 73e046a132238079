/// Latchkey's own tables.
///
/// All other tables are the operator's.
package enum OwnTables {
    /// All of Latchkey's tables except `schema_migrations`: the tables that a copy of a database contains.
    ///
    /// A table stands after the tables that its foreign keys refer to.
    package static let copied: [String] = [
        "users", "tickets",
        "action_codes", "audit_log", "browser_sessions", "changes", "console_sessions", "documents", "former_users",
        "identities",
        "known_clients", "leases",
        "limits", "merges", "method_changes", "outbox", "sessions", "settings", "signing_keys", "spent_tokens",
        "suppressed_mailboxes", "usernames", "webhook_deliveries",
    ]

    /// All of Latchkey's tables: ``copied`` and `schema_migrations`, which lists the migrations that the database has
    /// run.
    static let all = Set(copied).union(["schema_migrations"])
}
