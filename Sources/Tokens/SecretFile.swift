internal import Crypto
internal import Glibc

/// Server secrets in a file of their own, which nobody but the server's user may read.
package enum SecretFile {
    static let maximumSize = 65_536

    /// Reads the secrets of an existing file.
    ///
    /// - Parameter path: a regular file with mode 0600 or less; 0640 where it belongs to root, as PostgreSQL has it
    ///   for its keys.
    /// - Returns: its secrets, newest first.
    /// - Throws: `SecretError`, which names the fix.
    package static func load(_ path: String) throws(SecretError) -> ServerSecrets {
        var bytes = try read(path)
        defer { wipe(&bytes) }
        return try ServerSecrets(utf8: bytes)
    }

    /// Reads the secrets of a file, after making it with one random secret when it is missing; for development mode.
    ///
    /// Several processes may do this at once: all of them answer the same secret. The file is complete and on disk
    /// before it has its name, so a crash leaves either the whole secret or none.
    ///
    /// - Parameter path: the file; its directory, where that is missing, is made with mode 0700.
    /// - Returns: its secrets, newest first.
    /// - Throws: `SecretError`, which names the fix.
    package static func loadOrCreate(_ path: String) throws(SecretError) -> ServerSecrets {
        if unsafe access(path, F_OK) != 0 && errno == ENOENT { try create(path) }
        return try load(path)
    }

    private static func read(_ path: String) throws(SecretError) -> [UInt8] {
        // O_NONBLOCK: a FIFO must not hold the start up; it is refused below.
        let file = try Descriptor(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, step: "open")
        try checkAccess(file, path)
        var bytes = [UInt8](repeating: 0, count: maximumSize + 1)
        var filled = 0
        while filled < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(file.number, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
            }
            if count == 0 { break }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                wipe(&bytes)
                throw .failed("read", path)
            }
            filled += count
        }
        guard filled <= maximumSize else {
            wipe(&bytes)
            throw .tooLarge(path: path)
        }
        bytes.removeSubrange(filled...)
        return bytes
    }

    /// Looks at the open file, not at the path: nobody can swap it in between.
    private static func checkAccess(_ file: borrowing Descriptor, _ path: String) throws(SecretError) {
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0 else { throw .failed("inspect", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        let owner = status.st_uid
        guard owner == geteuid() || owner == 0 else { throw .foreignOwner(path: path, owner: owner) }
        let allowed: mode_t = owner == 0 && geteuid() != 0 ? 0o740 : 0o700
        let mode = status.st_mode & 0o777
        guard mode & ~allowed == 0 else { throw .tooOpen(path: path, mode: mode) }
    }

    private static func create(_ path: String) throws(SecretError) {
        var text: [UInt8] = []
        let suffix: String
        do {
            Base64URL.append(try Random.secret(ServerSecrets.minimumLength).unwipedCopy(), to: &text)
            text.append(UInt8(ascii: "\n"))
            suffix = Base64URL.encode(try Random.bytes(9))
        } catch {
            throw .library(error)
        }
        defer { wipe(&text) }
        // Where it fails, so does what comes next.
        _ = unsafe mkdir(directory(of: path), 0o700)
        let draft = "\(path).\(suffix).new"
        defer { _ = unsafe unlink(draft) }
        try write(text, to: draft)
        // link(2) never replaces: if another process was faster, its secret is the one.
        if unsafe link(draft, path) != 0 && errno != EEXIST { throw .failed("create", path) }
        try syncDirectory(of: path)
    }

    private static func write(_ text: [UInt8], to path: String) throws(SecretError) {
        let file = try Descriptor(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, step: "create")
        let count = unsafe text.withUnsafeBytes { unsafe Glibc.write(file.number, $0.baseAddress, $0.count) }
        guard count == text.count else { throw .failed("write", path) }
        guard fsync(file.number) == 0 else { throw .failed("sync", path) }
    }

    private static func syncDirectory(of path: String) throws(SecretError) {
        let file = try Descriptor(
            directory(of: path),
            O_RDONLY | O_DIRECTORY | O_CLOEXEC,
            step: "open the directory of"
        )
        guard fsync(file.number) == 0 else { throw .failed("sync the directory of", path) }
    }

    private static func directory(of path: String) -> String {
        switch path.lastIndex(of: "/") {
        case nil: "."
        case path.startIndex?: "/"
        case let slash?: String(path[..<slash])
        }
    }
}

/// Owns an open file.
private struct Descriptor: ~Copyable {
    let number: Int32

    init(_ path: String, _ flags: Int32, step: String) throws(SecretError) {
        number = unsafe open(path, flags, 0o600)
        guard number >= 0 else { throw .failed(step, path) }
    }

    deinit {
        close(number)
    }
}

extension SecretError {
    /// The failure that `errno` names now.
    fileprivate static func failed(_ step: String, _ path: String) -> SecretError {
        let reason = errno
        return .file(path: path, step: step, reason: unsafe String(cString: strerror(reason)))
    }
}
