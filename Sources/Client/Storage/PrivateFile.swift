internal import Files

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Small files that only their owner may read.
enum PrivateFile {
    /// The maximum size of a file in bytes, far larger than any session file.
    ///
    /// The limit keeps a wrong path from filling the memory.
    private static let maximumSize = 1 << 20

    /// Reads a whole file.
    ///
    /// - Parameter path: the file.
    /// - Returns: its bytes, or `nil` when there is none.
    /// - Throws: ``StorageFailure`` when the file cannot be read, or is larger than 1 MiB.
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

    /// Replaces or creates a file durably, together with the folders above it.
    ///
    /// Durably, because a crash must not bring back an old refresh token, whose use could end the session.
    static func write(_ bytes: [UInt8], to path: String) throws(StorageFailure) {
        try makeFolder(of: path)
        do throws(FileError) {
            var file = try NewFile(path)
            try file.write(bytes)
            _ = try file.publish(replacing: true)
        } catch {
            throw StorageFailure(path, error.reason)
        }
    }

    /// Removes a file if it exists.
    static func remove(_ path: String) throws(StorageFailure) {
        guard unsafe unlink(path) != 0, errno != ENOENT else { return }
        throw .systemError(path)
    }

    /// Creates the folders above a file, readable by the owner only.
    ///
    /// Existing folders are not changed.
    static func makeFolder(of path: String) throws(StorageFailure) {
        do throws(FileError) { try Folder.make(Folder.parent(of: path)) } catch {
            throw StorageFailure(error.path, error.reason)
        }
    }
}

/// `read(2)`, under a name that does not collide with ``PrivateFile/read(_:)``.
@unsafe private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}

extension StorageFailure {
    /// Creates a failure from the current `errno`.
    static func systemError(_ path: String) -> Self {
        let code = errno
        guard let text = unsafe strerror(code) else { return Self(path, "error \(code)") }
        return Self(path, unsafe String(cString: text))
    }
}
