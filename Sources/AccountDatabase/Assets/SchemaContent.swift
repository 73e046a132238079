internal import Database

/// The tables of one schema or one file, and their relations.
struct SchemaContent: Sendable {
    static let users = TableName(schema: TableName.main, name: "users")

    /// The operator's tables, by name: in lower case for SQLite, which ignores case, and as it is for PostgreSQL.
    var tables: [String: TableSchema] = [:]
    /// The kinds of views, virtual tables and similar objects, such as `view`, by name as in ``tables``.
    var others: [String: String] = [:]
    /// Foreign keys to Latchkey's tables other than `users`.
    var foreign: [ForeignKey] = []

    /// Returns the table with this name, or the kind of another object with this name; `nil` if there is neither.
    func find(_ name: String) -> (table: TableSchema?, other: String?)? {
        for name in [name, name.lowercased()] {
            if let table = tables[name] { return (table, nil) }
            if let other = others[name] { return (nil, other) }
        }
        return nil
    }

    /// Whether a table is one of Latchkey's own.
    static func isOurs(_ table: TableName) -> Bool {
        table.schema == TableName.main && OwnTables.all.contains(table.name.lowercased())
    }
}

extension Transaction {
    /// Returns a number that changes with every change to the schema of the database itself.
    func schemaVersion() throws -> Int64 {
        switch dialect {
        case .sqlite: try SQLiteSchemaReader.version(self)
        case .postgreSQL: try PostgreSQLSchemaReader.version(self)
        }
    }

    /// Returns the operator's tables by schema: `main` for the database itself, in SQLite also the given attached
    /// files, in PostgreSQL all other schemas.
    func schemaContents(attached: [String]) throws -> [String: SchemaContent] {
        switch dialect {
        case .sqlite:
            try ([TableName.main] + attached).reduce(into: [:]) { contents, schema in
                contents[schema] = try SQLiteSchemaReader(transaction: self, schema: schema).read()
            }
        case .postgreSQL: try PostgreSQLSchemaReader(transaction: self).read()
        }
    }

    /// Returns a table in which a row refers to a missing row, and the name of the table that it refers to, for error
    /// messages.
    ///
    /// - Returns: `nil` if there is none, and always in PostgreSQL.
    func brokenReference(among tables: [TableName]) throws -> (child: TableName, parent: String)? {
        switch dialect {
        case .sqlite: try SQLiteSchemaReader.brokenReference(among: tables, in: self)
        case .postgreSQL: nil
        }
    }
}
