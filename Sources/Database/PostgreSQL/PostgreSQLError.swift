internal import CPostgreSQL

extension DatabaseError {
    /// The kind of a SQLSTATE (PostgreSQL's manual, appendix A).
    static func kind(sqlState state: String) -> Kind {
        switch state {
        case "40001", "40P01": return .conflict
        // A unique index, and one of an EXCLUDE constraint.
        case "23505", "23P01": return .constraint(.unique)
        case "23503": return .constraint(.foreignKey)
        case "23514": return .constraint(.check)
        case "23502": return .constraint(.notNull)
        case "53100": return .full
        case "57014": return .timeout
        // A lock that was not to be had.
        case "55P03": return .busy
        // libpq itself: nobody knows what the server has said.
        case "": return .unavailable
        // Being shut down, crashed, starting; not one connection more.
        case "57P01", "57P02", "57P03", "57P05", "53300", "25P03": return .unavailable
        case "25006": return .readOnly
        case "22021", "22P05": return .invalidText
        case "58030": return .io
        case "XX001", "XX002": return .corrupt
        default: break
        }
        switch state.prefix(2) {
        case "08": return .unavailable
        case "23", "44": return .constraint(.other)
        case "0A", "20", "21", "22", "24", "25", "26", "2B", "2D", "34", "42", "54": return .misuse
        // The server itself, and who it lets in.
        case "0B", "0F", "0L", "0P", "0Z", "28", "3B", "3D", "3F", "40", "53", "55", "57", "58", "72", "F0", "HV", "XX":
            return .internal
        // What functions and triggers say of themselves: RAISE EXCEPTION, with a code of its own too.
        default: return .constraint(.trigger)
        }
    }

    /// What the server said of a statement.
    ///
    /// Of its words only the primary message is taken, and none of errors about data: those quote it.
    @safe static func postgreSQL(_ result: OpaquePointer) -> DatabaseError {
        let state = unsafe field(result, latchkey_pg_diag_sqlstate) ?? ""
        let constraint = unsafe field(result, latchkey_pg_diag_constraint)
        let table = unsafe field(result, latchkey_pg_diag_table)
        let words = unsafe state.hasPrefix("22") ? "a value does not fit" : field(result, latchkey_pg_diag_message)
        return DatabaseError(
            kind(sqlState: state),
            message: "\(words ?? "the server failed")\(hint(sqlState: state)) [\(state)]",
            constraint: constraint,
            table: table
        )
    }

    /// What an operator can do about it.
    private static func hint(sqlState state: String) -> String {
        switch state {
        case "42P05":
            "; a pooler stands in between: give the URL ?prepare=off, and postgresql.listenURL the way past it"
        case "42501": "; the role lacks rights, see docs/operations.md, PostgreSQL"
        default: ""
        }
    }

    @unsafe private static func field(_ result: OpaquePointer, _ code: Int32) -> String? {
        unsafe PQresultErrorField(result, code).map { unsafe String(cString: $0) }
    }

    /// Whether the server is there and only has no connection left for us.
    var isAboutRoom: Bool {
        ["too many clients", "too many connections", "connection slots", "no more connections allowed"].contains {
            message.contains($0)
        }
    }

    /// The connection is no more, or never was.
    static func unavailable(_ message: String) -> DatabaseError {
        DatabaseError(.unavailable, message: message)
    }
}
