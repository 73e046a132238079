/// Reads whole tables in pieces of some hundred KiB, in a transaction.
struct TableReader {
    let connection: DatabaseSnapshot.Connection
    let transaction: Transaction

    /// Reads the columns, row counts and highest row numbers of the tables with these names.
    ///
    /// - Throws: `schema` for a table without a column `id`.
    func tables(_ names: [String]) throws -> [CopiedTable] {
        try names.map { name in
            let columns = try columns(of: name)
            guard columns.contains("id") else {
                throw DatabaseError(.schema, message: "the table \(name) has no column id")
            }
            let (rows, highest) =
                try transaction.first("SELECT COUNT(*), COALESCE(MAX(id), 0) FROM \(identifier: name)") { row in
                    (try row.integer(0), try row.integer(1))
                } ?? (0, 0)
            return CopiedTable(
                name: name,
                columns: columns,
                rows: rows,
                highest: max(highest, try sequence(of: name))
            )
        }
    }

    /// Passes on all rows of a table, in the order of their numbers, piece by piece.
    func read(_ table: CopiedTable, _ take: (RowLines) throws -> Void) throws {
        switch connection {
        case .postgreSQL(let connection): try connection.copyOut("COPY (\(table.query)) TO STDOUT", take)
        case .sqlite:
            let count = table.columns.count
            var lines = RowLines()
            try transaction.forEach(table.query) { row in
                try lines.append { line in
                    for column in 0..<count {
                        if column > 0 { line.append(RowText.separator) }
                        try RowText.append(try row.value(column), to: &line)
                    }
                    line.append(RowText.end)
                }
                if lines.isFull { try lines.pass(to: take) }
                return true
            }
            try lines.pass(to: take)
        }
    }

    private func columns(of table: String) throws -> [String] {
        switch transaction.dialect {
        case .sqlite:
            try transaction.all("SELECT name FROM pragma_table_info(\(table)) ORDER BY cid") { row in try row.text(0) }
        case .postgreSQL:
            try transaction.all(
                """
                SELECT CAST(column_name AS TEXT) FROM information_schema.columns
                WHERE table_schema = current_schema() AND table_name = \(table) ORDER BY ordinal_position
                """
            ) { row in try row.text(0) }
        }
    }

    /// Returns the last number that the table's sequence has returned; 0 for SQLite, and for an unused sequence.
    private func sequence(of table: String) throws -> Int64 {
        guard transaction.dialect == .postgreSQL else { return 0 }
        return try transaction.first(
            "SELECT COALESCE(pg_sequence_last_value(CAST(pg_get_serial_sequence(\(table), 'id') AS regclass)), 0)"
        ) { row in try row.integer(0) } ?? 0
    }
}
