#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#endif

/// What a command is given to read.
enum InputFile {
    /// Above any request that a server takes.
    private static let maximumSize = 4 << 20

    /// Reads all of standard input.
    static func standardInput() throws(Failure) -> [UInt8] {
        try read(STDIN_FILENO, "standard input")
    }

    /// Reads a whole file.
    static func read(_ path: String) throws(Failure) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        return try read(descriptor, path)
    }

    private static func read(_ descriptor: CInt, _ name: String) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0.baseAddress, $0.count) }
            guard count != 0 else { return bytes }
            guard count > 0 else {
                guard errno == EINTR else { throw unreadable(name) }
                continue
            }
            bytes += chunk[..<count]
            guard bytes.count <= maximumSize else { throw Failure("\(name) is too large.", code: "tooLarge") }
        }
    }

    private static func unreadable(_ name: String) -> Failure {
        let reason = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "unknown reason"
        return Failure("\(name) cannot be read: \(reason).", code: "unreadable")
    }
}

/// `read(2)`, under a name of its own.
@unsafe private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}
