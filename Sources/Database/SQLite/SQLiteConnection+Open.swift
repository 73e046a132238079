internal import CSQLite

extension SQLiteConnection {
    /// The purpose of a connection.
    enum Role {
        case writer, reader, checkpointer
    }

    /// SQLite's `application_id` of Latchkey's files ("LKEY"), so that a database of another program is not mistaken
    /// for one.
    static let applicationID: Int64 = 0x4C4B_4559

    /// Opens an existing database and configures the connection for its role.
    static func open(
        _ configuration: SQLiteConfiguration,
        as role: Role
    ) throws(DatabaseError) -> SQLiteConnection {
        let connection = try SQLiteConnection(
            path: configuration.path,
            // A checkpoint blocks the writer while it waits for readers, so it gives up early.
            busyTimeout: role == .checkpointer ? 50 : configuration.busyTimeout,
            cacheLimit: configuration.statementCacheLimit,
            attachedFiles: configuration.maximumAttachedFiles,
            context: configuration.makeContext?(),
            health: configuration.health,
            onStatement: configuration.onStatement
        )
        do {
            try connection.configure(configuration, as: role)
        } catch {
            connection.close()
            throw error
        }
        return connection
    }

    private func configure(_ configuration: SQLiteConfiguration, as role: Role) throws(DatabaseError) {
        try runScript(
            """
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA mmap_size = 0;
            PRAGMA temp_store = MEMORY;
            PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = ON;
            """
        )
        try useWriteAheadLog(waiting: configuration.busyTimeout)
        // FULL: "the WAL is synced after each transaction commit". No checkpoint inside a commit.
        try runScript("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;")
        switch role {
        case .writer: try runScript("PRAGMA cache_size = -\(max(64, configuration.writerCache));")
        case .reader:
            try runScript("PRAGMA cache_size = -\(max(64, configuration.readerCache)); PRAGMA query_only = ON;")
        case .checkpointer: break
        }
    }

    /// Switches the file to a write-ahead log, and retries while another process holds a lock.
    ///
    /// SQLite answers BUSY without waiting if several processes open a new file at once.
    private func useWriteAheadLog(waiting milliseconds: Int) throws(DatabaseError) {
        var waited = 0
        while true {
            do throws(DatabaseError) {
                guard try value("PRAGMA journal_mode = WAL") == "wal" else {
                    throw DatabaseError(.io, message: "the file system does not support a write-ahead log")
                }
                return
            } catch {
                guard error.kind == .busy, waited < milliseconds else { throw error }
                waited += 10
                sqlite3_sleep(10)
            }
        }
    }
}
