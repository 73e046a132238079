#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Small files that only their owner may read.
enum PrivateFile {
    /// Far above any session file; keeps a wrong path from filling the memory.
    private static let maximumSize = 1 << 20

    /// Reads a whole file.
    ///
    /// - Parameter path: The file.
    /// - Returns: Its bytes, or `nil` when there is none.
    /// - Throws: ``StorageFailure`` naming the file.
    static func read(_ path: String) throws(StorageFailure) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw .systemError(path) }
            return nil
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0.baseAddress, $0.count) }
            guard count != 0 else { return bytes }
            guard count > 0 else {
                guard errno == EINTR else { throw .systemError(path) }
                continue
            }
            bytes += chunk[..<count]
            guard bytes.count <= maximumSize else { throw StorageFailure(path, "too large") }
        }
    }

    /// Replaces a file: a new one is written beside it with mode 0600, made durable, and renamed over it.
    static func write(_ bytes: [UInt8], to path: String) throws(StorageFailure) {
        try makeFolder(of: path)
        let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max)).new"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .systemError(path) }
        let failure = fill(descriptor, with: bytes, path: path)
        close(descriptor)
        if let failure {
            unsafe unlink(temporary)
            throw failure
        }
        guard unsafe rename(temporary, path) == 0 else {
            let failure = StorageFailure.systemError(path)
            unsafe unlink(temporary)
            throw failure
        }
        flushFolder(of: path)
    }

    /// Removes a file that may be missing.
    static func remove(_ path: String) throws(StorageFailure) {
        guard unsafe unlink(path) != 0, errno != ENOENT else { return }
        throw .systemError(path)
    }

    /// Makes the folders above a file, readable by the owner only; leaves existing ones as they are.
    static func makeFolder(of path: String) throws(StorageFailure) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        var folder = path.hasPrefix("/") ? "/" : ""
        for part in parts {
            folder += part + "/"
            guard unsafe mkdir(folder, 0o700) != 0, errno != EEXIST else { continue }
            // A folder that exists may also be reported as EISDIR, EROFS or EACCES: what counts is whether it is there.
            guard unsafe access(folder, F_OK) != 0 else { continue }
            throw .systemError(folder)
        }
    }

    /// Makes a renaming durable: a refresh token from before the last renewal could end the session.
    ///
    /// Not every file system can do it; the file itself is safe by then.
    private static func flushFolder(of path: String) {
        let end = path.lastIndex(of: "/")
        let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func fill(_ descriptor: CInt, with bytes: [UInt8], path: String) -> StorageFailure? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                if count < 0 && errno == EINTR { continue }
                return .systemError(path)
            }
            rest = rest.dropFirst(count)
        }
        // The mode given to open is narrowed by the umask, never widened; this also undoes a strange umask.
        guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0 else { return .systemError(path) }
        return nil
    }
}

/// `read(2)`, under a name that does not collide with ``PrivateFile/read(_:)``.
@unsafe private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}

/// `write(2)`, under a name that does not collide with ``PrivateFile/write(_:to:)``.
@unsafe private func systemWrite(_ descriptor: CInt, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, buffer, count)
}

extension StorageFailure {
    /// The failure that `errno` names.
    static func systemError(_ path: String) -> Self {
        let code = errno
        guard let text = unsafe strerror(code) else { return Self(path, "error \(code)") }
        return Self(path, unsafe String(cString: text))
    }
}
