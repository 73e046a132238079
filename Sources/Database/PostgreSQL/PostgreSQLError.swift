internal import CPostgreSQL

extension DatabaseError {
    /// Returns the kind of a SQLSTATE (PostgreSQL manual, appendix A).
    static func kind(sqlState state: String) -> Kind {
        switch state {
        case "40001", "40P01": return .conflict
        // A negative LIMIT, by which ``Transaction/require(_:)`` reports that its change met no row.
        case "2201W": return .conflict
        // A unique index or an EXCLUDE constraint.
        case "23505", "23P01": return .constraint(.unique)
        case "23503": return .constraint(.foreignKey)
        case "23514": return .constraint(.check)
        case "23502": return .constraint(.notNull)
        case "53100": return .full
        case "57014": return .timeout
        // A lock that could not be obtained.
        case "55P03": return .busy
        // An error of libpq itself. The server's answer is unknown.
        case "": return .unavailable
        // The server is shutting down, crashed, starting, or out of connections.
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
        // Errors of the server itself, and of authentication.
        case "0B", "0F", "0L", "0P", "0Z", "28", "3B", "3D", "3F", "40", "53", "55", "57", "58", "72", "F0", "HV", "XX":
            return .internal
        // Errors raised by functions and triggers with RAISE EXCEPTION, including custom codes.
        default: return .constraint(.trigger)
        }
    }

    /// Creates an error from the server's answer to a statement.
    ///
    /// Only the server's primary message is used, and not even that for errors about data (class 22), because it quotes
    /// values.
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

    /// Returns advice for the operator, to append to the message; empty without any.
    private static func hint(sqlState state: String) -> String {
        switch state {
        case "42P05":
            "; a pooler is in between: add ?prepare=off to the URL, and set postgresql.listenURL to a URL that bypasses it"
        case "42501": "; the role lacks privileges, see docs/operations.md, PostgreSQL"
        default: ""
        }
    }

    @unsafe private static func field(_ result: OpaquePointer, _ code: Int32) -> String? {
        unsafe PQresultErrorField(result, code).map { unsafe String(cString: $0) }
    }

    /// Whether the server is there but has no free connection.
    var isAboutRoom: Bool {
        ["too many clients", "too many connections", "connection slots", "no more connections allowed"].contains {
            message.contains($0)
        }
    }

    /// Makes the error of a connection that is lost or could not be made.
    static func unavailable(_ message: String) -> DatabaseError {
        DatabaseError(.unavailable, message: message)
    }
}
