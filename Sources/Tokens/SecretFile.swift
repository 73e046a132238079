internal import Crypto
internal import Files
internal import Glibc

/// Reads and makes files of server secrets, and refuses a file that other users can read or change.
///
/// The file belongs to the server's user or to root. Only the owner may read it. As an exception, the group of root's
/// file may read it, too.
package enum SecretFile {
    static let maximumSize = 65_536

    /// Reads the secrets of an existing file.
    ///
    /// - Parameter path: a regular file of the server's user or of root, without any permission for other users and
    ///   groups; only a file of root may let its group read it (0640, as PostgreSQL allows for its keys), unless the
    ///   server runs as root.
    /// - Returns: the secrets in the file, newest first.
    /// - Throws: `SecretError`, which says how to fix the problem.
    package static func load(_ path: String) throws(SecretError) -> ServerSecrets {
        var bytes = try read(path)
        defer { wipe(&bytes) }
        return try ServerSecrets(utf8: bytes)
    }

    /// Reads the secrets of a file, and creates it with one random secret if it is missing.
    ///
    /// For development mode. Several processes may do this at once, and all get the same secret. The file is complete
    /// and on the disk before it gets its name, so a crash leaves either the whole secret or none.
    ///
    /// - Parameter path: the file. If only its own directory is missing, that is created with mode 0700.
    /// - Returns: the secrets in the file, newest first.
    /// - Throws: `SecretError`, which says how to fix the problem.
    package static func loadOrCreate(_ path: String) throws(SecretError) -> ServerSecrets {
        if unsafe access(path, F_OK) != 0 && errno == ENOENT { try create(path) }
        return try load(path)
    }

    private static func read(_ path: String) throws(SecretError) -> [UInt8] {
        // O_NONBLOCK: a FIFO must not block the start. It is rejected below.
        let file = try Descriptor(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
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

    /// Checks the type, the owner and the mode of the open file, and not of the path, which may lead to another file by
    /// now.
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
        do {
            Base64URL.append(try Random.secret(ServerSecrets.minimumLength).unwipedCopy(), to: &text)
            text.append(UInt8(ascii: "\n"))
        } catch {
            throw .library(error)
        }
        defer { wipe(&text) }
        do throws(FileError) {
            try Folder.make(Folder.parent(of: path), parents: false)
            var file = try NewFile(path)
            try file.write(text)
            // If another process was faster, its secret is used.
            _ = try file.publish(replacing: false)
        } catch {
            throw .file(path: path, step: error.step, reason: error.reason)
        }
    }
}

/// Owns an open file.
private struct Descriptor: ~Copyable {
    let number: Int32

    init(_ path: String, _ flags: Int32) throws(SecretError) {
        number = unsafe open(path, flags)
        guard number >= 0 else { throw .failed("open", path) }
    }

    deinit {
        close(number)
    }
}

extension SecretError {
    /// Creates an error from the current `errno`.
    fileprivate static func failed(_ step: String, _ path: String) -> SecretError {
        let reason = errno
        return .file(path: path, step: step, reason: unsafe String(cString: strerror(reason)))
    }
}
