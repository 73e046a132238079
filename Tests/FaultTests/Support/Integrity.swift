import CSQLite
import PostgreSQLHarness
import Testing

/// Expects that the database of a folder is undamaged.
func checkIntegrity(_ folder: Folder) throws {
    if TestDatabase.isFile { try checkIntegrity(file: folder("latchkey.db")) } else { try checkTables(folder) }
}

/// Expects that PostgreSQL itself finds a database on a server undamaged: each index has exactly its rows.
private func checkTables(_ folder: Folder) throws {
    let server = try PostgreSQLServer.shared.get(), url = folder.database.url
    try server.psql(url, "CREATE EXTENSION IF NOT EXISTS amcheck")
    let checked = try server.psql(
        url,
        """
        SELECT count(bt_index_check(index.oid, true)) FROM pg_class index
        JOIN pg_am method ON method.oid = index.relam AND method.amname = 'btree'
        JOIN pg_namespace schema ON schema.oid = index.relnamespace AND schema.nspname = 'public'
        WHERE index.relkind = 'i'
        """
    )
    #expect(try #require(Int(checked)) > 50)
    #expect(try server.psql(url, "SELECT uid FROM users JOIN former_users USING (uid)") == "")
}

/// Expects that SQLite itself finds a database file undamaged.
func checkIntegrity(file: String) throws {
    #expect(try firstColumn("PRAGMA integrity_check", file: file) == ["ok"])
    #expect(try firstColumn("PRAGMA foreign_key_check", file: file) == [])
    #expect(try firstColumn("SELECT uid FROM users JOIN former_users USING (uid)", file: file) == [])
}

/// Returns the first column of a query, on a connection independent of the server's.
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
