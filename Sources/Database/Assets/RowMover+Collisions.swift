internal import Accounts

/// Rows of a guest that meet the account's under a unique constraint.
extension RowMover {
    // MARK: Collisions that the columns tell

    /// Settles the rows that would meet others under a unique constraint.
    ///
    /// - Returns: how many were deleted.
    func settle(_ index: TableSchema.UniqueIndex, _ change: Change, _ table: TableSchema) throws -> Int {
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
        return try settleEach(meeting, change, table)
    }

    /// One by one, since others refer to them.
    private func settleEach(_ meeting: SQL, _ change: Change, _ table: TableSchema) throws -> Int {
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
            // Some may have been settled on the way to settling others.
            guard pairs.count < left || count > before else { throw blocked(table, "rows that collide come again") }
            (left, before) = (pairs.count, count)
            for pair in pairs where try merge(pair.row, into: pair.other, table, change: nil) { count += 1 }
        }
    }

    /// What another row `s` has in common with what `g` is to become.
    private static func meeting(_ index: TableSchema.UniqueIndex, _ change: Change) -> SQL {
        let equal = SQL.all(index.parts) { part in
            if let new = change.part(part.column)?.new {
                return "s.\(identifier: part.column)\(collation: part.collation) = \(new)"
            }
            return isEqual(part, to: "g.\(identifier: part.column)", index)
        }
        // Where old and new value are one to the index, nothing changes for it.
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

    // MARK: Collisions that only the engine knows of

    /// Conditions and expressions are not ours to evaluate: the engine says which rows do not fit.
    ///
    /// - Returns: the index that was broken, `nil` when all went well.
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

    /// - Returns: how many rows were deleted.
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

    /// The row that a row met, where its plain columns leave no doubt.
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

    private func checkUnreferenced(_ row: [SQLValue], _ change: Change, _ table: TableSchema) throws {
        for key in table.incoming {
            guard let child = catalogue.tables[key.child],
                let old = try values(of: key.pairs.map(\.parent), row, table, told(key, change))
            else { continue }
            if !old.contains(.null), try has(self.change(key, table, old, old), in: child) {
                throw blocked(
                    table,
                    "it cannot be told which row takes the place of one that \(child.name.text) refers to"
                )
            }
        }
    }
}
