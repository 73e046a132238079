extension RowMover {
    /// Lets everything that refers to a row refer to another, and deletes it.
    ///
    /// - Parameters:
    ///   - row: the row that goes.
    ///   - other: the row that stays.
    ///   - table: the table of both.
    ///   - change: what those who refer to the row have been told already.
    /// - Returns: whether it was done: both were still there, and nothing refers to the row any more.
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
            // What holds a NULL refers to nothing, and nothing refers to it.
            guard !old.contains(.null), old != new else { continue }
            let inner = self.change(key, table, old, new)
            if new.contains(.null) {
                if try has(inner, in: child) { throw blocked(table, "the row that stays has no key to refer to") }
                continue
            }
            try apply(inner, to: child)
            // Where this very change is under way, its rows are yet to follow: to delete now would take them along.
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

    /// What they have been told who refer by a key to rows that change: those who come along have not.
    func told(_ key: ForeignKey, _ change: Change?) -> Change? {
        switch key.timing {
        case .deferrable: change
        case .cascading, .immediate: nil
        }
    }

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

    /// Some columns of a row, as they will be; `nil` when the row is gone.
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

    func has(_ change: Change, in table: TableSchema) throws -> Bool {
        try transaction.first(
            "SELECT 1 FROM \(table.sql) AS g WHERE \(change.matches("g")) LIMIT 1"
        ) { _ in true } ?? false
    }

    static func isRow(_ row: [SQLValue], _ table: TableSchema, _ alias: String) -> SQL {
        SQL.all(Array(zip(table.rowKey, row))) { name, value in
            "\(identifier: alias).\(identifier: name) = \(value)"
        }
    }

    func checkRowKey(_ table: TableSchema) throws {
        if table.rowKey.isEmpty { throw blocked(table, "its columns hide the number of its rows") }
    }
}
