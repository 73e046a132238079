/// A table of ours that is copied.
struct CopiedTable: Sendable {
    let name: String
    let columns: [String]
    /// How many rows there are to come.
    let rows: Int64
    /// The highest number that a row has, or has had where the engine remembers it.
    let highest: Int64

    var columnList: SQL { .joined(columns, by: ", ") { "\(identifier: $0)" } }

    /// What COPY reads: the rows in the order of their numbers.
    var query: SQL { "SELECT \(columnList) FROM \(identifier: name) ORDER BY id" }
}
