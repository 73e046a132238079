/// A value that a statement binds.
///
/// Everything of ours is text or a 64-bit integer: times are milliseconds since 1970, flags are nullable times, binary is
/// base64url text. So both engines agree on every column. The others occur as keys in the operator's own tables.
package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case real(Double)
    case blob([UInt8])
}
