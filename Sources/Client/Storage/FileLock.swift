#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// An advisory lock between processes, by `flock(2)` on a file that stays.
///
/// The session file itself is replaced at every change, so it cannot carry the lock. A process that dies gives the lock
/// back with its descriptors.
struct FileLock: ~Copyable {
    private let descriptor: CInt

    /// Waits for the lock without blocking a thread.
    ///
    /// - Parameters:
    ///   - path: The lock file, made with mode 0600 when missing.
    ///   - timeout: How long to wait.
    /// - Returns: The lock, held.
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
            // Cancellation makes the pause end at once; whoever holds the lock is then asked a little more often.
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(50))
        }
        return lock
    }

    /// Gives the lock back.
    consuming func release() {}

    deinit {
        close(descriptor)
    }
}
