internal import CMicrohttpd
internal import Glibc

/// The file of a Unix-domain socket, with mode 0600 from its first moment on.
///
/// Whoever changes it holds a lock on its folder meanwhile: of two servers that start at the same moment one finds the other,
/// and one that stops never removes its successor's file.
struct SocketFile: Sendable {
    private let path: String
    private let identity: FileIdentity

    /// Gives a socket its file and begins to listen; the file of a server that was killed is replaced.
    ///
    /// - Throws: `ServerStartError` where another server listens there, or the file cannot be made.
    init(binding descriptor: Int32, to path: String) throws(ServerStartError) {
        self.path = path
        guard var address = UnixAddress(path) else {
            throw ServerStartError(
                "cannot listen on unix:\(path): the path is longer than \(UnixAddress.longest) bytes"
            )
        }
        guard let folder = FolderLock(of: path) else { throw SocketFile.failure(path) }
        defer { folder.release() }
        if let old = FileIdentity(of: path) {
            guard old.isSocket else {
                throw ServerStartError("cannot listen on unix:\(path): there is a file that is no socket")
            }
            guard !address.isAnswered() else {
                throw ServerStartError(
                    "cannot listen on unix:\(path): another program listens there already; end it, or choose another path"
                )
            }
            unsafe unlink(path)
        }
        // The file takes its mode from the socket (unix_bind in the kernel), so nobody finds it with a wider one.
        guard fchmod(descriptor, 0o600) == 0, address.bind(descriptor), listen(descriptor, 4096) == 0,
            let identity = FileIdentity(of: path)
        else { throw SocketFile.failure(path) }
        self.identity = identity
    }

    /// Removes the file, unless another server has put its own in its place.
    func remove() {
        guard let folder = FolderLock(of: path) else { return }
        defer { folder.release() }
        if FileIdentity(of: path) == identity { unsafe unlink(path) }
    }

    private static func failure(_ path: String) -> ServerStartError {
        ServerStartError("cannot listen on unix:\(path): \(unsafe String(cString: strerror(errno)))")
    }
}

/// Tells one file from another that takes its name later.
private struct FileIdentity: Equatable {
    let isSocket: Bool
    private let device: UInt
    private let number: UInt

    /// Nil where there is no file.
    init?(of path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        isSocket = status.st_mode & S_IFMT == S_IFSOCK
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
    }
}

/// A lock on the folder of a file, among programs that take it too.
private struct FolderLock {
    private let descriptor: Int32

    /// Waits for the lock a while; nil where the folder cannot be opened, or somebody keeps the lock.
    init?(of path: String) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let end = Moment.now + 2000
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard Moment.now < end else {
                close(descriptor)
                errno = EWOULDBLOCK
                return nil
            }
            usleep(1000)
        }
    }

    func release() {
        close(descriptor)
    }
}

/// A path as the system wants it.
private struct UnixAddress {
    /// The place in `sockaddr_un`, but for the zero at its end.
    static let longest = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    private var address = sockaddr_un()

    /// Nil for a path that is too long.
    init?(_ path: String) {
        guard path.utf8.count <= UnixAddress.longest else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    }

    mutating func bind(_ descriptor: Int32) -> Bool {
        unsafe withSocketAddress { unsafe Glibc.bind(descriptor, $0, $1) } == 0
    }

    /// Whether somebody takes connections there.
    mutating func isAnswered() -> Bool {
        let descriptor = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue),
            0
        )
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        // EAGAIN: there is one, whose queue is full.
        return unsafe withSocketAddress { unsafe connect(descriptor, $0, $1) } == 0 || errno == EAGAIN
    }

    private mutating func withSocketAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
