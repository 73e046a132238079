#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Operations on folders.
package enum Folder {
    /// Returns the path of the folder that contains a file or a folder: the text before the last slash, `/` if that is
    /// empty, and `.` for a name without a slash.
    package static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes a folder with mode 0700 and waits until it is on the disk; does nothing if the path exists.
    ///
    /// - Parameters:
    ///   - path: the folder; nothing is made for an empty path.
    ///   - parents: whether to make the missing folders above it too.
    /// - Throws: ``FileError``
    package static func make(_ path: String, parents: Bool = true) throws(FileError) {
        if unsafe path.isEmpty || access(path, F_OK) == 0 { return }
        let parent = parent(of: path)
        if parents, parent != path { try make(parent) }
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw FileError("create", path) }
        try synchronizeName(of: path)
    }

    /// Waits until the name of a file or folder is on the disk.
    ///
    /// Does nothing if this process may write to the containing folder but not read it, because then the process cannot
    /// open the folder.
    ///
    /// - Throws: ``FileError``
    static func synchronizeName(of path: String) throws(FileError) {
        do throws(FileError) { try synchronize(parent(of: path)) } catch {
            guard error.code == EACCES else { throw error }
        }
    }

    /// Waits until a folder's entries, or a file's content, are on the disk.
    ///
    /// Does nothing on a file system that cannot do this.
    ///
    /// - Throws: ``FileError``
    package static func synchronize(_ path: String) throws(FileError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("open", path) }
        defer { close(descriptor) }
        // EINVAL: not every file system can do this for a folder.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw FileError("sync", path) }
    }
}
