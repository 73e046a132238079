internal import CMicrohttpd
internal import Glibc

/// The file of a Unix-domain socket, created with mode 0600.
///
/// A server locks the folder while it makes or removes the file, so that two servers that start at the same moment
/// notice each other. A server that stops never removes its successor's file.
struct SocketFile: Sendable {
    private let path: String
    private let identity: FileIdentity

    /// Binds a socket to its file and starts listening.
    ///
    /// The file of a server that was killed is replaced.
    ///
    /// - Throws: `ServerStartError` if another server listens there, a file that is no socket is there, the path is too
    ///   long, or the file cannot be created.
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
                throw ServerStartError("cannot listen on unix:\(path): the file there is not a socket")
            }
            guard !address.isAnswered() else {
                throw ServerStartError(
                    "cannot listen on unix:\(path): another program listens there already; end it, or choose another path"
                )
            }
            unsafe unlink(path)
        }
        // The file takes its mode from the socket (unix_bind in the kernel), so it never has a wider one.
        guard fchmod(descriptor, 0o600) == 0, address.bind(descriptor), listen(descriptor, 4096) == 0,
            let identity = FileIdentity(of: path)
        else { throw SocketFile.failure(path) }
        self.identity = identity
    }

    /// Removes the file unless another server has replaced it.
    func remove() {
        guard let folder = FolderLock(of: path) else { return }
        defer { folder.release() }
        if FileIdentity(of: path) == identity { unsafe unlink(path) }
    }

    private static func failure(_ path: String) -> ServerStartError {
        ServerStartError("cannot listen on unix:\(path): \(unsafe String(cString: strerror(errno)))")
    }
}

/// Distinguishes a file from a later file of the same name.
private struct FileIdentity: Equatable {
    let isSocket: Bool
    private let device: UInt
    private let number: UInt

    /// Reads the identity of the file at a path; nil if there is no file.
    init?(of path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        isSocket = status.st_mode & S_IFMT == S_IFSOCK
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
    }
}

/// A lock on the folder of a file, for programs that take it too.
private struct FolderLock {
    private let descriptor: Int32

    /// Waits up to two seconds for the lock; nil if the folder cannot be opened, or another process holds the lock.
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

/// The path of a Unix-domain socket as a `sockaddr_un`.
struct UnixAddress {
    /// The longest path in `sockaddr_un`, without the final zero.
    static let longest = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    private var address = sockaddr_un()

    /// Converts a path; nil if it is too long.
    init?(_ path: String) {
        guard path.utf8.count <= UnixAddress.longest else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    }

    mutating func bind(_ descriptor: Int32) -> Bool {
        unsafe withSocketAddress { unsafe Glibc.bind(descriptor, $0, $1) } == 0
    }

    /// Whether a server accepts connections at this path.
    mutating func isAnswered() -> Bool {
        let descriptor = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue),
            0
        )
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        // EAGAIN: there is a server, but its queue is full.
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
