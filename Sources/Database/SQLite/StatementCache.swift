internal import Glibc

/// Prepared statements by their text, the least recently used going first.
struct StatementCache {
    /// The text of a statement, hashed and compared as one run of bytes.
    private struct Key: Hashable {
        let text: [UInt8]

        static func == (first: Key, second: Key) -> Bool {
            guard first.text.count == second.text.count else { return false }
            return unsafe first.text.withUnsafeBytes { first in
                unsafe second.text.withUnsafeBytes { second in
                    guard let one = first.baseAddress, let other = second.baseAddress else { return true }
                    return unsafe memcmp(one, other, first.count) == 0
                }
            }
        }

        func hash(into hasher: inout Hasher) {
            unsafe text.withUnsafeBytes { bytes in unsafe hasher.combine(bytes: bytes) }
        }
    }

    private let limit: Int
    private var statements: [Key: SQLiteStatement] = [:]
    private var uses = 0

    /// - Parameter limit: how many statements are kept, at least 1.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    var count: Int { statements.count }

    /// The statement with that text, unless it is in use by an outer loop of the same closure.
    mutating func statement(_ text: [UInt8]) -> SQLiteStatement? {
        guard let statement = statements[Key(text: text)], !statement.isInUse else { return nil }
        uses += 1
        statement.lastUse = uses
        return statement
    }

    /// Keeps a statement that was just prepared; one with the same text that is in use stays instead.
    mutating func insert(_ statement: SQLiteStatement, text: [UInt8]) {
        let key = Key(text: text)
        guard statements[key] == nil else { return }
        if statements.count >= limit { removeOldest() }
        uses += 1
        statement.lastUse = uses
        statements[key] = statement
    }

    mutating func removeAll() {
        statements = [:]
    }

    /// A scan, but only on a miss of a full cache, where preparing costs more.
    private mutating func removeOldest() {
        let oldest = statements.lazy.filter { !$0.value.isInUse }.min { $0.value.lastUse < $1.value.lastUse }
        if let oldest { statements[oldest.key] = nil }
    }
}
