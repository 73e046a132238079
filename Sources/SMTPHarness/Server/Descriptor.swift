internal import Glibc

/// A file descriptor that is closed when its owner is destroyed.
struct Descriptor: ~Copyable {
    let raw: Int32

    init(_ raw: Int32) { self.raw = raw }

    deinit {
        if raw >= 0 { _ = Glibc.close(raw) }
    }

    /// Transfers the descriptor to the caller, who must close it.
    consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }

    /// Makes a descriptor non-blocking, and keeps it from programs that child processes execute.
    static func makeOurs(_ raw: Int32) {
        _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
        _ = fcntl(raw, F_SETFL, O_NONBLOCK)
    }
}
