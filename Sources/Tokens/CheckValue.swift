/// A value in the database that only the right secret opens, so that a start with a wrong secret fails at once instead
/// of at the first token.
package enum CheckValue {
    private static let content = Array("this database belongs to this server secret".utf8)
    private static let place = (table: "settings", column: "value", row: "secret-check")

    /// Makes the value, sealed under the newest secret, for the setting `secret-check` of a database.
    ///
    /// - Throws: `SealError.library` only when OpenSSL fails.
    package static func make(_ sealer: Sealer) throws(SealError) -> String {
        try sealer.seal(content, table: place.table, column: place.column, row: place.row)
    }

    /// Whether one of the sealer's secrets sealed this value; `false` also for a malformed text.
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

    /// Whether the sealer's newest secret sealed this value.
    ///
    /// If not, the value should be replaced when the other values are resealed under the newest secret.
    ///
    /// - Throws: `SealError.malformed`, or `.library` when OpenSSL fails.
    package static func isSealedByNewest(_ text: String, _ sealer: Sealer) throws(SealError) -> Bool {
        try sealer.isSealedByNewest(text, table: place.table, column: place.column, row: place.row)
    }
}
