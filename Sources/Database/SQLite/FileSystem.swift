internal import Glibc

/// The few things a database needs of the file system beside SQLite.
enum FileSystem {
    /// Makes an empty file with mode 0600, and its missing folders with mode 0700, unless it is there; both durable.
    ///
    /// SQLite gives its log and index the file's mode.
    static func makeFile(_ path: String) throws(DatabaseError) {
        let folder = parent(of: path)
        try makeFolder(folder)
        let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file < 0 {
            if errno == EEXIST { return }
            throw .file("make", path)
        }
        close(file)
        try synchronize(folder)
    }

    /// Makes a new empty file with mode 0600.
    ///
    /// - Throws: `io` also when it exists.
    static func makeNewFile(_ path: String) throws(DatabaseError) {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file < 0 { throw .file("make", path) }
        close(file)
    }

    /// A file that one process at a time has for itself, emptied: what a dead one left in it is gone.
    struct TakenFile: ~Copyable {
        private let descriptor: Int32

        /// Makes it with mode 0600 where it is not there.
        ///
        /// - Throws: `busy` while somebody else has it.
        init(_ path: String) throws(DatabaseError) {
            try makeFile(path)
            let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
            if descriptor < 0 { throw .file("open", path) }
            do throws(DatabaseError) {
                // SQLite's locks are of another kind (fcntl) and do not meet this one.
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

        /// Whether the file has the name still, and no other: whoever had it before may have given it another one in between, or
        /// died before they took this one from it.
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

    /// Waits until a file's content, or a folder's entries, are on the disk.
    static func synchronize(_ path: String) throws(DatabaseError) {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        if file < 0 { throw .file("open", path) }
        defer { close(file) }
        if fsync(file) != 0 { throw .file("synchronize", path) }
    }

    /// Gives a file its name, durably.
    ///
    /// - Parameters:
    ///   - source: the name it has.
    ///   - destination: the name it gets, on the same file system.
    ///   - replacing: whether a file of that name may go.
    /// - Throws: `io`, `readOnly` or `full`.
    static func rename(_ source: String, to destination: String, replacing: Bool) throws(DatabaseError) {
        if replacing {
            if unsafe Glibc.rename(source, destination) != 0 { throw .file("rename to", destination) }
        } else {
            // Unlike rename, link never replaces anything, whoever makes that file at the same moment.
            if unsafe link(source, destination) != 0 { throw .file("make", destination) }
            unsafe unlink(source)
        }
        try synchronize(parent(of: destination))
    }

    static func remove(_ path: String) {
        unsafe unlink(path)
    }

    static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    /// Size in bytes, 0 if there is no such file.
    static func size(_ path: String) -> Int64 {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// The bytes that may still be written on the file system of a path; `nil` where the system does not say.
    static func freeSpace(around path: String) -> Int64? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        return Int64(clamping: status.f_bavail).multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
            .partialValue
    }

    /// The name of a file that is there, without symbolic links.
    static func resolved(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Whether both names lead to one file.
    static func isSame(_ first: String, _ second: String) -> Bool {
        var one = stat()
        var other = stat()
        return unsafe stat(first, &one) == 0 && stat(second, &other) == 0 && one.st_dev == other.st_dev
            && one.st_ino == other.st_ino
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func makeFolder(_ path: String) throws(DatabaseError) {
        if exists(path) { return }
        let parent = parent(of: path)
        if parent != path { try makeFolder(parent) }
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw .file("make", path) }
        try synchronize(parent)
    }
}

extension DatabaseError {
    /// What the system just said about a file.
    fileprivate static func file(_ verb: String, _ path: String) -> DatabaseError {
        let number = errno
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
