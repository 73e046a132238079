internal import Glibc

/// A file descriptor that is closed when its owner lets go of it.
struct Descriptor: ~Copyable {
    let raw: Int32

    init(_ raw: Int32) { self.raw = raw }

    deinit {
        if raw >= 0 { _ = Glibc.close(raw) }
    }

    /// Gives the descriptor away: closing it is the caller's from now on.
    consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }

    /// Makes a descriptor one that never blocks and that no child process inherits.
    static func makeOurs(_ raw: Int32) {
        _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
        _ = fcntl(raw, F_SETFL, O_NONBLOCK)
    }
}
