internal import Crypto

/// The checksum of a table: the row count, and a digest of the rows in the order of their numbers.
///
/// `psql -c "COPY (SELECT … FROM items ORDER BY id) TO STDOUT" | sha256sum` prints the same digest.
package struct TableSum: Sendable, Equatable {
    package let table: String
    package let rows: Int64
    /// SHA-256 in hexadecimal digits.
    package let digest: String
}

/// Calculates a table's checksum from its rows, piece by piece.
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
