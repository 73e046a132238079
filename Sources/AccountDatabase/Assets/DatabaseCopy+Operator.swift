package import Database

extension DatabaseSnapshot {
    /// Returns the names of the operator's own tables in the snapshot, sorted.
    package func operatorsTables() throws -> [String] { try transaction.operatorsTables() }
}

extension DatabaseCopy {
    /// Creates a copy to a file.
    ///
    /// - Parameters:
    ///   - source: the snapshot to copy.
    ///   - path: the path of the file, which appears when the copy is complete.
    ///   - replaces: whether an existing Latchkey database may be replaced, if it has no tables of the operator's.
    package convenience init(_ source: DatabaseSnapshot, toSQLite path: String, replaces: Bool) {
        self.init(source, toSQLite: path, replaces: replaces) { try $0.operatorsTables() }
    }

    /// Creates a copy to a database on a server.
    ///
    /// - Parameters:
    ///   - source: the snapshot to copy.
    ///   - configuration: how to reach the server.
    ///   - replaces: whether existing rows of Latchkey's may be replaced, if no table of the operator's refers to them.
    package convenience init(_ source: DatabaseSnapshot, to configuration: PostgreSQLConfiguration, replaces: Bool) {
        self.init(source, to: configuration, replaces: replaces) { try $0.referringTables() }
    }
}

extension Transaction {
    /// Returns the names of the operator's own tables, views and virtual tables, sorted, without those of attached
    /// files.
    func operatorsTables() throws -> [String] {
        let names = try schemaContents(attached: []).values.flatMap { content in
            // Shadow tables of virtual tables are not listed.
            content.tables.values.map(\.name.text) + content.others.filter { $0.value != "shadow" }.keys
        }
        // A table that can be named in two ways occurs twice.
        return Set(names).sorted()
    }

    /// Returns the names of the operator's tables with a foreign key to any of Latchkey's tables, sorted.
    func referringTables() throws -> [String] {
        let tables = try schemaContents(attached: []).values.flatMap(\.tables.values)
            .filter { table in table.foreignKeys.contains { SchemaContent.isOurs($0.parent) } }
        return Set(tables.map(\.name.text)).sorted()
    }
}
