extension SQL {
    /// Whether it would end the transaction under the engine's feet, or change the connection for others.
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
