/// A value that a statement binds.
///
/// Latchkey's own columns hold text or 64-bit integers: times are milliseconds since 1970, flags are nullable times,
/// binary data is base64url text. Both engines therefore agree on every column. The other types occur as keys in the
/// operator's tables.
@usableFromInline
package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case real(Double)
    case blob([UInt8])
}
