/// One numbered step from an empty database to the current schema.
package struct Migration: Sendable, Hashable {
    /// The migration's number, counted from 1 without gaps.
    package let number: Int
    /// The migration's purpose, from its file name.
    package let name: String
    /// The migration's statements, with `{{words}}` that ``Dialect/expand(_:)`` replaces.
    package let sql: String

    /// Creates a migration.
    package init(number: Int, name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
        checksum = Self.checksum(of: sql)
    }

    /// The checksum of ``sql``, which detects changes after the migration ran: FNV-1a, 64 bits in hexadecimal.
    ///
    /// The checksum protects against accidents, not against attackers, which could write to the database anyway.
    let checksum: String

    private static func checksum(of sql: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in sql.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
