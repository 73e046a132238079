/// The full name of a table: the file it is in, and its own.
struct TableName: Hashable, Sendable {
    /// The database itself.
    static let main = "main"

    let schema: String
    let name: String

    /// As statements name it; what is in the database itself is found before everything else.
    var sql: SQL { schema == Self.main ? "\(identifier: name)" : "\(identifier: schema).\(identifier: name)" }
    /// As people do.
    var text: String { schema == Self.main ? name : "\(schema).\(name)" }
}

/// What a merge needs to know of a table of the operator's.
struct TableSchema: Sendable {
    struct Column: Sendable {
        let name: String
        let isGenerated: Bool
        let isRequired: Bool
        /// Its place in the primary key, from 1 on; 0 for none.
        let keyPlace: Int
        /// Its type, where that is none which could hold a UID.
        var foreignType: String?
        /// Whether different texts may be one to it, as to `citext`.
        var isLoose = false
        /// By what it is compared, where a column of another table has to be told.
        var collation: SQL?
    }

    /// A unique constraint or index, the primary key included.
    struct UniqueIndex: Sendable {
        struct Part: Sendable {
            let column: String
            /// By what values are compared; `nil` for the column's own way.
            let collation: String?
        }

        let name: String
        /// The plain columns of it.
        var parts: [Part]
        /// Whether the plain columns are all there is to it: no condition, no expression, nothing generated.
        var isExact: Bool
        /// What the engine says of a row that breaks it: SQLite the columns, PostgreSQL its name.
        var violation: String
        /// What PostgreSQL says of a row in a partition.
        var partitions: Set<String> = []
        /// Whether NULL equals NULL to it.
        var joinsNulls = false

        /// Whether it is what a change broke.
        func isBroken(by error: DatabaseError) -> Bool {
            if let constraint = error.constraint { return constraint == violation || partitions.contains(constraint) }
            return error.message == "UNIQUE constraint failed: \(violation)"
        }
    }

    let name: TableName
    var columns: [Column] = []
    var uniqueIndexes: [UniqueIndex] = []
    /// Columns that some index begins with.
    var indexed: Set<String> = []
    var foreignKeys: [ForeignKey] = []
    /// The foreign keys that lead here.
    var incoming: [ForeignKey] = []
    /// What tells its rows apart: the name under which the row's number goes, or the primary key where there is none.
    var rowKey: [String] = []
    var hasTriggers = false
    /// Whether a trigger may end the whole transaction.
    var mayRollBack = false
    /// Tables that inherit from it, whose rows are read with its own unless it says otherwise.
    var heirs: [TableName] = []
    /// The role that it belongs to, where its triggers have no business to run with our rights.
    var stranger: String?
    /// What keeps us from its rows.
    var obstacle: String?

    /// As statements name it: its own rows, and those of its partitions.
    var sql: SQL { heirs.isEmpty ? name.sql : "ONLY \(name.sql)" }

    /// A column whatever the case it is written in, as names are in SQL.
    func column(_ name: String) -> Column? {
        columns.first { $0.name == name } ?? columns.first { $0.name.lowercased() == name.lowercased() }
    }

    /// The columns of the primary key.
    var primaryKey: [String] {
        columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }.map(\.name)
    }

    /// By what collation keys of others are compared with a column of ours.
    ///
    /// - Parameter standard: how it is done where no unique index tells.
    func collation(of column: String, among key: [String], standard: String?) -> String? {
        let index = uniqueIndexes.first { $0.isExact && Set($0.parts.map(\.column)) == Set(key) }
        return index.flatMap { $0.parts.first { $0.column == column } }?.collation ?? standard
    }
}

/// A foreign key.
struct ForeignKey: Sendable {
    struct Pair: Sendable, Hashable {
        let column: String
        /// The column of the other table that it names.
        let parent: String
    }

    let child: TableName
    let parent: TableName
    let pairs: [Pair]
    let onDelete: String
    /// How it may be broken within a transaction.
    let timing: Timing

    /// When a foreign key is looked at.
    enum Timing: Sendable {
        /// At the transaction's end, where that is asked for.
        case deferrable
        /// At once, but what refers follows by itself (ON UPDATE CASCADE).
        case cascading
        /// At the end of the statement.
        case immediate
    }

    /// Whether it may forbid a deletion; what it does to its own rows then is another question.
    func mayForbid(in table: TableSchema) -> Bool {
        switch onDelete {
        case "CASCADE": false
        case "SET NULL": pairs.contains { table.column($0.column)?.isRequired ?? true }
        default: true
        }
    }
}
