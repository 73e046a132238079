internal import Accounts
internal import Database

/// Handles a guest's rows that conflict with the permanent user's rows under a unique constraint.
extension RowMover {
    // MARK: Collisions that the columns show

    /// Resolves the conflicts that a change would cause under a unique constraint, before the change is made.
    ///
    /// By the table's ``AssetPolicy``, the guest's conflicting rows are deleted, and rows that refer to them then refer
    /// to the rows that stay; or the merge fails.
    ///
    /// - Returns: the number of deleted rows.
    /// - Throws: ``MergeBlocked`` if the policy is to fail, or if the conflicts cannot be resolved.
    func resolve(_ index: TableSchema.UniqueIndex, _ change: Change, _ table: TableSchema) throws -> Int {
        let meeting = Self.meeting(index, change)
        let collision: SQL = """
            EXISTS (SELECT 1 FROM \(table.sql) AS s WHERE \(meeting))
            """
        if catalogue.policy(table.name) == .fail {
            let isHit = try blaming(table) {
                try transaction.first(
                    "SELECT 1 FROM \(table.sql) AS g WHERE \(change.matches("g")) AND \(collision) LIMIT 1"
                ) { _ in true }
            }
            if isHit != nil { throw blocked(table, "rows of both users collide, and its policy is to fail") }
            return 0
        }
        if table.incoming.isEmpty {
            return try blaming(table) { try delete("\(change.matches("g")) AND \(collision)", table) }
        }
        return try resolveEach(meeting, change, table)
    }

    /// Resolves conflicts one by one, because other rows refer to the conflicting rows.
    private func resolveEach(_ meeting: SQL, _ change: Change, _ table: TableSchema) throws -> Int {
        try checkRowKey(table)
        let width = table.rowKey.count
        let columns =
            SQL.joined(table.rowKey, by: ", ") { "g.\(identifier: $0)" }
            + SQL.joined(table.rowKey, by: "") { ", s.\(identifier: $0)" }
        var count = 0
        var (left, before) = (Int.max, 0)
        while true {
            let pairs = try blaming(table) {
                try transaction.all(
                    """
                    SELECT \(columns) FROM \(table.sql) AS g JOIN \(table.sql) AS s ON \(meeting)
                    WHERE \(change.matches("g"))
                    """
                ) { row in
                    let values = try (0..<2 * width).map { try row.value($0) }
                    return (row: Array(values[..<width]), other: Array(values[width...]))
                }
            }
            guard !pairs.isEmpty else { return count }
            // Resolving one conflict may have resolved others.
            guard pairs.count < left || count > before else {
                throw blocked(table, "rows collide again after they were resolved")
            }
            (left, before) = (pairs.count, count)
            for pair in pairs where try merge(pair.row, into: pair.other, table, change: nil) { count += 1 }
        }
    }

    /// Returns the SQL condition that a row `s` already has the index key that the row `g` will have after the change.
    private static func meeting(_ index: TableSchema.UniqueIndex, _ change: Change) -> SQL {
        let equal = SQL.all(index.parts) { part in
            if let new = change.part(part.column)?.new {
                return "s.\(identifier: part.column)\(collation: part.collation) = \(new)"
            }
            return isEqual(part, to: "g.\(identifier: part.column)", index)
        }
        // If the index treats the old and the new value as equal, the change does not affect it.
        let differs = index.parts.compactMap { part in
            change.part(part.column).map { value -> SQL in
                "g.\(identifier: part.column)\(collation: part.collation) IS DISTINCT FROM \(value.new)"
            }
        }
        return "\(equal) AND (\(SQL.joined(differs, by: " OR ") { $0 }))"
    }

    private static func isEqual(
        _ part: TableSchema.UniqueIndex.Part,
        to value: SQL,
        _ index: TableSchema.UniqueIndex
    ) -> SQL {
        let equals: SQL = index.joinsNulls ? "IS NOT DISTINCT FROM" : "="
        return "s.\(identifier: part.column)\(collation: part.collation) \(equals) \(value)"
    }

    // MARK: Collisions that only the engine detects

    /// Runs a statement in a savepoint, and finds out which of the indexes it violates.
    ///
    /// For indexes with conditions or expressions, only the engine can tell.
    ///
    /// - Returns: the violated index, in which case the statement changed nothing; `nil` on success.
    /// - Throws: any other error of the statement.
    func attempt(
        _ sql: SQL,
        _ table: TableSchema,
        _ indexes: [TableSchema.UniqueIndex]
    ) throws -> TableSchema.UniqueIndex? {
        var broken: TableSchema.UniqueIndex?
        _ = try transaction.attempt(sql) { error in
            broken = indexes.first { $0.isBroken(by: error) }
            return broken != nil
        }
        return broken
    }

    /// Makes a change row by row.
    ///
    /// A row that would violate one of the indexes is deleted, or merged into the row that it conflicts with.
    ///
    /// - Returns: the number of deleted rows.
    /// - Throws: ``MergeBlocked`` if the table's policy is to fail, or if a referenced row has no row to be merged
    ///   into.
    func updateEach(
        _ change: Change,
        _ table: TableSchema,
        _ indexes: [TableSchema.UniqueIndex]
    ) throws -> Int {
        try checkRowKey(table)
        var count = 0
        let columns = SQL.joined(table.rowKey, by: ", ") { "g.\(identifier: $0)" }
        let rows = try transaction.all(
            "SELECT \(columns) FROM \(table.sql) AS g WHERE \(change.matches("g"))"
        ) { row in try table.rowKey.indices.map { try row.value($0) } }
        for row in rows {
            let own = Self.isRow(row, table, "g")
            let one: SQL = """
                \(update(table)) AS g SET \(Self.assignments(change)) WHERE \(own) AND \(change.matches("g"))
                """
            guard let index = try attempt(one, table, indexes) else { continue }
            guard catalogue.policy(table.name) == .keepExisting else {
                throw blocked(table, "rows of both users collide, and its policy is to fail")
            }
            if let other = try survivor(of: row, index, change, table) {
                guard try merge(row, into: other, table, change: change) else { continue }
            } else {
                try checkUnreferenced(row, change, table)
                _ = try delete(Self.isRow(row, table, "g"), table)
            }
            count += 1
        }
        return count
    }

    /// Returns the key of the row that a row will conflict with under an index; `nil` if the index's plain columns do
    /// not identify exactly one.
    private func survivor(
        of row: [SQLValue],
        _ index: TableSchema.UniqueIndex,
        _ change: Change,
        _ table: TableSchema
    ) throws -> [SQLValue]? {
        let columns = SQL.joined(table.rowKey, by: ", ") { "s.\(identifier: $0)" }
        let equal = SQL.joined(index.parts, by: "") { part -> SQL in
            let value: SQL = change.part(part.column).map { "\($0.new)" } ?? "g.\(identifier: part.column)"
            return " AND \(Self.isEqual(part, to: value, index))"
        }
        let candidates = try transaction.all(
            """
            SELECT \(columns) FROM \(table.sql) AS g JOIN \(table.sql) AS s
                ON NOT (\(SQL.all(table.rowKey) { "s.\(identifier: $0) = g.\(identifier: $0)" }))\(equal)
            WHERE \(Self.isRow(row, table, "g")) LIMIT 2
            """
        ) { row in try table.rowKey.indices.map { try row.value($0) } }
        return candidates.count == 1 ? candidates[0] : nil
    }

    /// Checks that no row refers to a colliding row that is about to be deleted, because it is not known which row would
    /// take its place.
    ///
    /// - Throws: ``MergeBlocked`` if a row refers to it.
    private func checkUnreferenced(_ row: [SQLValue], _ change: Change, _ table: TableSchema) throws {
        for key in table.incoming {
            guard let child = catalogue.tables[key.child],
                let old = try values(of: key.pairs.map(\.parent), row, table, told(key, change))
            else { continue }
            if !old.contains(.null), try has(self.change(key, table, old, old), in: child) {
                throw blocked(
                    table,
                    "it is unclear which row replaces one that \(child.name.text) refers to"
                )
            }
        }
    }
}
