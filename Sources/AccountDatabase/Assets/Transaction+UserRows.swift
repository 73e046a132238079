package import Database

/// A value in a row of the operator's tables, for an export.
package enum ExportedValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    /// Binary data.
    case bytes([UInt8])
    /// Binary data in base64.
    case base64(String)
    /// A value of another type, as JSON.
    case json(String)
    /// The key of another user, which is not exported.
    case otherUser
}

extension Transaction {
    /// Reads the rows of the operator's tables that hold a user's UID or number, for an export of the user's data.
    ///
    /// Rows that only refer to such rows are not read, and neither are tables that Latchkey may not read.
    ///
    /// - Parameters:
    ///   - uid: the user's UID.
    ///   - body: receives the name of the table, and a row's values by column.
    package func readRows(
        of uid: String,
        _ body: (_ table: String, _ row: [(column: String, value: ExportedValue)]) throws -> Void
    ) throws {
        guard let number = try first("SELECT id FROM users WHERE uid = \(uid)", { try $0.integer(0) }) else { return }
        let settings = assets.settings
        let readable = settings.attachedInUse.filter { name in
            (try? attach(settings.attached[name] ?? "", as: name)) != nil
        }
        let catalogue = try AssetCatalogue(settings, attached: readable, in: self)
        let assets = Dictionary(grouping: catalogue.assets, by: \.table)
        for (name, assets) in assets.sorted(by: { $0.key.text < $1.key.text }) {
            guard let table = catalogue.tables[name], table.obstacle == nil else { continue }
            try readRows(of: table, assets, keys: { $0 == .uid ? .text(uid) : .integer(number) }) { row in
                try body(name.text, row)
            }
        }
    }

    private func readRows(
        of table: TableSchema,
        _ assets: [Asset],
        keys: (Asset.Key) -> SQLValue,
        _ body: ([(column: String, value: ExportedValue)]) throws -> Void
    ) throws {
        let matches = assets.map { asset -> SQL in
            "t.\(identifier: asset.column)\(collation: dialect.binaryCollation) = \(keys(asset.key))"
        }
        let columns = table.columns
        let values = columns.map { column -> SQL in
            let value: SQL = "t.\(identifier: column.name)"
            return switch dialect {
            case .sqlite: value
            case .postgreSQL where column.foreignType == "bytea": "replace(encode(\(value), 'base64'), chr(10), '')"
            case .postgreSQL: "CAST(to_jsonb(\(value)) AS TEXT)"
            }
        }
        // A column that identifies users, but not this one, names another user.
        let others = columns.map { column -> SQL in
            let places = assets.indices.filter { assets[$0].column == column.name }
            guard let place = places.first else { return "0" }
            return "CASE WHEN \(matches[place]) THEN 0 ELSE 1 END"
        }
        let selected = SQL.joined(values + others, by: ", ") { $0 }
        let condition = SQL.joined(matches, by: " OR ") { $0 }
        try forEach("SELECT \(selected) FROM \(table.sql) AS t WHERE \(condition)") { row in
            var read: [(column: String, value: ExportedValue)] = []
            for (place, column) in columns.enumerated() {
                let value = try row.value(place)
                let isOther = try row.integer(columns.count + place) == 1 && value != .null
                read.append((column.name, isOther ? .otherUser : exported(value, of: column)))
            }
            try body(read)
            return true
        }
    }

    private func exported(_ value: SQLValue, of column: TableSchema.Column) -> ExportedValue {
        switch (value, dialect) {
        case (.null, _): .null
        case (.text(let text), .sqlite): .text(text)
        case (.text(let text), .postgreSQL): column.foreignType == "bytea" ? .base64(text) : .json(text)
        case (.integer(let integer), _): .integer(integer)
        case (.real(let real), _): .real(real)
        case (.blob(let bytes), _): .bytes(bytes)
        }
    }
}
