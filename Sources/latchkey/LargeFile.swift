#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#endif

/// A file that is read in pieces, because its length does not matter.
struct LargeInput: ~Copyable {
    /// Its length in bytes; `nil` where that is not known.
    let size: Int?
    private let name: String
    private let descriptor: CInt
    private var piece = [UInt8](repeating: 0, count: 256 << 10)

    /// Opens a file; `-` is standard input.
    init(_ path: String) throws(Failure) {
        let name = path == "-" ? "standard input" : path
        let descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(reading: name) }
        var status = stat()
        let isFile = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        self.name = name
        self.descriptor = descriptor
        size = isFile ? Int(status.st_size) : nil
    }

    deinit {
        if descriptor > STDERR_FILENO { close(descriptor) }
    }

    /// The next piece; empty at the end.
    mutating func read() throws(Failure) -> [UInt8] {
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(reading: name) }
            return count == piece.count ? piece : Array(piece[..<count])
        }
    }
}

/// A file that appears under its name once it is complete, with mode 0600.
struct LargeOutput: ~Copyable {
    private let path: String
    private let descriptor: CInt
    private var isFinished = false

    private var isStream: Bool { path == "-" }
    private var partial: String { path + ".partial" }

    /// Begins a file; `-` is standard output.
    ///
    /// - Parameter replacing: Whether one that is there may go.
    init(_ path: String, replacing: Bool) throws(Failure) {
        descriptor = path == "-" ? STDOUT_FILENO : try Self.begin(path, replacing: replacing)
        self.path = path
    }

    private static func begin(_ path: String, replacing: Bool) throws(Failure) -> CInt {
        if !replacing, unsafe access(path, F_OK) == 0 {
            throw Failure("\(path) exists already; --force replaces it.", code: "exists")
        }
        let partial = path + ".partial"
        let descriptor = unsafe open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure(writing: partial) }
        // One that a killed export left may have another mode.
        guard fchmod(descriptor, 0o600) == 0 else {
            close(descriptor)
            throw Failure(writing: partial)
        }
        return descriptor
    }

    deinit {
        guard !isStream else { return }
        close(descriptor)
        if !isFinished { unsafe unlink(partial) }
    }

    /// Writes a piece.
    func write(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(writing: isStream ? "standard output" : partial) }
            rest = rest.dropFirst(count)
        }
    }

    /// Gives the file its name.
    mutating func finish() throws(Failure) {
        guard !isStream else { return }
        guard fsync(descriptor) == 0, unsafe rename(partial, path) == 0 else { throw Failure(writing: path) }
        isFinished = true
    }
}

extension Failure {
    fileprivate init(reading name: String) {
        self.init("\(name) cannot be read: \(Self.reason()).", code: "unreadable")
    }

    fileprivate init(writing name: String) {
        self.init("\(name) cannot be written: \(Self.reason()).", code: "unwritable")
    }

    private static func reason() -> String {
        unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "unknown reason"
    }
}

/// `read(2)`, under a name of its own.
@unsafe private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}

/// `write(2)`, under a name of its own.
@unsafe private func systemWrite(_ descriptor: CInt, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, buffer, count)
}
