import CSQLite
import Testing

/// Expects the database of a folder without damage.
func checkIntegrity(_ folder: Folder) throws {
    try checkIntegrity(file: folder("latchkey.db"))
}

/// Expects a database file without damage, in the eyes of SQLite itself.
func checkIntegrity(file: String) throws {
    #expect(try firstColumn("PRAGMA integrity_check", file: file) == ["ok"])
    #expect(try firstColumn("PRAGMA foreign_key_check", file: file) == [])
    #expect(try firstColumn("SELECT uid FROM users JOIN former_users USING (uid)", file: file) == [])
}

/// What a statement answers, on a connection that owes nothing to the server's.
private func firstColumn(_ sql: String, file: String) throws -> [String] {
    var database: OpaquePointer?
    defer { unsafe sqlite3_close_v2(database) }
    guard unsafe sqlite3_open_v2(file, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
        throw Late(what: "SQLite to open \(file)")
    }
    unsafe sqlite3_busy_timeout(database, 5000)
    var statement: OpaquePointer?
    defer { unsafe sqlite3_finalize(statement) }
    guard unsafe sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
        throw Late(what: "SQLite to prepare \(sql)")
    }
    var rows: [String] = []
    while unsafe sqlite3_step(statement) == SQLITE_ROW {
        unsafe rows.append(String(cString: sqlite3_column_text(statement, 0)))
    }
    return rows
}
