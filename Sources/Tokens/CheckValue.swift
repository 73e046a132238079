/// A value that only the right secret opens, kept in the database so that a start with a wrong secret stops there
/// instead of failing at the first token.
package enum CheckValue {
    private static let content = Array("this database belongs to this server secret".utf8)
    private static let place = (table: "settings", column: "value", row: "secret-check")

    /// Makes the value for a new database.
    ///
    /// - Throws: `SealError.library` only when OpenSSL fails.
    package static func make(_ sealer: Sealer) throws(SealError) -> String {
        try sealer.seal(content, table: place.table, column: place.column, row: place.row)
    }

    /// Whether one of the configured secrets made this value.
    ///
    /// - Throws: `SealError.library` only when OpenSSL fails.
    package static func verify(_ text: String, _ sealer: Sealer) throws(SealError) -> Bool {
        do {
            return try sealer.open(text, table: place.table, column: place.column, row: place.row) == content
        } catch .library(let error) {
            throw .library(error)
        } catch {
            return false
        }
    }

    /// Whether the newest secret made this value; otherwise it should be made again when the rest is resealed.
    ///
    /// - Throws: `SealError`.
    package static func isSealedByNewest(_ text: String, _ sealer: Sealer) throws(SealError) -> Bool {
        try sealer.isSealedByNewest(text, table: place.table, column: place.column, row: place.row)
    }
}
