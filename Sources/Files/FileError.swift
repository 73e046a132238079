#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A system call on a file that failed.
package struct FileError: Error, Sendable, Equatable {
    /// What failed, as a verb: "create", "open", "write" or "sync".
    package let step: String
    /// The file or folder as the caller named it, even if the call was on its draft; the containing folder if waiting
    /// until the name is on the disk failed.
    package let path: String
    /// The `errno` of the call.
    package let code: Int32

    /// Creates an error from the current `errno`.
    init(_ step: String, _ path: String) {
        code = errno
        self.step = step
        self.path = path
    }

    /// The system's message for the code.
    package var reason: String {
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}
