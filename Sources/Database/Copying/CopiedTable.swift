/// A table to copy to another database.
struct CopiedTable: Sendable {
    let name: String
    let columns: [String]
    /// The number of rows to copy.
    let rows: Int64
    /// The highest row number (`id`), or in PostgreSQL the last that its sequence returned, if that is higher.
    let highest: Int64

    var columnList: SQL { .joined(columns, by: ", ") { "\(identifier: $0)" } }

    /// The query that COPY reads: the rows in the order of their numbers.
    var query: SQL { "SELECT \(columnList) FROM \(identifier: name) ORDER BY id" }
}
