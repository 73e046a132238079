internal import Glibc

/// Who may read and write a regular file, by its mode.
struct FileAccess: Sendable {
    private let bits: mode_t

    /// - Parameter path: the file; a symbolic link is followed.
    /// - Returns: `nil` for what is no regular file, such as the pipe of a shell.
    init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        bits = status.st_mode & 0o777
    }

    /// Whether the group or every user may write it.
    var mayBeWrittenByOthers: Bool { bits & 0o022 != 0 }

    /// Whether every user may read it; the group may, since that is how a file of root's is given to the server's user.
    var mayBeReadByEverybody: Bool { bits & 0o004 != 0 }

    /// The mode in octal digits.
    var mode: String { "0" + String(bits, radix: 8) }
}
