/// A copy of everything of ours from one database to another, of whichever engines.
package final class DatabaseCopy {
    /// How far it is.
    package enum Progress: Sendable {
        case copying(table: String, rows: Int64, of: Int64)
        case comparing(table: String)
    }

    private let source: DatabaseSnapshot
    private let target: any CopyTarget

    init(_ source: DatabaseSnapshot, to target: any CopyTarget) {
        self.source = source
        self.target = target
    }

    /// To a file.
    ///
    /// - Parameters:
    ///   - source: what to copy.
    ///   - path: the file; it appears when it is complete.
    ///   - replaces: whether a database of ours that is there may go.
    package convenience init(_ source: DatabaseSnapshot, toSQLite path: String, replaces: Bool) {
        self.init(source, to: SQLiteCopyTarget(path: path, replaces: replaces))
    }

    /// To a database of a server.
    ///
    /// - Parameters:
    ///   - source: what to copy.
    ///   - configuration: how it is reached.
    ///   - replaces: whether rows of ours that are there may go.
    package convenience init(_ source: DatabaseSnapshot, to configuration: PostgreSQLConfiguration, replaces: Bool) {
        self.init(source, to: PostgreSQLCopyTarget(configuration, replaces: replaces))
    }

    /// Copies, reads everything back, and commits only where both are the same.
    ///
    /// - Parameter progress: told now and then.
    /// - Returns: what was copied, table by table.
    /// - Throws: ``DatabaseError``; the target is as it was then, but for the schema, which an empty one has now.
    package func run(
        _ migrations: [Migration],
        progress: (Progress) throws -> Void = { _ in }
    ) throws -> [TableSum] {
        do {
            let reader = TableReader(connection: source.connection, transaction: source.transaction)
            let tables = try reader.tables()
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
                    message: "\(summer.rows) rows of \(table.name) could be read, and \(table.rows) were counted"
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
                    "the table \(table.name) is not the same in the copy: \(sum.rows) rows with the sum \(sum.digest), "
                    + "there \(copied.rows) with \(copied.digest)"
            )
        }
    }
}
