internal import Files
internal import Glibc

/// Puts a backup in the place of a SQLite database that no process uses.
package struct Restore {
    /// What a restore did.
    package struct Outcome: Sendable {
        /// The file that now has what was at the path before; `nil` if there was nothing.
        package let kept: String?
    }

    /// Linux's F_OFD_SETLK, which the C library's module does not export: a lock that belongs to the descriptor, so that
    /// SQLite in this process closing another one does not release it.
    private static let setDescriptorLock: Int32 = 37
    /// The bytes of a database file on which SQLite's connections have their locks: PENDING, RESERVED and SHARED.
    private static let lockedBytes: (start: Int, count: Int) = (0x4000_0000, 512)

    private let backup: String
    private let path: String
    private let migrations: [Migration]

    /// Prepares a restore.
    ///
    /// - Parameters:
    ///   - backup: the file to restore, which is not changed.
    ///   - path: the database to replace.
    ///   - migrations: the migrations of this program.
    package init(from backup: String, to path: String, migrations: [Migration]) {
        self.backup = backup
        self.path = path
        self.migrations = migrations
    }

    /// Checks the backup, copies it, keeps the existing database under another name, and gives its name to the copy.
    ///
    /// - Parameters:
    ///   - label: the end of the name under which the existing database is kept.
    ///   - check: checks what the backup contains, and throws to stop the restore.
    /// - Throws: ``DatabaseError``, or what `check` throws. The existing database is unchanged then.
    package func run(label: String, check: (Transaction) throws -> Void) throws -> Outcome {
        try checkFiles()
        let draft = "\(path).restoring"
        do {
            let source = try SQLiteConnection(path: backup, busyTimeout: 0, cacheLimit: 8)
            defer { source.close() }
            try source.runScript("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON;")
            try verify(source, check)
            if let reason = makeFolder() { throw reason }
            try Backup(source: source, sourcePath: backup, path: draft, isCancelled: { false })
                .run(replacing: true) { _, _ in }
        }
        do {
            return try replace(with: draft, label: label)
        } catch {
            FileSystem.remove(draft)
            throw error
        }
    }

    private func checkFiles() throws(DatabaseError) {
        guard FileSystem.exists(backup) else { throw DatabaseError(.io, message: "there is no file \(backup)") }
        if FileSystem.isSame(backup, path) {
            throw DatabaseError(.misuse, message: "\(backup) is the database itself")
        }
        for suffix in ["-wal", "-journal"] where FileSystem.exists(backup + suffix) {
            throw DatabaseError(
                .misuse,
                message: "\(backup + suffix) exists, so \(backup) is a database in use and no backup"
            )
        }
    }

    private func verify(_ source: SQLiteConnection, _ check: (Transaction) throws -> Void) throws {
        try source.run(.begin)
        defer { source.rollback() }
        guard try source.value("PRAGMA integrity_check(1)") == "ok" else {
            throw DatabaseError(.corrupt, message: "\(backup) is damaged")
        }
        let runner = MigrationRunner(source, migrations, clock: SQLiteConfiguration.machineClock)
        guard try runner.applied() > 0 else {
            throw DatabaseError(.schema, message: "\(backup) has no tables of Latchkey's")
        }
        let transaction = Transaction(source, now: SQLiteConfiguration.machineClock())
        defer { transaction.end() }
        try check(transaction)
    }

    private func makeFolder() -> DatabaseError? {
        do throws(FileError) {
            try Folder.make(Folder.parent(of: path))
            return nil
        } catch {
            return DatabaseError(
                .io,
                code: Int(error.code),
                message: "cannot \(error.step) \(error.path): \(error.reason)"
            )
        }
    }

    /// Exchanges the files.
    ///
    /// At each moment the path has the old database, complete, or the new one. Only a damaged database, whose log SQLite
    /// cannot copy into the file, is without its log for a moment.
    private func replace(with draft: String, label: String) throws(DatabaseError) -> Outcome {
        guard FileSystem.exists(path) else {
            // The log of a database that is gone would be taken for the new one's.
            for suffix in ["-wal", "-journal"] where FileSystem.exists(path + suffix) {
                throw DatabaseError(.misuse, message: "\(path + suffix) exists without its database; move it away")
            }
            takeOwner(of: Folder.parent(of: path), draft)
            try FileSystem.rename(draft, to: path, replacing: false)
            return Outcome(kept: nil)
        }
        takeOwner(of: path, draft)
        try finishLog()
        let lock = try lockAll()
        defer { close(lock) }
        // Another restore in the same second has taken the name without a number.
        var kept = "\(path).before-\(label)", number = 1
        while unsafe link(path, kept) != 0 {
            guard errno == EEXIST, number < 100 else { throw error("keep the database as", kept) }
            number += 1
            kept = "\(path).before-\(label)-\(number)"
        }
        for suffix in ["-wal", "-journal"] where FileSystem.exists(path + suffix) {
            guard unsafe rename(path + suffix, kept + suffix) == 0 else { throw error("keep", kept + suffix) }
        }
        FileSystem.remove(path + "-shm")
        try FileSystem.rename(draft, to: path, replacing: true)
        return Outcome(kept: kept)
    }

    /// Copies the log of the existing database into its file, which only the last connection of a database can do.
    ///
    /// - Throws: `busy` if a process uses the database. A damaged database is no error.
    private func finishLog() throws(DatabaseError) {
        do throws(DatabaseError) {
            let connection = try SQLiteConnection(path: path, busyTimeout: 0, cacheLimit: 1)
            defer { connection.close() }
            guard try connection.value("PRAGMA journal_mode = DELETE") == "delete" else { throw isUsed }
        } catch {
            if error.kind == .busy { throw isUsed }
        }
    }

    /// Locks the database against all processes until the descriptor is closed.
    private func lockAll() throws(DatabaseError) -> Int32 {
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw error("open", path) }
        var request = flock()
        request.l_type = Int16(F_WRLCK)
        request.l_whence = Int16(SEEK_SET)
        request.l_start = off_t(Self.lockedBytes.start)
        request.l_len = off_t(Self.lockedBytes.count)
        guard unsafe fcntl(descriptor, Self.setDescriptorLock, &request) == 0 else {
            close(descriptor)
            throw isUsed
        }
        return descriptor
    }

    private var isUsed: DatabaseError {
        DatabaseError(.busy, message: "\(path) is in use; stop the server first")
    }

    /// Gives a file to the owner of another one, which only root can do, for the server's user.
    private func takeOwner(of other: String, _ file: String) {
        var status = stat()
        guard geteuid() == 0, unsafe stat(other, &status) == 0 else { return }
        _ = unsafe chown(file, status.st_uid, status.st_gid)
    }

    private func error(_ verb: String, _ path: String) -> DatabaseError {
        let number = errno
        return DatabaseError(
            number == ENOSPC || number == EDQUOT ? .full : .io,
            code: Int(number),
            message: "cannot \(verb) \(path): \(unsafe String(cString: strerror(number)))"
        )
    }
}
