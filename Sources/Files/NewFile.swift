#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A file with mode 0600 that gets its name only once it is complete and on the disk.
///
/// Until ``publish(replacing:)`` returns `true`, the file is a draft with another name, which is removed with this
/// value. A crash therefore leaves the whole new file, or whatever had the name before, and perhaps a draft.
package struct NewFile: ~Copyable {
    private let path: String
    private let draft: String
    private let descriptor: CInt
    private var isPublished = false

    /// Creates the draft.
    ///
    /// - Parameters:
    ///   - path: the name that the file will get.
    ///   - draft: the name until the file is published, on the same file system; `nil` for a random name in the same
    ///     folder. An existing file of this name, such as the draft of a killed process, is emptied.
    /// - Throws: ``FileError``, also if the draft's name is a symbolic link.
    package init(_ path: String, draft: String? = nil) throws(FileError) {
        self.path = path
        self.draft = draft ?? "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max)).new"
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (draft == nil ? O_EXCL : O_TRUNC)
        descriptor = unsafe open(self.draft, flags, 0o600)
        guard descriptor >= 0 else { throw FileError("create", path) }
        // The umask may have narrowed the mode, and the draft of a killed process may have another one.
        guard fchmod(descriptor, 0o600) == 0 else {
            let error = FileError("create", path)
            close(descriptor)
            unsafe unlink(self.draft)
            throw error
        }
    }

    deinit {
        close(descriptor)
        if !isPublished { unsafe unlink(draft) }
    }

    /// Appends all bytes to the draft.
    ///
    /// - Throws: ``FileError``
    package func write(_ bytes: [UInt8]) throws(FileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError("write", path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits until the content is on the disk, gives the file its name, and waits until the name is on the disk.
    ///
    /// - Parameter replacing: whether to replace an existing file.
    /// - Returns: whether the file got its name; false if a file exists and may not be replaced.
    /// - Throws: ``FileError``; the file may have its name already, if only waiting for the name failed.
    package mutating func publish(replacing: Bool) throws(FileError) -> Bool {
        guard fsync(descriptor) == 0 else { throw FileError("sync", path) }
        if replacing {
            guard unsafe rename(draft, path) == 0 else { throw FileError("create", path) }
            isPublished = true
        } else if unsafe link(draft, path) != 0 {
            // Unlike rename, link never replaces a file, even if another process creates it at the same moment.
            guard errno == EEXIST else { throw FileError("create", path) }
            return false
        }
        try Folder.synchronizeName(of: path)
        return true
    }
}

/// `write(2)`, under a name that does not collide with ``NewFile/write(_:)``.
@unsafe private func systemWrite(_ descriptor: CInt, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, buffer, count)
}
