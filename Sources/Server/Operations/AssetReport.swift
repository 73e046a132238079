internal import Accounts
internal import Database
internal import JSON

/// What a merge finds of the operator's own tables.
package struct AssetReport: Sendable, Encodable {
    /// A column that says whose a row is.
    package struct Column: Sendable, Encodable {
        package let table: String
        package let column: String
        /// What it holds of a user: `uid` or `id`.
        package let holds: String
        package let policy: String
        /// What its foreign key does when the user is deleted.
        package let onDelete: String?
        /// The table whose rows it follows, where it has no foreign key to `users`.
        package let through: String?
        package let rows: Int64
        /// Whether counting ended before the rows did.
        package let hasMoreRows: Bool
        package let isIndexed: Bool
    }

    /// A table that a merge cannot settle.
    package struct Problem: Sendable, Encodable {
        package let table: String
        package let reason: String
        /// Whether every merge fails while it lasts.
        package let isBlocking: Bool
    }

    package let columns: [Column]
    package let problems: [Problem]

    init(_ scan: AssetScan) {
        columns = scan.columns.map { column in
            Column(
                table: column.table,
                column: column.column,
                holds: column.key,
                policy: column.policy.rawValue,
                onDelete: column.onDelete,
                through: column.through,
                rows: column.rows,
                hasMoreRows: column.rows >= AssetScan.countedRows,
                isIndexed: column.isIndexed
            )
        }
        problems = scan.problems.map { Problem(table: $0.table, reason: $0.reason, isBlocking: $0.isBlocking) }
    }

    /// Logs what was found at the start, after finishing what a crash cut off.
    ///
    /// Nothing of it keeps the server from starting: sign-ins go on, and merges say themselves what they miss.
    static func announce(_ database: any Database, logger: Log) {
        do {
            for move in try database.writeNow(alone: true, { try $0.finishMoves() }) {
                logger("assets.finished", ("table", .string(move.table)), ("rows", .string("\(move.moved)")))
            }
        } catch {
            logger("assets.unfinished", ("detail", .string(describe(error))))
        }
        do {
            let scan = try database.readNow { try $0.scanAssets(counting: false) }
            guard !scan.columns.isEmpty || !scan.problems.isEmpty else { return }
            logger(
                "assets.found",
                ("columns", .array(scan.columns.map { .string("\($0.table).\($0.column)") }))
            )
            for problem in scan.problems {
                logger("assets.problem", ("table", .string(problem.table)), ("detail", .string(problem.reason)))
            }
        } catch {
            logger("assets.unreadable", ("detail", .string(describe(error))))
        }
    }

    private static func describe(_ error: any Error) -> String {
        (error as? MergeBlocked).map { "\($0.table): \($0.reason)" } ?? "\(error)"
    }
}
