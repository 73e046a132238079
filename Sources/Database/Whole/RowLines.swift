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
