internal import Database

extension RowMover {
    /// Makes all rows that refer to one row refer to another row, then deletes the first.
    ///
    /// - Parameters:
    ///   - row: the values of the row key (``TableSchema/rowKey``) of the row to delete.
    ///   - other: those of the row to keep.
    ///   - table: the table of both rows.
    ///   - change: the change in progress, which referring rows may have received already; `nil` without one.
    /// - Returns: whether the row was deleted. It is not if one of the rows is gone, or if rows that are changing still
    ///   refer to it.
    func merge(
        _ row: [SQLValue],
        into other: [SQLValue],
        _ table: TableSchema,
        change: Change?
    ) throws -> Bool {
        var isReferredTo = false
        for key in table.incoming {
            guard let child = catalogue.tables[key.child] else { continue }
            let columns = key.pairs.map(\.parent)
            let known = try blaming(table) {
                (try values(of: columns, row, table, told(key, change)), try values(of: columns, other, table, nil))
            }
            guard let old = known.0, let new = known.1 else { return false }
            // A key that contains NULL refers to nothing, and nothing refers to it.
            guard !old.contains(.null), old != new else { continue }
            let inner = self.change(key, table, old, new)
            if new.contains(.null) {
                if try has(inner, in: child) { throw blocked(table, "the row that stays has no key to refer to") }
                continue
            }
            try apply(inner, to: child)
            // While the same change is in progress here, some rows have not followed yet. A deletion now would delete
            // them too.
            guard isUnderWay(in: child.name) else { continue }
            let isOther: SQL = child.name == table.name ? "AND NOT (\(Self.isRow(row, table, "g")))" : ""
            let rest: SQL = "SELECT 1 FROM \(child.sql) AS g WHERE \(inner.matches("g")) \(isOther) LIMIT 1"
            if try blaming(child, { try transaction.first(rest) { _ in true } }) == true { isReferredTo = true }
        }
        if isReferredTo { return false }
        return try blaming(table) {
            let isThere = try values(of: [], other, table, nil) != nil
            return try isThere && delete(Self.isRow(row, table, "g"), table) > 0
        }
    }

    /// Returns the change if rows that refer by this key receive it before the referenced row does, as with a
    /// deferrable key; otherwise `nil`.
    func told(_ key: ForeignKey, _ change: Change?) -> Change? {
        switch key.timing {
        case .deferrable: change
        case .cascading, .immediate: nil
        }
    }

    /// Returns the change of the rows that refer by this key: from the parent's old key values to its new ones.
    func change(_ key: ForeignKey, _ table: TableSchema, _ old: [SQLValue], _ new: [SQLValue]) -> Change {
        let columns = key.pairs.map(\.parent)
        return Change(
            parts: key.pairs.indices.map { place in
                Change.Part(
                    column: key.pairs[place].column,
                    collation: collation(of: key.pairs[place].parent, among: columns, table),
                    old: old[place],
                    new: new[place]
                )
            }
        )
    }

    /// Returns the values of a row's columns after the change, or now if `change` is `nil`; `nil` if the row is gone.
    func values(
        of columns: [String],
        _ row: [SQLValue],
        _ table: TableSchema,
        _ change: Change?
    ) throws -> [SQLValue]? {
        let list = SQL.joined(columns, by: "") { ", g.\(identifier: $0)" }
        return try transaction.first(
            "SELECT 1\(list) FROM \(table.sql) AS g WHERE \(Self.isRow(row, table, "g"))"
        ) { found in
            try columns.indices.map { place in
                try change?.part(columns[place])?.new ?? found.value(place + 1)
            }
        }
    }

    /// Whether the table has a row that the change would alter.
    func has(_ change: Change, in table: TableSchema) throws -> Bool {
        try transaction.first(
            "SELECT 1 FROM \(table.sql) AS g WHERE \(change.matches("g")) LIMIT 1"
        ) { _ in true } ?? false
    }

    /// Returns the SQL condition for the row with these values of the row key.
    static func isRow(_ row: [SQLValue], _ table: TableSchema, _ alias: String) -> SQL {
        SQL.all(Array(zip(table.rowKey, row))) { name, value in
            "\(identifier: alias).\(identifier: name) = \(value)"
        }
    }

    /// Checks that rows of a table can be identified one by one (``TableSchema/rowKey``).
    ///
    /// - Throws: ``MergeBlocked`` if columns of the table hide all names of SQLite's row ID.
    func checkRowKey(_ table: TableSchema) throws {
        if table.rowKey.isEmpty { throw blocked(table, "its columns hide the row ID") }
    }
}
