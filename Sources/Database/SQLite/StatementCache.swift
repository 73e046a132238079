/// The prepared statements of a connection, by their text.
///
/// If there are too many, the least recently used is removed.
struct StatementCache {
    private let limit: Int
    private var statements: [StatementText: SQLiteStatement] = [:]
    private var uses = 0

    /// Creates an empty cache.
    ///
    /// - Parameter limit: the number of statements to keep, at least 1.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    var count: Int { statements.count }

    /// Returns the cached statement with that text; `nil` if there is none, or if an outer loop of the same closure is
    /// using it.
    mutating func statement(_ text: [UInt8]) -> SQLiteStatement? {
        guard let statement = statements[StatementText(text)], !statement.isInUse else { return nil }
        uses += 1
        statement.lastUse = uses
        return statement
    }

    /// Caches a new statement, unless one with the same text is cached and in use.
    mutating func insert(_ statement: SQLiteStatement, text: [UInt8]) {
        let key = StatementText(text)
        guard statements[key] == nil else { return }
        if statements.count >= limit { removeOldest() }
        uses += 1
        statement.lastUse = uses
        statements[key] = statement
    }

    mutating func removeAll() {
        statements = [:]
    }

    /// Removes the least recently used statement.
    ///
    /// The method scans all statements, but only on a miss of a full cache, where preparing costs more.
    private mutating func removeOldest() {
        let oldest = statements.lazy.filter { !$0.value.isInUse }.min { $0.value.lastUse < $1.value.lastUse }
        if let oldest { statements[oldest.key] = nil }
    }
}
