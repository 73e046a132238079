internal import CPostgreSQL

/// The complete answer to one statement, read row by row.
@safe final class PostgreSQLResult: StatementCursor {
    private let handle: OpaquePointer
    private let rowCount: Int32
    private let columnCount: Int32
    private var row: Int32 = -1
    let changes: Int

    /// Takes ownership of libpq's result.
    init(owning handle: OpaquePointer) {
        unsafe self.handle = handle
        rowCount = unsafe PQntuples(handle)
        columnCount = unsafe PQnfields(handle)
        // "INSERT 0 5", "UPDATE 5". For SELECT it is the number of rows, which changes nothing.
        let isSelect = unsafe String(cString: PQcmdStatus(handle)).hasPrefix("SELECT")
        changes = isSelect ? 0 : unsafe Int(String(cString: PQcmdTuples(handle))) ?? 0
    }

    deinit { unsafe PQclear(handle) }

    /// The error, if the statement failed or was skipped because an earlier one failed; otherwise `nil`.
    var error: DatabaseError? {
        switch unsafe PQresultStatus(handle) {
        case PGRES_FATAL_ERROR: unsafe .postgreSQL(handle)
        case PGRES_EMPTY_QUERY: DatabaseError(.misuse, message: "not exactly one statement")
        case PGRES_PIPELINE_ABORTED: DatabaseError(.internal, message: "an earlier statement failed")
        default: nil
        }
    }

    /// The server's error code (PostgreSQL manual, appendix A).
    ///
    /// `nil` if the statement succeeded, and also if libpq itself failed, for example because it could not read the
    /// server's answer.
    var sqlState: String? {
        unsafe PQresultErrorField(handle, latchkey_pg_diag_sqlstate).map { unsafe String(cString: $0) }
    }

    var status: ExecStatusType { unsafe PQresultStatus(handle) }

    /// The command tag: `COMMIT`, `INSERT 0 1`.
    var command: String { unsafe String(cString: PQcmdStatus(handle)) }

    // All rows have been received, so unread rows leave nothing undone.
    var isReadOnly: Bool { true }

    func step() throws(DatabaseError) -> Bool {
        guard row + 1 < rowCount else { return false }
        row += 1
        return true
    }

    func close() {}

    func text(_ column: Int) throws(DatabaseError) -> String? {
        let index = try checked(column)
        if unsafe PQgetisnull(handle, row, index) != 0 { return nil }
        guard unsafe !Self.isInteger(PQftype(handle, index)) else {
            throw DatabaseError(.misuse, message: "column \(column) is not text")
        }
        return try string(index)
    }

    func integer(_ column: Int) throws(DatabaseError) -> Int64? {
        let index = try checked(column)
        if unsafe PQgetisnull(handle, row, index) != 0 { return nil }
        guard unsafe Self.isInteger(PQftype(handle, index)), let integer = Int64(try string(index)) else {
            throw DatabaseError(.misuse, message: "column \(column) is not an integer")
        }
        return integer
    }

    func value(_ column: Int) throws(DatabaseError) -> SQLValue {
        let index = try checked(column)
        if unsafe PQgetisnull(handle, row, index) != 0 { return .null }
        let type = unsafe PQftype(handle, index)
        let text = try string(index)
        if Self.isInteger(type), let integer = Int64(text) { return .integer(integer) }
        if type == Self.float4 || type == Self.float8, let real = Double(text) { return .real(real) }
        if type == Self.bytea { return .blob(try Self.bytes(hexadecimal: text)) }
        return .text(text)
    }

    private static let bytea: Oid = 17
    private static let float4: Oid = 700
    private static let float8: Oid = 701

    /// Whether values of a column type are read as integers.
    ///
    /// These are int8, int2, int4, and numeric, because PostgreSQL's sum of int8 values is a numeric.
    private static func isInteger(_ type: Oid) -> Bool {
        type == 20 || type == 21 || type == 23 || type == 1700
    }

    private func string(_ index: Int32) throws(DatabaseError) -> String {
        // libpq ends each value with NUL, which no text of PostgreSQL contains.
        guard let value = unsafe PQgetvalue(handle, row, index), let text = unsafe String(validatingCString: value)
        else {
            throw DatabaseError(.invalidText, message: "column \(index) is not UTF-8")
        }
        return text
    }

    private static let unknownForm = DatabaseError(.internal, message: "binary data in a form that is not known")

    /// Decodes binary data as `\x48656c6c6f` (bytea_output = hex).
    private static func bytes(hexadecimal text: String) throws(DatabaseError) -> [UInt8] {
        let digits = text.utf8.dropFirst(2)
        guard text.hasPrefix("\\x"), digits.count.isMultiple(of: 2) else { throw unknownForm }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var rest = digits
        while let high = rest.popFirst(), let low = rest.popFirst() {
            guard let byte = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16) else { throw unknownForm }
            bytes.append(byte)
        }
        return bytes
    }

    private func checked(_ column: Int) throws(DatabaseError) -> Int32 {
        guard column >= 0, column < Int(columnCount) else {
            throw DatabaseError(.misuse, message: "there is no column \(column)")
        }
        return Int32(column)
    }
}
