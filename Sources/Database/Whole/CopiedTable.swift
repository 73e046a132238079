internal import Crypto

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

/// What is remembered of a table's rows: how many, and a digest of their texts in the order of their numbers.
///
/// `psql -c "COPY (SELECT … FROM users ORDER BY id) TO STDOUT" | sha256sum` says the same.
package struct TableSum: Sendable, Equatable {
    package let table: String
    package let rows: Int64
    /// SHA-256 in hexadecimal digits.
    package let digest: String
}

/// Sums a table up while its rows pass.
struct TableSummer {
    private(set) var rows: Int64 = 0
    private let digest: SHA256Stream

    init() throws {
        digest = try SHA256Stream()
    }

    mutating func add(_ lines: RowLines) throws {
        rows += lines.rows
        try digest.update(lines.bytes)
    }

    func sum(of table: String) throws -> TableSum {
        let digits = try digest.finish().map { byte in
            byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16)
        }
        return TableSum(table: table, rows: rows, digest: digits.joined())
    }
}

/// Some whole rows, as ``RowText`` has them.
struct RowLines {
    private(set) var bytes: [UInt8] = []
    private(set) var rows: Int64 = 0

    /// Enough for one piece.
    private static let enough = 256 * 1024

    var isFull: Bool { bytes.count >= Self.enough }

    /// Puts one more row behind the others.
    mutating func append(_ write: (inout [UInt8]) throws -> Void) rethrows {
        try write(&bytes)
        rows += 1
    }

    /// Hands over what there is, and begins anew.
    mutating func pass(to take: (RowLines) throws -> Void) throws {
        guard rows > 0 else { return }
        try take(self)
        bytes.removeAll(keepingCapacity: true)
        rows = 0
    }
}
