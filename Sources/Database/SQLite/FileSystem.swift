internal import Files
internal import Glibc

/// The file system operations that a database needs besides SQLite.
enum FileSystem {
    /// Creates an empty file with mode 0600 and its missing folders with mode 0700, durably, unless it exists.
    ///
    /// SQLite creates its log and the log's index with the same mode.
    static func makeFile(_ path: String) throws(DatabaseError) {
        if exists(path) { return }
        try reporting { () throws(FileError) in
            try Folder.make(Folder.parent(of: path))
            var file = try NewFile(path)
            _ = try file.publish(replacing: false)
        }
    }

    /// Creates a new empty file with mode 0600.
    ///
    /// - Throws: `io`, also if it exists; `readOnly` or `full`.
    static func makeNewFile(_ path: String) throws(DatabaseError) {
        let isNew = try reporting { () throws(FileError) in
            var file = try NewFile(path)
            return try file.publish(replacing: false)
        }
        guard isNew else { throw .file("create", path, EEXIST) }
    }

    /// A file that one process at a time owns exclusively, until the value is destroyed.
    struct TakenFile: ~Copyable {
        private let descriptor: Int32

        /// Creates the file with mode 0600 if it does not exist, locks it, and empties it.
        ///
        /// - Throws: `busy` while another process owns it; `io`, `readOnly` or `full` if a file operation fails.
        init(_ path: String) throws(DatabaseError) {
            try makeFile(path)
            let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
            if descriptor < 0 { throw .file("open", path) }
            do throws(DatabaseError) {
                // SQLite uses fcntl locks, which do not interact with this one.
                guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.isNamed(path, descriptor) else {
                    throw DatabaseError(.busy, message: "another process is writing \(path)")
                }
                if ftruncate(descriptor, 0) != 0 { throw .file("empty", path) }
            } catch {
                close(descriptor)
                throw error
            }
            self.descriptor = descriptor
        }

        /// Whether the file still has this name and no other.
        ///
        /// The file's previous owner may have renamed it in between, or died after adding a new name but before
        /// removing this one. In the latter case the name is removed.
        private static func isNamed(_ path: String, _ descriptor: Int32) -> Bool {
            var named = stat()
            var opened = stat()
            guard unsafe stat(path, &named) == 0, unsafe fstat(descriptor, &opened) == 0 else { return false }
            guard named.st_dev == opened.st_dev, named.st_ino == opened.st_ino else { return false }
            if opened.st_nlink > 1 { unsafe unlink(path) }
            return opened.st_nlink == 1
        }

        deinit { close(descriptor) }
    }

    /// Waits until a file's content or a folder's entries are on the disk.
    static func synchronize(_ path: String) throws(DatabaseError) {
        try reporting { () throws(FileError) in try Folder.synchronize(path) }
    }

    /// Renames a file durably.
    ///
    /// - Parameters:
    ///   - source: the current path.
    ///   - destination: the new path, on the same file system.
    ///   - replacing: whether an existing file at the new path may be replaced.
    /// - Throws: `io`, `readOnly` or `full`.
    static func rename(_ source: String, to destination: String, replacing: Bool) throws(DatabaseError) {
        if replacing {
            if unsafe Glibc.rename(source, destination) != 0 { throw .file("rename to", destination) }
        } else {
            // Unlike rename, link never replaces a file, even if another process creates it at the same moment.
            if unsafe link(source, destination) != 0 { throw .file("create", destination) }
            unsafe unlink(source)
        }
        try synchronize(Folder.parent(of: destination))
    }

    static func remove(_ path: String) {
        unsafe unlink(path)
    }

    static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    /// Returns the size of a file in bytes, 0 if there is no such file.
    static func size(_ path: String) -> Int64 {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Returns the free bytes on the file system of a path; `nil` if the system does not tell.
    static func freeSpace(around path: String) -> Int64? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        return Int64(clamping: status.f_bavail).multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
            .partialValue
    }

    /// Returns the absolute path of a file without symbolic links; the same path if there is no such file.
    static func resolved(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Whether both paths refer to the same existing file.
    static func isSame(_ first: String, _ second: String) -> Bool {
        var one = stat()
        var other = stat()
        return unsafe stat(first, &one) == 0 && stat(second, &other) == 0 && one.st_dev == other.st_dev
            && one.st_ino == other.st_ino
    }

    /// Runs a file operation, and turns its error into a ``DatabaseError``.
    private static func reporting<Result>(_ body: () throws(FileError) -> Result) throws(DatabaseError) -> Result {
        do throws(FileError) { return try body() } catch { throw .file(error.step, error.path, error.code) }
    }
}

extension DatabaseError {
    /// Creates an error from the `errno` of a failed file operation.
    fileprivate static func file(_ verb: String, _ path: String, _ number: Int32 = errno) -> DatabaseError {
        let kind: Kind =
            switch number {
            case ENOSPC, EDQUOT: .full
            case EROFS, EACCES, EPERM: .readOnly
            default: .io
            }
        return DatabaseError(
            kind,
            code: Int(number),
            message: "cannot \(verb) \(path): \(unsafe String(cString: strerror(number)))"
        )
    }
}
