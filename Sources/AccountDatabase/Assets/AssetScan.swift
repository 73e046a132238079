package import Database

/// The columns of the operator's tables that a merge changes, and the problems that it would meet, for reports to the
/// operator.
package struct AssetScan: Sendable {
    /// A column that identifies the user a row belongs to.
    package struct Column: Sendable, Equatable {
        package let table: String
        package let column: String
        /// The column of `users` whose values this column holds: `uid` or `id`.
        package let key: String
        package let policy: AssetPolicy
        /// The `ON DELETE` action of the column's own foreign key to `users`; `nil` without such a key.
        package let onDelete: String?
        /// The name of the table through which the column was found: its foreign key refers to that table, or it
        /// inherits from that table.
        ///
        /// `nil` if the column refers to `users` itself or was declared by the operator.
        package let through: String?
        /// The number of rows in the table, counted up to ``AssetScan/countedRows``; 0 if rows were not counted or
        /// cannot be read.
        package let rows: Int64
        /// Whether the primary key, or an index without a condition, begins with this column.
        ///
        /// Otherwise each merge reads the whole table.
        package let isIndexed: Bool
    }

    /// A reason why a merge cannot handle one of the operator's tables, or part of it.
    package struct Problem: Sendable, Equatable {
        package let table: String
        package let reason: String
        /// Whether every merge fails until the problem is fixed; otherwise merges leave the reference alone.
        package let isBlocking: Bool
    }

    /// The number of rows at which counting stops.
    package static let countedRows: Int64 = 1_000_000

    package let columns: [Column]
    package let problems: [Problem]
}

extension Transaction {
    /// Scans the operator's tables, in the database and in the attached files, without using a cached catalogue.
    ///
    /// A file that cannot be opened is no error here: its tables are reported as problems.
    ///
    /// - Parameter counting: whether to count rows, which takes time in large tables.
    package func scanAssets(counting: Bool) throws -> AssetScan {
        let settings = assets.settings
        // If a file cannot be opened, the catalogue reports its tables as problems.
        let readable = settings.attachedInUse.filter { name in
            (try? attach(settings.attached[name] ?? "", as: name)) != nil
        }
        let catalogue = try AssetCatalogue(settings, attached: readable, in: self)
        let columns = try catalogue.assets.map { asset in
            let table = catalogue.tables[asset.table]
            return AssetScan.Column(
                table: asset.table.text,
                column: asset.column,
                key: asset.key.rawValue,
                policy: asset.policy,
                onDelete: asset.onDelete,
                through: asset.through,
                rows: try counting ? table.map { $0.obstacle == nil ? try rows(of: $0) : 0 } ?? 0 : 0,
                isIndexed: table?.indexed.contains(asset.column) == true
                    || table?.primaryKey.first == asset.column
            )
        }
        let problems = catalogue.problems.map { problem in
            AssetScan.Problem(table: problem.table, reason: problem.reason, isBlocking: problem.isBlocking)
        }
        return AssetScan(columns: columns, problems: problems)
    }

    private func rows(of table: TableSchema) throws -> Int64 {
        try first("SELECT count(*) FROM (SELECT 1 FROM \(table.sql) LIMIT \(AssetScan.countedRows)) AS counted") {
            row in
            try row.integer(0)
        } ?? 0
    }
}
