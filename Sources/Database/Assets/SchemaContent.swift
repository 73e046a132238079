/// What tables there are in one schema, or one file, and how they hang together.
struct SchemaContent: Sendable {
    /// Our own tables; everything else is the operator's.
    static let ownTables: Set<String> = [
        "action_codes", "audit_log", "changes", "documents", "former_users", "identities", "known_clients", "leases",
        "limits", "merges", "method_changes",
        "outbox",
        "schema_migrations", "sessions", "settings", "signing_keys", "spent_tokens", "suppressed_mailboxes", "tickets",
        "usernames", "users",
        "webhook_deliveries",
    ]
    /// Those that make up a whole database; what became of its schema each has of itself.
    static let copiedTables = ownTables.subtracting(["schema_migrations"])
    static let users = TableName(schema: TableName.main, name: "users")

    /// Tables by their names, in lower case where the engine makes no difference.
    var tables: [String: TableSchema] = [:]
    /// Views, virtual tables and the like by their names, with what they are.
    var others: [String: String] = [:]
    /// Foreign keys to tables of ours that are not `users`.
    var foreign: [ForeignKey] = []

    /// A table, or what else has the name.
    func find(_ name: String) -> (table: TableSchema?, other: String?)? {
        for name in [name, name.lowercased()] {
            if let table = tables[name] { return (table, nil) }
            if let other = others[name] { return (nil, other) }
        }
        return nil
    }

    /// Whether a table is one of ours.
    static func isOurs(_ table: TableName) -> Bool {
        table.schema == TableName.main && ownTables.contains(table.name.lowercased())
    }
}

extension Transaction {
    /// A number that changes with every change to the schema of the database itself.
    func schemaVersion() throws -> Int64 {
        switch dialect {
        case .sqlite: try SQLiteSchemaReader.version(self)
        case .postgreSQL: try PostgreSQLSchemaReader.version(self)
        }
    }

    /// What there is, by schema: in the database itself, and in attached files where the engine has such.
    func schemaContents(attached: [String]) throws -> [String: SchemaContent] {
        switch dialect {
        case .sqlite:
            try ([TableName.main] + attached).reduce(into: [:]) { contents, schema in
                contents[schema] = try SQLiteSchemaReader(transaction: self, schema: schema).read()
            }
        case .postgreSQL: try PostgreSQLSchemaReader(transaction: self).read()
        }
    }

    /// A table with a row that refers to nothing, and where to: for people, where the engine can be asked.
    func brokenReference(among tables: [TableName]) throws -> (child: TableName, parent: String)? {
        switch dialect {
        case .sqlite: try SQLiteSchemaReader.brokenReference(among: tables, in: self)
        case .postgreSQL: nil
        }
    }
}
