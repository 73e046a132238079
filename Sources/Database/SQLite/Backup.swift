internal import CSQLite
internal import Glibc

/// Copies a database that is in use, page by page.
///
/// SQLite's backup starts over whenever another connection writes, so it might never finish on a busy database. Inside
/// an open read transaction it does not start over, because its snapshot stays the same. `VACUUM INTO` would work too,
/// but rebuilds every index (slower), reports no progress and cannot be stopped.
struct Backup {
    /// The number of pages copied between two checks of progress and cancellation: 4 MiB.
    private static let pagesPerStep: Int32 = 1024

    let source: SQLiteConnection
    let sourcePath: String
    let path: String
    let isCancelled: () -> Bool

    /// Copies the database to ``path``, checks the copy, and makes it durable.
    ///
    /// - Parameters:
    ///   - replacing: whether an existing file may be replaced.
    ///   - progress: receives the pages copied and the total number of pages from time to time.
    /// - Throws: ``DatabaseError``; nothing is left behind then. `closed` if the copy was cancelled.
    func run(replacing: Bool, progress: (Int, Int) -> Void) throws(DatabaseError) {
        try checkDestination(replacing: replacing)
        let partial = "\(path).partial-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try FileSystem.makeNewFile(partial)
        do {
            try copy(to: partial, progress: progress)
            try FileSystem.synchronize(partial)
            try FileSystem.rename(partial, to: path, replacing: replacing)
        } catch {
            for suffix in ["", "-journal", "-wal", "-shm"] { FileSystem.remove(partial + suffix) }
            throw error
        }
    }

    private func checkDestination(replacing: Bool) throws(DatabaseError) {
        if FileSystem.isSame(path, sourcePath) {
            throw DatabaseError(.misuse, message: "\(path) is the database itself")
        }
        if !replacing, FileSystem.exists(path) {
            throw DatabaseError(.misuse, message: "\(path) exists")
        }
        // SQLite would take a log next to the new file for that file's own log.
        for suffix in ["-wal", "-journal"] where FileSystem.exists(path + suffix) {
            throw DatabaseError(
                .misuse,
                message: "\(path + suffix) exists: a database is in use there, or was not closed"
            )
        }
    }

    private func copy(to partial: String, progress: (Int, Int) -> Void) throws(DatabaseError) {
        let copy = try SQLiteConnection(path: partial, busyTimeout: 0, cacheLimit: 1)
        defer { copy.close() }
        // One fsync at the end makes the copy durable. Until then the file has a temporary name.
        try copy.runScript("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;")
        try source.run(.begin)
        defer { source.rollback() }
        // BEGIN alone takes no snapshot; the first read does.
        _ = try source.value("SELECT count(*) FROM sqlite_schema")
        try unsafe copy.withHandle { destination throws(DatabaseError) in
            try unsafe source.withHandle { source throws(DatabaseError) in
                try unsafe copyPages(from: source, to: destination, progress: progress)
            }
        }
        guard try copy.value("PRAGMA quick_check(1)") == "ok" else {
            throw DatabaseError(.corrupt, message: "the copy did not pass its check; the database may be damaged")
        }
        // Converts the copy back to a plain, complete file without a log.
        guard try copy.value("PRAGMA journal_mode = DELETE") == "delete" else {
            throw DatabaseError(.io, message: "the copy could not be completed")
        }
    }

    @unsafe private func copyPages(
        from source: OpaquePointer,
        to destination: OpaquePointer,
        progress: (Int, Int) -> Void
    ) throws(DatabaseError) {
        guard let backup = unsafe sqlite3_backup_init(destination, "main", source, "main") else {
            throw unsafe .sqlite(destination, code: sqlite3_extended_errcode(destination))
        }
        var code = SQLITE_OK
        while code == SQLITE_OK, !isCancelled() {
            code = unsafe sqlite3_backup_step(backup, Self.pagesPerStep)
            let total = unsafe Int(sqlite3_backup_pagecount(backup))
            progress(total - Int(unsafe sqlite3_backup_remaining(backup)), total)
        }
        let end = unsafe sqlite3_backup_finish(backup)
        if code == SQLITE_DONE, end == SQLITE_OK { return }
        if code == SQLITE_OK { throw .closed }
        throw .sqlite(destination, code: code == SQLITE_DONE ? end : code)
    }
}
