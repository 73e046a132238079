internal import Glibc

/// The permissions of a regular file, from its mode.
struct FileAccess: Sendable {
    private let bits: mode_t

    /// Reads the permissions of a file; `nil` if it does not exist or is not a regular file, for example a shell's
    /// pipe.
    ///
    /// - Parameter path: the file; a symbolic link is followed.
    init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        bits = status.st_mode & 0o777
    }

    /// Whether the file's group or every user may write the file.
    var mayBeWrittenByOthers: Bool { bits & 0o022 != 0 }

    /// Whether every user may read the file.
    ///
    /// The group may, because that is how root grants the server's user access to a file.
    var isWorldReadable: Bool { bits & 0o004 != 0 }

    /// The mode in octal digits.
    var mode: String { "0" + String(bits, radix: 8) }
}
