extension SQL {
    /// Whether the statement only reads, judging by its first keyword: `SELECT`.
    var isQuery: Bool { text.starts(with: "SELECT".utf8) }

    /// Whether the statement would begin or end transactions or savepoints, or change the connection for other
    /// closures, judging by its first keyword.
    ///
    /// Closures must not run such statements.
    var steersConnection: Bool {
        let word = text.drop { $0 <= 0x20 }.prefix { $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") }
        guard word.count <= 10 else { return false }
        return Self.steering.contains(String(decoding: word.map { $0 | 0x20 }, as: UTF8.self))
    }

    private static let steering: Set<String> = [
        "abort", "attach", "begin", "commit", "detach", "end", "pragma", "release", "rollback", "savepoint", "start",
        "vacuum",
    ]
}

extension DatabaseError {
    static let steering = DatabaseError(
        .misuse,
        message: "a closure may not steer transactions or the connection"
    )
}
