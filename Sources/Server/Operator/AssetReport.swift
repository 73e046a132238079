internal import AccountDatabase
internal import Accounts
internal import Database
internal import JSON

/// A report on what a merge does with the operator's own tables.
package struct AssetReport: Sendable, Encodable {
    /// A column that identifies the user a row belongs to.
    package struct Column: Sendable, Encodable {
        package let table: String
        package let column: String
        /// The column of `users` whose values this column holds: `uid` or `id`.
        package let holds: String
        package let policy: String
        /// The `ON DELETE` action of this column's foreign key to `users`; `nil` without a foreign key.
        package let onDelete: String?
        /// The table through which the column was found: the one that its foreign key refers to, or the parent of its
        /// table (PostgreSQL's INHERITS).
        ///
        /// `nil` if the column refers to `users` itself or the operator declared it.
        package let through: String?
        package let rows: Int64
        /// Whether counting stopped at a million rows, so that there may be more than ``rows``.
        package let hasMoreRows: Bool
        package let isIndexed: Bool
    }

    /// A reason why a merge cannot handle one of the operator's tables, or part of it.
    package struct Problem: Sendable, Encodable {
        package let table: String
        package let reason: String
        /// Whether the problem makes every merge fail; otherwise merges leave the rows concerned alone.
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

    /// Finishes moves of rows in attached SQLite files that a crash interrupted, and logs which columns of the
    /// operator's tables a merge changes, and problems with these tables.
    ///
    /// Called when the server starts. Errors and problems are logged and do not keep the server from starting: sign-ins
    /// continue, and a merge reports what it cannot move.
    static func announce(_ database: any Database, logger: Log) {
        do {
            for move in try database.writeNow(kind: "FinishAssets", alone: true, { try $0.finishMoves() }) {
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
