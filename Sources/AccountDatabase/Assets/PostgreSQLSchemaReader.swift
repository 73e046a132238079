internal import Database

/// Reads the tables and their relations from PostgreSQL's catalogue, in all schemas but the system's own.
struct PostgreSQLSchemaReader {
    let transaction: Transaction

    /// The condition for schemas of interest, on a `pg_namespace` aliased as `n`.
    private static let isOfInterest: SQL = "n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'"
    /// The SQL for the schema of a table as ``TableName`` has it, for a `pg_class` aliased as `c`.
    ///
    /// Tables found by their bare name are in `main`.
    private static let schema: SQL = "CASE WHEN pg_table_is_visible(c.oid) THEN 'main' ELSE n.nspname END"

    /// Returns a number that changes with every change to tables, columns, indexes, constraints and triggers.
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
        let schemas = try readNames(&tables, &contents)
        guard !tables.isEmpty else { return contents }
        try readHeirs(&tables)
        try readColumns(&tables)
        try readIndexes(&tables)
        try readPartitionedIndexes(&tables)
        let foreign = try readForeignKeys(&tables)
        try readTriggers(&tables)
        for table in tables.values {
            contents[table.name.schema, default: SchemaContent()].tables[table.name.name] = table
            // A table that is found by its bare name can also be named in full.
            if let schema = schemas[table.name] {
                contents[schema, default: SchemaContent()].tables[table.name.name] = table
            }
        }
        contents[TableName.main]?.foreign = foreign
        return contents
    }

    /// Adds the operator's tables to `tables`, and their views, partitions and foreign tables to `contents`.
    ///
    /// - Returns: the PostgreSQL schema of each added table.
    private func readNames(
        _ tables: inout [TableName: TableSchema],
        _ contents: inout [String: SchemaContent]
    ) throws -> [TableName: String] {
        // The owner of a table defines its triggers, which run with the privileges of the role that changes a row.
        let found = try transaction.all(
            """
            SELECT \(Self.schema), c.relname, n.nspname,
                CASE WHEN c.relispartition THEN 'partition' ELSE CASE c.relkind WHEN 'v' THEN 'view'
                    WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' END END,
                CASE WHEN o.rolname <> current_user AND NOT o.rolsuper THEN o.rolname END,
                concat_ws(', ',
                    CASE WHEN NOT has_schema_privilege(n.oid, 'USAGE') THEN 'USAGE of its schema' END,
                    CASE WHEN NOT has_table_privilege(c.oid, 'SELECT') THEN 'SELECT' END,
                    CASE WHEN NOT has_any_column_privilege(c.oid, 'UPDATE') THEN 'UPDATE' END,
                    CASE WHEN NOT has_table_privilege(c.oid, 'DELETE') THEN 'DELETE' END),
                CAST(row_security_active(c.oid) AS INTEGER)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles o ON o.oid = c.relowner
            WHERE \(Self.isOfInterest) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 1, 2
            """
        ) { row in
            (
                name: TableName(schema: try row.text(0), name: try row.text(1)), schema: try row.text(2),
                other: try row.optionalText(3), stranger: try row.optionalText(4), missing: try row.text(5),
                isFiltered: try row.integer(6) != 0
            )
        }
        var schemas: [TableName: String] = [:]
        for row in found where !SchemaContent.isOurs(row.name) {
            if let other = row.other {
                contents[row.name.schema, default: SchemaContent()].others[row.name.name] = other
                continue
            }
            var table = TableSchema(name: row.name)
            table.stranger = row.stranger
            if !row.missing.isEmpty {
                table.obstacle = "Latchkey's role lacks the privileges \(row.missing)"
            } else if row.isFiltered {
                table.obstacle = "a row security policy hides rows of it from Latchkey's role, which needs BYPASSRLS"
            }
            tables[row.name] = table
            schemas[row.name] = row.schema
        }
        return schemas
    }

    private func readHeirs(_ tables: inout [TableName: TableSchema]) throws {
        let found = try transaction.all(
            """
            SELECT \(Self.schema), c.relname, h.oid, h.relname, m.nspname, CAST(pg_table_is_visible(h.oid) AS INTEGER)
            FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent JOIN pg_namespace n ON n.oid = c.relnamespace
                JOIN pg_class h ON h.oid = i.inhrelid JOIN pg_namespace m ON m.oid = h.relnamespace
            WHERE c.relkind = 'r' AND h.relkind = 'r' AND \(Self.isOfInterest) ORDER BY i.inhparent, i.inhrelid
            """
        ) { row in
            (
                parent: TableName(schema: try row.text(0), name: try row.text(1)),
                heir: TableName(
                    schema: try row.integer(5) != 0 ? TableName.main : try row.text(4),
                    name: try row.text(3)
                )
            )
        }
        for (parent, heir) in found { tables[parent]?.heirs.append(heir) }
    }

    private func readColumns(_ tables: inout [TableName: TableSchema]) throws {
        let rows = try transaction.all(
            """
            SELECT \(Self.schema), c.relname, a.attname, CAST(a.attgenerated <> '' AS INTEGER),
                CAST(a.attnotnull AS INTEGER), COALESCE(array_position(CAST(i.indkey AS SMALLINT[]), a.attnum) + 1, 0),
                CASE WHEN t.typcategory <> 'S' THEN format_type(a.atttypid, a.atttypmod) END,
                CAST(t.typcategory = 'S' AND
                    (t.typname IN ('citext', 'bpchar') OR t.typtype = 'd' OR NOT l.collisdeterministic) AS INTEGER),
                q.nspname, l.collname
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
                JOIN pg_type t ON t.oid = a.atttypid
                LEFT JOIN pg_collation l ON l.oid = a.attcollation LEFT JOIN pg_namespace q ON q.oid = l.collnamespace
                LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
            WHERE \(Self.isOfInterest) AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
            ORDER BY c.oid, a.attnum
            """
        ) { row in
            var column = TableSchema.Column(
                name: try row.text(2),
                isGenerated: try row.integer(3) != 0,
                isRequired: try row.integer(4) != 0,
                keyPlace: Int(try row.integer(5))
            )
            column.foreignType = try row.optionalText(6)
            column.isLoose = try row.optionalInteger(7) == 1
            if let schema = try row.optionalText(8), let name = try row.optionalText(9) {
                column.collation = "\(identifier: schema).\(identifier: name)"
            }
            return (table: TableName(schema: try row.text(0), name: try row.text(1)), column: column)
        }
        for (table, column) in rows { tables[table]?.columns.append(column) }
        for name in tables.keys {
            // A row's physical location changes with each update, so the primary key is better.
            let key = tables[name]?.primaryKey ?? []
            tables[name]?.rowKey = key.isEmpty ? ["tableoid", "ctid"] : key
        }
    }

    private func readIndexes(_ tables: inout [TableName: TableSchema]) throws {
        let rows = try transaction.all(
            """
            SELECT \(Self.schema), c.relname, x.relname, CAST(i.indisunique OR i.indisexclusion AS INTEGER),
                CAST(i.indpred IS NOT NULL AS INTEGER), k.place, a.attname,
                CAST(NOT i.indisexclusion AND i.indcollation[CAST(k.place AS INTEGER) - 1] = a.attcollation AS INTEGER),
                CAST(COALESCE(to_jsonb(i) ->> 'indnullsnotdistinct', 'false') = 'true' AS INTEGER)
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
                column: try row.optionalText(6), isPlain: try row.optionalInteger(7) == 1,
                joinsNulls: try row.integer(8) != 0
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
                            violation: row.index,
                            joinsNulls: row.joinsNulls
                        )
                    )
                }
                let last = table.uniqueIndexes.count - 1
                // Exclusion constraints and other collations are left to the engine.
                if let column = row.column, row.isPlain, table.column(column)?.isGenerated == false {
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

    /// Adds to each unique index of a partitioned table the names of the matching indexes of its partitions.
    private func readPartitionedIndexes(_ tables: inout [TableName: TableSchema]) throws {
        let found = try transaction.all(
            """
            SELECT \(Self.schema), c.relname, x.relname, y.relname
            FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
                JOIN pg_class x ON x.oid = i.indexrelid
                CROSS JOIN LATERAL pg_partition_tree(i.indexrelid) AS z JOIN pg_class y ON y.oid = z.relid
            WHERE \(Self.isOfInterest) AND c.relkind = 'p' AND i.indisunique
            """
        ) { row in
            (
                table: TableName(schema: try row.text(0), name: try row.text(1)), index: try row.text(2),
                partition: try row.text(3)
            )
        }
        for (table, index, partition) in found {
            let place = tables[table]?.uniqueIndexes.firstIndex { $0.name == index }
            if let place { tables[table]?.uniqueIndexes[place].partitions.insert(partition) }
        }
    }

    /// Adds the foreign keys to the tables that have them and to the tables that they refer to.
    ///
    /// A partition's keys count for its parent table.
    ///
    /// - Returns: the operator's foreign keys to Latchkey's tables other than `users`.
    private func readForeignKeys(_ tables: inout [TableName: TableSchema]) throws -> [ForeignKey] {
        let parentSchema: SQL = "CASE WHEN pg_table_is_visible(p.oid) THEN 'main' ELSE m.nspname END"
        let rows = try transaction.all(
            """
            SELECT CAST(k.oid AS BIGINT), \(Self.schema), c.relname, \(parentSchema), p.relname, a.attname, b.attname,
                CASE k.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT'
                    WHEN 'r' THEN 'RESTRICT' ELSE 'NO ACTION' END,
                CAST(k.condeferrable AS INTEGER), CAST(k.confupdtype = 'c' AS INTEGER)
            FROM pg_constraint k JOIN pg_class c ON c.oid = COALESCE(pg_partition_root(k.conrelid), k.conrelid)
                JOIN pg_namespace n ON n.oid = c.relnamespace
                JOIN pg_class p ON p.oid = COALESCE(pg_partition_root(k.confrelid), k.confrelid)
                JOIN pg_namespace m ON m.oid = p.relnamespace
                CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY AS z (child, parent, place)
                JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = z.child
                JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = z.parent
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
            SELECT DISTINCT \(Self.schema), c.relname FROM pg_trigger t
                JOIN pg_class c ON c.oid = COALESCE(pg_partition_root(t.tgrelid), t.tgrelid)
                JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE NOT t.tgisinternal AND \(Self.isOfInterest)
            """
        ) { row in TableName(schema: try row.text(0), name: try row.text(1)) }
        for table in found { tables[table]?.hasTriggers = true }
    }
}
