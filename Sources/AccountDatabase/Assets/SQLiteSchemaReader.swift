internal import Database

/// Reads the tables and their relations from SQLite's catalogue.
struct SQLiteSchemaReader {
    let transaction: Transaction
    let schema: String

    /// Returns a number that changes with every change to the schema of the database itself.
    static func version(_ transaction: Transaction) throws -> Int64 {
        try transaction.first("SELECT schema_version FROM pragma_schema_version") { row in try row.integer(0) } ?? 0
    }

    /// Returns a table in which a row refers to a missing row, and the name of the table that it refers to; `nil` if
    /// there is none.
    static func brokenReference(
        among tables: [TableName],
        in transaction: Transaction
    ) throws -> (child: TableName, parent: String)? {
        for table in tables {
            let parent = try transaction.first(
                "SELECT parent FROM pragma_foreign_key_check(\(table.name), \(table.schema)) LIMIT 1"
            ) { row in try row.text(0) }
            if let parent { return (table, parent) }
        }
        return nil
    }

    func read() throws -> SchemaContent {
        var content = try names()
        try readColumns(&content)
        try readIndexes(&content)
        try readForeignKeys(&content)
        try readTriggers(&content)
        for key in content.tables.keys { content.tables[key]?.chooseRowKey() }
        return content
    }

    private func isOurs(_ name: String) -> Bool {
        SchemaContent.isOurs(TableName(schema: schema, name: name))
    }

    private func names() throws -> SchemaContent {
        var content = SchemaContent()
        let found = try transaction.all(
            """
            SELECT name, type, wr FROM pragma_table_list WHERE schema = \(schema) AND substr(name, 1, 7) <> 'sqlite_'
            ORDER BY name
            """
        ) { row in (name: try row.text(0), type: try row.text(1), isWithoutRowID: try row.integer(2) != 0) }
        for (name, type, isWithoutRowID) in found where !isOurs(name) {
            guard type == "table" else {
                content.others[name.lowercased()] = type
                continue
            }
            var table = TableSchema(name: TableName(schema: schema, name: name))
            // Until the columns are known, an empty list stands for a table with row IDs.
            table.rowKey = isWithoutRowID ? [""] : []
            content.tables[name.lowercased()] = table
        }
        return content
    }

    private func readColumns(_ content: inout SchemaContent) throws {
        let rows = try transaction.all(
            """
            SELECT t.name, x.name, x.hidden, x.pk, x."notnull"
            FROM pragma_table_list AS t, pragma_table_xinfo(t.name, \(schema)) AS x
            WHERE t.schema = \(schema) AND t.type = 'table' ORDER BY t.name, x.cid
            """
        ) { row in
            (
                table: try row.text(0),
                column: TableSchema.Column(
                    name: try row.text(1),
                    isGenerated: try row.integer(2) != 0,
                    isRequired: try row.integer(4) != 0,
                    keyPlace: Int(try row.integer(3))
                )
            )
        }
        for (table, column) in rows { content.tables[table.lowercased()]?.columns.append(column) }
    }

    private func readIndexes(_ content: inout SchemaContent) throws {
        let rows = try transaction.all(
            """
            SELECT t.name, i.name, i."unique", i.partial, x.seqno, x.name, x.coll
            FROM pragma_table_list AS t, pragma_index_list(t.name, \(schema)) AS i,
                pragma_index_xinfo(i.name, \(schema)) AS x
            WHERE t.schema = \(schema) AND t.type = 'table' AND x.key = 1
            ORDER BY t.name, i.origin = 'pk' DESC, i.seq, x.seqno
            """
        ) { row in
            (
                table: try row.text(0).lowercased(), index: try row.text(1), isUnique: try row.integer(2) != 0,
                isPartial: try row.integer(3) != 0, place: try row.integer(4), column: try row.optionalText(5),
                collation: try row.optionalText(6)
            )
        }
        for row in rows {
            guard var table = content.tables[row.table] else { continue }
            if row.place == 0, let column = row.column, !row.isPartial { table.indexed.insert(column) }
            if row.isUnique {
                if table.uniqueIndexes.last?.name != row.index {
                    let index = TableSchema.UniqueIndex(
                        name: row.index,
                        parts: [],
                        isExact: !row.isPartial,
                        violation: ""
                    )
                    table.uniqueIndexes.append(index)
                }
                let isPlain = row.column.flatMap(table.column)?.isGenerated == false
                let last = table.uniqueIndexes.count - 1
                if let column = row.column {
                    let said = "\(table.name.name).\(column)"
                    let before = table.uniqueIndexes[last].violation
                    table.uniqueIndexes[last].violation = before.isEmpty ? said : "\(before), \(said)"
                }
                if row.column == nil {
                    table.uniqueIndexes[last].violation =
                        "index '\(row.index.replacing("'", with: "''"))'"
                }
                if let column = row.column, isPlain {
                    table.uniqueIndexes[last].parts.append(
                        TableSchema.UniqueIndex.Part(column: column, collation: row.collation ?? "BINARY")
                    )
                } else {
                    table.uniqueIndexes[last].isExact = false
                }
            }
            content.tables[row.table] = table
        }
    }

    private func readForeignKeys(_ content: inout SchemaContent) throws {
        let rows = try transaction.all(
            """
            SELECT t.name, f.id, f."table", f."from", f."to", f.on_delete
            FROM pragma_table_list AS t, pragma_foreign_key_list(t.name, \(schema)) AS f
            WHERE t.schema = \(schema) AND t.type = 'table' ORDER BY t.name, f.id DESC, f.seq
            """
        ) { row in
            (
                table: try row.text(0).lowercased(), id: try row.integer(1), parent: try row.text(2),
                from: try row.text(3), to: try row.optionalText(4), onDelete: try row.text(5)
            )
        }
        var index = 0
        while index < rows.count {
            let first = rows[index]
            let parts = rows[index...].prefix { $0.table == first.table && $0.id == first.id }
            index = parts.endIndex
            guard let child = content.tables[first.table] else { continue }
            let parent = content.tables[first.parent.lowercased()]
            let isUsers = schema == TableName.main && first.parent.lowercased() == SchemaContent.users.name
            // A foreign key without columns refers to the primary key.
            let implied = isUsers ? ["id"] : parent?.primaryKey ?? []
            let pairs = parts.enumerated().compactMap { place, part -> ForeignKey.Pair? in
                let name = part.to ?? (place < implied.count ? implied[place] : nil)
                guard let name else { return nil }
                return ForeignKey.Pair(
                    column: child.column(part.from)?.name ?? part.from,
                    parent: isUsers ? name.lowercased() : parent?.column(name)?.name ?? name
                )
            }
            // SQLite itself refuses mismatched keys at the first change to either table.
            guard pairs.count == parts.count else { continue }
            let key = ForeignKey(
                child: child.name,
                parent: isUsers ? SchemaContent.users : parent?.name ?? TableName(schema: schema, name: first.parent),
                pairs: pairs,
                onDelete: first.onDelete,
                // Any key can be deferred by PRAGMA defer_foreign_keys.
                timing: .deferrable
            )
            content.tables[first.table]?.foreignKeys.append(key)
            if parent != nil {
                content.tables[first.parent.lowercased()]?.incoming.append(key)
            } else if !isUsers, isOurs(first.parent) {
                content.foreign.append(key)
            }
        }
    }

    private func readTriggers(_ content: inout SchemaContent) throws {
        let triggers = try transaction.all(
            "SELECT tbl_name, sql FROM \(identifier: schema).sqlite_schema WHERE type = 'trigger'"
        ) { row in (table: try row.text(0).lowercased(), text: try row.text(1)) }
        for (table, text) in triggers {
            content.tables[table]?.hasTriggers = true
            // This may match too much, but never too little: a table with "rollback" in its name is treated with the
            // same care.
            if text.lowercased().contains("rollback") { content.tables[table]?.mayRollBack = true }
        }
    }
}

extension TableSchema {
    /// Sets ``rowKey`` once the columns are known: the primary key of a table without row IDs, otherwise a name of the
    /// row ID.
    ///
    /// Empty if columns of the table hide all names of the row ID.
    fileprivate mutating func chooseRowKey() {
        if !rowKey.isEmpty {
            rowKey = primaryKey
            return
        }
        addRowNumberKey()
        // A column of that name hides the row ID.
        let taken = Set(columns.map { $0.name.lowercased() })
        rowKey = ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }.map { [$0] } ?? []
    }

    /// Adds the unique constraint of an INTEGER PRIMARY KEY, which is the row ID and therefore has no index.
    private mutating func addRowNumberKey() {
        let key = primaryKey
        guard key.count == 1, !uniqueIndexes.contains(where: { $0.isExact && $0.parts.map(\.column) == key }) else {
            return
        }
        uniqueIndexes.append(
            UniqueIndex(
                name: "",
                parts: [UniqueIndex.Part(column: key[0], collation: "BINARY")],
                isExact: true,
                violation: "\(name.name).\(key[0])"
            )
        )
    }
}
