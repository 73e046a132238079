/// One numbered step of the schema.
package struct Migration: Sendable, Hashable {
    /// Its place, counted from 1 without gaps.
    package let number: Int
    /// What it does, as in its file's name.
    package let name: String
    /// Its statements, with the `{{words}}` of ``Dialect``.
    package let sql: String

    /// Makes a step.
    package init(number: Int, name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
        checksum = Self.checksum(of: sql)
    }

    /// Tells whether a step was altered after it ran: FNV-1a of its text, 64 bits in hexadecimal.
    ///
    /// Against accidents, not against people who can write to the database anyway.
    let checksum: String

    private static func checksum(of sql: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in sql.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
