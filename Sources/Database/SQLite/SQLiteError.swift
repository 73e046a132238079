internal import CSQLite

extension DatabaseError {
    /// Creates an error from the latest failed call on a connection.
    @safe static func sqlite(_ connection: OpaquePointer?, code: Int32, statement: String? = nil) -> DatabaseError {
        // "sqlite3_errmsg() … the error string might be overwritten by subsequent calls": copied at once. With a NULL
        // connection it returns "out of memory".
        let message = unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? "out of memory"
        return DatabaseError(kind(sqlite: code), code: Int(code), message: message, statement: statement)
    }

    /// Returns the kind of an extended result code.
    static func kind(sqlite code: Int32) -> Kind {
        switch code & 0xff {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_FULL: .full
        case SQLITE_READONLY, SQLITE_PERM: .readOnly
        case SQLITE_CONSTRAINT: .constraint(constraint(sqlite: code))
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
        case SQLITE_IOERR, SQLITE_CANTOPEN: .io
        case SQLITE_ERROR, SQLITE_MISUSE, SQLITE_RANGE, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_AUTH: .misuse
        default: .internal
        }
    }

    private static func constraint(sqlite code: Int32) -> Constraint {
        switch code {
        case extended(SQLITE_CONSTRAINT, 8), extended(SQLITE_CONSTRAINT, 6), extended(SQLITE_CONSTRAINT, 10): .unique
        case extended(SQLITE_CONSTRAINT, 3): .foreignKey
        case extended(SQLITE_CONSTRAINT, 1), extended(SQLITE_CONSTRAINT, 12): .check
        case extended(SQLITE_CONSTRAINT, 5): .notNull
        case extended(SQLITE_CONSTRAINT, 7): .trigger
        default: .other
        }
    }

    /// Builds an extended result code from a primary code and a number.
    ///
    /// Swift does not import SQLite's macros for these codes, because they contain arithmetic. The numbers are: 8
    /// UNIQUE, 6 PRIMARYKEY, 10 ROWID, 3 FOREIGNKEY, 1 CHECK, 12 DATATYPE, 5 NOTNULL, 7 TRIGGER.
    private static func extended(_ primary: Int32, _ number: Int32) -> Int32 {
        primary | number << 8
    }
}
