/// A piece of a table: complete rows in the format of ``RowText``.
struct RowLines {
    private(set) var bytes: [UInt8] = []
    private(set) var rows: Int64 = 0

    /// The size in bytes at which a piece is full.
    private static let enough = 256 * 1024

    var isFull: Bool { bytes.count >= Self.enough }

    /// Appends one more row.
    mutating func append(_ write: (inout [UInt8]) throws -> Void) rethrows {
        try write(&bytes)
        rows += 1
    }

    /// Passes the rows to a closure, if there are any, and continues empty.
    mutating func pass(to take: (RowLines) throws -> Void) throws {
        guard rows > 0 else { return }
        try take(self)
        bytes.removeAll(keepingCapacity: true)
        rows = 0
    }
}
