/// Copies all tables of a snapshot from one database to another, between any engines.
package final class DatabaseCopy {
    /// The progress of a copy.
    package enum Progress: Sendable {
        /// Rows of a table are being copied.
        ///
        /// - Parameters:
        ///   - table: the table.
        ///   - rows: the number of rows copied so far, of all tables.
        ///   - of: the number of rows of all tables.
        case copying(table: String, rows: Int64, of: Int64)
        /// A table is being read back from the copy.
        case comparing(table: String)
    }

    private let source: DatabaseSnapshot
    private let target: any CopyTarget

    init(_ source: DatabaseSnapshot, to target: any CopyTarget) {
        self.source = source
        self.target = target
    }

    /// Creates a copy to a file.
    ///
    /// - Parameters:
    ///   - source: the snapshot to copy.
    ///   - path: the path of the file, which appears when the copy is complete.
    ///   - replaces: whether an existing Latchkey database may be replaced.
    ///   - obstacles: returns the names of tables in the existing database that must not be replaced.
    package convenience init(
        _ source: DatabaseSnapshot,
        toSQLite path: String,
        replaces: Bool,
        obstacles: @escaping (Transaction) throws -> [String]
    ) {
        self.init(source, to: SQLiteCopyTarget(path: path, replaces: replaces, obstacles: obstacles))
    }

    /// Creates a copy to a database on a server.
    ///
    /// - Parameters:
    ///   - source: the snapshot to copy.
    ///   - configuration: how to reach the server.
    ///   - replaces: whether existing rows of the tables may be replaced.
    ///   - obstacles: returns the names of other tables in the target that replacing the rows would touch.
    package convenience init(
        _ source: DatabaseSnapshot,
        to configuration: PostgreSQLConfiguration,
        replaces: Bool,
        obstacles: @escaping (Transaction) throws -> [String]
    ) {
        self.init(source, to: PostgreSQLCopyTarget(configuration, replaces: replaces, obstacles: obstacles))
    }

    /// Copies everything, reads it back, and commits only if both are the same.
    ///
    /// - Parameters:
    ///   - migrations: the migrations that make the schema of the target.
    ///   - progress: called from time to time; what it throws ends the copy.
    /// - Returns: the checksums of the copied tables.
    /// - Throws: ``DatabaseError``, or what `progress` throws. The target is then unchanged, except that an empty
    ///   PostgreSQL database may now have the schema, and that the outcome is unknown after `outcomeUnknown`.
    package func run(
        _ migrations: [Migration],
        progress: (Progress) throws -> Void = { _ in }
    ) throws -> [TableSum] {
        do {
            let reader = TableReader(connection: source.connection, transaction: source.transaction)
            let tables = try reader.tables(source.tables)
            try target.prepare(migrations, source: source)
            let sums = try copy(tables, from: reader, progress)
            for (table, sum) in zip(tables, sums) {
                try progress(.comparing(table: table.name))
                try compare(table, with: sum)
            }
            try target.commit()
            return sums
        } catch {
            target.abandon()
            throw error
        }
    }

    private func copy(
        _ tables: [CopiedTable],
        from reader: TableReader,
        _ progress: (Progress) throws -> Void
    ) throws -> [TableSum] {
        let total = tables.reduce(0) { $0 + $1.rows }
        var done: Int64 = 0
        return try tables.map { table in
            var summer = try TableSummer()
            try target.begin(table)
            try reader.read(table) { lines in
                try summer.add(lines)
                try target.put(lines)
                done += lines.rows
                try progress(.copying(table: table.name, rows: done, of: total))
            }
            try target.end(table)
            guard summer.rows == table.rows else {
                throw DatabaseError(
                    .corrupt,
                    message: "\(summer.rows) rows of \(table.name) were read, but \(table.rows) were counted"
                )
            }
            return try summer.sum(of: table.name)
        }
    }

    private func compare(_ table: CopiedTable, with sum: TableSum) throws {
        var summer = try TableSummer()
        try target.read(table) { try summer.add($0) }
        let copied = try summer.sum(of: table.name)
        guard copied == sum else {
            throw DatabaseError(
                .corrupt,
                message:
                    "the table \(table.name) differs in the copy: \(sum.rows) rows with the checksum \(sum.digest), "
                    + "in the copy \(copied.rows) with \(copied.digest)"
            )
        }
    }
}
