#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// An advisory lock between processes, using `flock(2)` on a permanent file.
///
/// The session file itself is replaced at every change, so it cannot hold the lock. A process that dies releases the
/// lock with its descriptors.
struct FileLock: ~Copyable {
    private let descriptor: CInt

    /// Waits for the lock without blocking a thread.
    ///
    /// - Parameters:
    ///   - path: the lock file, created with mode 0600 if missing.
    ///   - timeout: the maximum time to wait.
    /// - Returns: the acquired lock.
    /// - Throws: ``StorageFailure`` when the time is over or the file cannot be opened.
    static func acquire(_ path: String, within timeout: Duration) async throws(StorageFailure) -> FileLock {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .systemError(path) }
        let lock = FileLock(descriptor: descriptor)
        let deadline = ContinuousClock.now + timeout
        var pause = Duration.milliseconds(1)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .systemError(path) }
            guard ContinuousClock.now < deadline else {
                throw StorageFailure(path, "another process has held the lock for too long")
            }
            // Cancellation ends the pause at once, so the lock is then polled more often.
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(50))
        }
        return lock
    }

    /// Releases the lock.
    consuming func release() {}

    deinit {
        close(descriptor)
    }
}
