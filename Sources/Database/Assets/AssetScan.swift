/// What the operator's tables look like to a merge.
package struct AssetScan: Sendable {
    /// A column that says whose a row is.
    package struct Column: Sendable, Equatable {
        package let table: String
        package let column: String
        /// What it holds: `uid` or `id`.
        package let key: String
        package let policy: AssetPolicy
        /// What its foreign key does when the user is deleted; `nil` where there is none.
        package let onDelete: String?
        /// The table whose rows it follows, where it has no foreign key to `users`.
        package let through: String?
        /// How many rows the table has, counted up to ``AssetScan/countedRows``.
        package let rows: Int64
        /// Whether an index begins with it; without one each merge reads the whole table.
        package let isIndexed: Bool
    }

    /// A table that a merge cannot settle.
    package struct Problem: Sendable, Equatable {
        package let table: String
        package let reason: String
        /// Whether every merge fails while it lasts.
        package let isBlocking: Bool
    }

    /// Where counting ends.
    package static let countedRows: Int64 = 1_000_000

    package let columns: [Column]
    package let problems: [Problem]
}

extension Transaction {
    /// Looks for the operator's tables anew, in the database and in the attached files.
    ///
    /// - Parameter counting: whether rows are counted, which takes a moment where there are many.
    package func scanAssets(counting: Bool) throws -> AssetScan {
        let settings = assets.settings
        // What is in a file that cannot be opened becomes a problem of the catalogue's.
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
