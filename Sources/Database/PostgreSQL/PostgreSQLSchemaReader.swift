/// Reads what tables there are, and how they hang together, from PostgreSQL's catalogue: in every schema but the system's own.
struct PostgreSQLSchemaReader {
    let transaction: Transaction

    /// Which schemas are the operator's or ours, of a `pg_namespace` that the query calls `n`.
    private static let isOfInterest: SQL = "n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'"
    /// A schema as ``TableName`` has it.
    private static let schema: SQL = "CASE WHEN n.nspname = current_schema() THEN 'main' ELSE n.nspname END"

    /// A number that changes with every change to tables, columns, indexes, constraints and triggers.
    static func version(_ transaction: Transaction) throws -> Int64 {
        try transaction.first(
            """
            WITH tables AS (
                SELECT c.oid, c.xmin FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE \(isOfInterest) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
            ), marks AS (
                SELECT oid, xmin FROM tables
                UNION ALL SELECT a.attrelid, a.xmin FROM pg_attribute a JOIN tables t ON t.oid = a.attrelid WHERE a.attnum > 0
                UNION ALL SELECT i.indexrelid, i.xmin FROM pg_index i JOIN tables t ON t.oid = i.indrelid
                UNION ALL SELECT k.oid, k.xmin FROM pg_constraint k JOIN tables t ON t.oid = k.conrelid
                UNION ALL SELECT g.oid, g.xmin FROM pg_trigger g JOIN tables t ON t.oid = g.tgrelid
            )
            SELECT COALESCE(CAST(sum(hashtext(CAST(oid AS TEXT) || ' ' || CAST(xmin AS TEXT))) AS BIGINT), 0) FROM marks
            """
        ) { row in try row.integer(0) } ?? 0
    }

    func read() throws -> [String: SchemaContent] {
        var tables: [TableName: TableSchema] = [:]
        var contents: [String: SchemaContent] = [TableName.main: SchemaContent()]
        try readNames(&tables, &contents)
        try readColumns(&tables)
        try readIndexes(&tables)
        let foreign = try readForeignKeys(&tables)
        try readTriggers(&tables)
        for table in tables.values {
            contents[table.name.schema, default: SchemaContent()].tables[table.name.name.lowercased()] = table
        }
        contents[TableName.main]?.foreign = foreign
        return contents
    }

    private func readNames(
        _ tables: inout [TableName: TableSchema],
        _ contents: inout [String: SchemaContent]
    ) throws {
        let found = try transaction.all(
            """
            SELECT \(Self.schema), c.relname, CAST(c.relkind AS TEXT), CAST(c.relispartition AS INTEGER)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE \(Self.isOfInterest) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 1, 2
            """
        ) { row in
            (
                name: TableName(schema: try row.text(0), name: try row.text(1)), kind: try row.text(2),
                isPartition: try row.integer(3) != 0
            )
        }
        for (name, kind, isPartition) in found where !SchemaContent.isOurs(name) && !isPartition {
            switch kind {
            case "r", "p":
                var table = TableSchema(name: name)
                // Where a row is; in a partitioned table only its primary key tells.
                table.rowKey = kind == "r" ? ["ctid"] : []
                tables[name] = table
            default:
                let noun = kind == "v" ? "view" : kind == "m" ? "materialized view" : "foreign table"
                contents[name.schema, default: SchemaContent()].others[name.name.lowercased()] = noun
            }
        }
    }

    private func readColumns(_ tables: inout [TableName: TableSchema]) throws {
        let rows = try transaction.all(
            """
            SELECT \(Self.schema), c.relname, a.attname, CAST(a.attgenerated <> '' AS INTEGER),
                CAST(a.attnotnull AS INTEGER), COALESCE(array_position(CAST(i.indkey AS SMALLINT[]), a.attnum) + 1, 0)
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
                LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
            WHERE \(Self.isOfInterest) AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
            ORDER BY c.oid, a.attnum
            """
        ) { row in
            (
                table: TableName(schema: try row.text(0), name: try row.text(1)),
                column: TableSchema.Column(
                    name: try row.text(2),
                    isGenerated: try row.integer(3) != 0,
                    isRequired: try row.integer(4) != 0,
                    keyPlace: Int(try row.integer(5))
                )
            )
        }
        for (table, column) in rows { tables[table]?.columns.append(column) }
        for name in tables.keys where tables[name]?.rowKey.isEmpty == true {
            let key = tables[name]?.primaryKey ?? []
            tables[name]?.rowKey = key
        }
    }

    private func readIndexes(_ tables: inout [TableName: TableSchema]) throws {
        let rows = try transaction.all(
            """
            SELECT \(Self.schema), c.relname, x.relname, CAST(i.indisunique AS INTEGER),
                CAST(i.indpred IS NOT NULL AS INTEGER), k.place, a.attname
            FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
                JOIN pg_class x ON x.oid = i.indexrelid
                CROSS JOIN LATERAL unnest(CAST(i.indkey AS SMALLINT[])) WITH ORDINALITY AS k (number, place)
                LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number AND k.number > 0
            WHERE \(Self.isOfInterest) AND c.relkind IN ('r', 'p') AND i.indisvalid AND k.place <= i.indnkeyatts
            ORDER BY c.oid, i.indisprimary DESC, x.oid, k.place
            """
        ) { row in
            (
                table: TableName(schema: try row.text(0), name: try row.text(1)), index: try row.text(2),
                isUnique: try row.integer(3) != 0, isPartial: try row.integer(4) != 0, place: try row.integer(5),
                column: try row.optionalText(6)
            )
        }
        for row in rows {
            guard var table = tables[row.table] else { continue }
            if row.place == 1, let column = row.column, !row.isPartial { table.indexed.insert(column) }
            if row.isUnique {
                if table.uniqueIndexes.last?.name != row.index {
                    table.uniqueIndexes.append(
                        TableSchema.UniqueIndex(
                            name: row.index,
                            parts: [],
                            isExact: !row.isPartial,
                            violation: row.index
                        )
                    )
                }
                let last = table.uniqueIndexes.count - 1
                if let column = row.column, table.column(column)?.isGenerated == false {
                    table.uniqueIndexes[last].parts.append(
                        TableSchema.UniqueIndex.Part(column: column, collation: nil)
                    )
                } else {
                    table.uniqueIndexes[last].isExact = false
                }
            }
            tables[row.table] = table
        }
    }

    /// - Returns: the keys to tables of ours that are not `users`.
    private func readForeignKeys(_ tables: inout [TableName: TableSchema]) throws -> [ForeignKey] {
        let parentSchema: SQL = "CASE WHEN m.nspname = current_schema() THEN 'main' ELSE m.nspname END"
        let rows = try transaction.all(
            """
            SELECT CAST(k.oid AS BIGINT), \(Self.schema), c.relname, \(parentSchema), p.relname, a.attname, b.attname,
                CASE k.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT'
                    WHEN 'r' THEN 'RESTRICT' ELSE 'NO ACTION' END,
                CAST(k.condeferrable AS INTEGER), CAST(k.confupdtype = 'c' AS INTEGER)
            FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
                JOIN pg_class p ON p.oid = k.confrelid JOIN pg_namespace m ON m.oid = p.relnamespace
                CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY AS z (child, parent, place)
                JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = z.child
                JOIN pg_attribute b ON b.attrelid = p.oid AND b.attnum = z.parent
            WHERE k.contype = 'f' AND k.conparentid = 0 AND \(Self.isOfInterest)
            ORDER BY k.oid, z.place
            """
        ) { row in
            (
                id: try row.integer(0), child: TableName(schema: try row.text(1), name: try row.text(2)),
                parent: TableName(schema: try row.text(3), name: try row.text(4)),
                pair: ForeignKey.Pair(column: try row.text(5), parent: try row.text(6)), onDelete: try row.text(7),
                isDeferrable: try row.integer(8) != 0, cascades: try row.integer(9) != 0
            )
        }
        var foreign: [ForeignKey] = []
        var index = 0
        while index < rows.count {
            let first = rows[index]
            let parts = rows[index...].prefix { $0.id == first.id }
            index = parts.endIndex
            guard tables[first.child] != nil else { continue }
            let key = ForeignKey(
                child: first.child,
                parent: first.parent,
                pairs: parts.map(\.pair),
                onDelete: first.onDelete,
                timing: first.isDeferrable ? .deferrable : first.cascades ? .cascading : .immediate
            )
            tables[first.child]?.foreignKeys.append(key)
            if tables[first.parent] != nil {
                tables[first.parent]?.incoming.append(key)
            } else if first.parent != SchemaContent.users, SchemaContent.isOurs(first.parent) {
                foreign.append(key)
            }
        }
        return foreign
    }

    private func readTriggers(_ tables: inout [TableName: TableSchema]) throws {
        let found = try transaction.all(
            """
            SELECT DISTINCT \(Self.schema), c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE NOT t.tgisinternal AND \(Self.isOfInterest)
            """
        ) { row in TableName(schema: try row.text(0), name: try row.text(1)) }
        for table in found { tables[table]?.hasTriggers = true }
    }
}
