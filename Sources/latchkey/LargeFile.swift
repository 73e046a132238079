internal import Files

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#endif

/// A file that is read in pieces, so that its length does not matter.
struct LargeInput: ~Copyable {
    /// The length in bytes; `nil` if it is unknown.
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

    /// Reads the next piece of up to 256 KiB; empty at the end of the file.
    mutating func read() throws(Failure) -> [UInt8] {
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(reading: name) }
            return count == piece.count ? piece : Array(piece[..<count])
        }
    }
}

/// A file that appears under its name once it is complete, with mode 0600; or standard output.
struct LargeOutput: ~Copyable {
    private let path: String
    private let isReplacing: Bool
    /// The file that is being written; `nil` for standard output.
    private var file: NewFile?

    /// Creates a file; `-` is standard output.
    ///
    /// - Parameter replacing: whether to replace an existing file.
    init(_ path: String, replacing: Bool) throws(Failure) {
        self.path = path
        isReplacing = replacing
        guard path != "-" else {
            file = nil
            return
        }
        if !replacing, unsafe access(path, F_OK) == 0 { throw .exists(path) }
        do throws(FileError) { file = try NewFile(path, draft: path + ".partial") } catch { throw Failure(error) }
    }

    /// Writes the next piece of the file.
    func write(_ bytes: [UInt8]) throws(Failure) {
        guard file != nil else { return try Self.print(bytes) }
        do throws(FileError) { try file?.write(bytes) } catch { throw Failure(error) }
    }

    /// Gives the complete file its name; does nothing for standard output.
    ///
    /// - Throws: ``Failure`` if a file of that name has appeared meanwhile and must not be replaced, or the disk fails.
    mutating func finish() throws(Failure) {
        do throws(FileError) {
            guard try file?.publish(replacing: isReplacing) == false else { return }
        } catch {
            throw Failure(error)
        }
        throw .exists(path)
    }

    private static func print(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(writing: "standard output") }
            rest = rest.dropFirst(count)
        }
    }
}

extension Failure {
    fileprivate static func exists(_ path: String) -> Failure {
        Failure("\(path) already exists; --force replaces it.", code: "exists")
    }

    fileprivate init(_ error: FileError) {
        self.init("\(error.path) cannot be written: \(error.reason).", code: "unwritable")
    }

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

/// `read(2)` under another name, to avoid the method of the same name.
@unsafe private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}

/// `write(2)` under another name, to avoid the method of the same name.
@unsafe private func systemWrite(_ descriptor: CInt, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, buffer, count)
}
