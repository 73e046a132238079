internal import Database

/// The full name of a table: its schema or attached file, and its own name.
struct TableName: Hashable, Sendable {
    /// The schema that stands for the database itself.
    ///
    /// In PostgreSQL, these are the tables found without a schema name.
    static let main = "main"

    let schema: String
    let name: String

    /// The name in SQL.
    ///
    /// Unqualified names resolve to the database itself first.
    var sql: SQL { schema == Self.main ? "\(identifier: name)" : "\(identifier: schema).\(identifier: name)" }
    /// The name for error messages and lists: without the schema if that is `main`.
    var text: String { schema == Self.main ? name : "\(schema).\(name)" }
}

/// What a merge needs to know about one of the operator's tables.
struct TableSchema: Sendable {
    struct Column: Sendable {
        let name: String
        let isGenerated: Bool
        let isRequired: Bool
        /// The column's position in the primary key, from 1; 0 if it is not part of the key.
        let keyPlace: Int
        /// The column's type, if that type cannot hold a UID; otherwise `nil`.
        ///
        /// Only set for PostgreSQL.
        var foreignType: String?
        /// Whether the column's type may treat different texts as equal, as `citext` does.
        ///
        /// Only set for PostgreSQL.
        var isLoose = false
        /// The SQL name of the column's collation, for comparisons with a column of another table; `nil` in SQLite and
        /// for types without a collation.
        var collation: SQL?
    }

    /// A unique constraint or index, the primary key included, and in PostgreSQL an exclusion constraint.
    struct UniqueIndex: Sendable {
        struct Part: Sendable {
            let column: String
            /// The collation by which the index compares values; `nil` for the column's own.
            let collation: String?
        }

        let name: String
        /// The index's plain columns, which are neither generated nor expressions.
        var parts: [Part]
        /// Whether ``parts`` say all about the index: it has no condition, no expression and no generated column, and
        /// in PostgreSQL no collation of its own and is no exclusion constraint.
        var isExact: Bool
        /// How the engine names the index in an error: in SQLite by its columns, or by its name if it has expressions;
        /// in PostgreSQL by its name.
        var violation: String
        /// The names of the matching indexes of partitions, which PostgreSQL reports for rows in partitions.
        var partitions: Set<String> = []
        /// Whether the index treats NULLs as equal (`NULLS NOT DISTINCT`).
        var joinsNulls = false

        /// Whether an error reports a violation of this index.
        func isBroken(by error: DatabaseError) -> Bool {
            if let constraint = error.constraint { return constraint == violation || partitions.contains(constraint) }
            return error.message == "UNIQUE constraint failed: \(violation)"
        }
    }

    let name: TableName
    var columns: [Column] = []
    var uniqueIndexes: [UniqueIndex] = []
    /// The columns that an index without a condition begins with.
    var indexed: Set<String> = []
    var foreignKeys: [ForeignKey] = []
    /// The foreign keys that refer to this table.
    var incoming: [ForeignKey] = []
    /// The columns that identify a row.
    ///
    /// In SQLite a name of the row ID, or the primary key if there is no row ID; in PostgreSQL the primary key, or
    /// `tableoid` and `ctid` without one.
    ///
    /// Empty if columns of the table hide all names of SQLite's row ID.
    var rowKey: [String] = []
    var hasTriggers = false
    /// Whether a trigger may roll back the whole transaction, as SQLite's `RAISE(ROLLBACK)` does.
    var mayRollBack = false
    /// In PostgreSQL, the tables that inherit from this one.
    ///
    /// A query of this table reads their rows too unless it says ONLY.
    var heirs: [TableName] = []
    /// In PostgreSQL, the role that owns the table, if it is neither Latchkey's role nor a superuser; otherwise `nil`.
    ///
    /// The table's triggers would run with the privileges of Latchkey's role.
    var stranger: String?
    /// What prevents Latchkey from changing the table's rows, for messages; `nil` if nothing does.
    var obstacle: String?

    /// The table in SQL: its own rows and those of its partitions, without those of inheriting tables.
    var sql: SQL { heirs.isEmpty ? name.sql : "ONLY \(name.sql)" }

    /// Returns a column by name; `nil` if there is none.
    ///
    /// Case is ignored if no exact match exists, as in SQL.
    func column(_ name: String) -> Column? {
        columns.first { $0.name == name } ?? columns.first { $0.name.lowercased() == name.lowercased() }
    }

    /// The columns of the primary key.
    var primaryKey: [String] {
        columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }.map(\.name)
    }

    /// Returns the collation by which a foreign key that refers to these columns compares values with one of them.
    ///
    /// - Parameters:
    ///   - column: the column.
    ///   - key: all columns of this table that the foreign key refers to.
    ///   - standard: the collation to use if no unique index on these columns defines one.
    /// - Returns: the collation; `nil` for the column's own.
    func collation(of column: String, among key: [String], standard: String?) -> String? {
        let index = uniqueIndexes.first { $0.isExact && Set($0.parts.map(\.column)) == Set(key) }
        return index.flatMap { $0.parts.first { $0.column == column } }?.collation ?? standard
    }
}

/// A foreign key of one of the operator's tables.
struct ForeignKey: Sendable {
    struct Pair: Sendable, Hashable {
        let column: String
        /// The column of the parent table that ``column`` refers to.
        let parent: String
    }

    let child: TableName
    let parent: TableName
    let pairs: [Pair]
    let onDelete: String
    /// When the constraint is checked, and whether the referring rows follow a change.
    let timing: Timing

    /// When a foreign key is checked, and whether referring rows follow a changed key.
    enum Timing: Sendable {
        /// At the end of the transaction, if deferred. In SQLite, every foreign key is of this kind.
        case deferrable
        /// At the end of the statement, but the referring rows follow a changed key (ON UPDATE CASCADE).
        case cascading
        /// At the end of the statement, and the referring rows do not follow a changed key.
        case immediate
    }

    /// Whether the foreign key may forbid the deletion of a row that it refers to.
    ///
    /// A key cannot forbid it if it deletes the referring rows, or sets columns to NULL that may be NULL.
    ///
    /// - Parameter table: the schema of the child table.
    func mayForbid(in table: TableSchema) -> Bool {
        switch onDelete {
        case "CASCADE": false
        case "SET NULL": pairs.contains { table.column($0.column)?.isRequired ?? true }
        default: true
        }
    }
}
