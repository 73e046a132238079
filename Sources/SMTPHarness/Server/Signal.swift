internal import Glibc

/// Wakes threads that wait for sockets: a raised signal ends every wait until it is lowered.
final class Signal: Sendable {
    // A pipe: readable once a byte is in it.
    private let readEnd: Int32
    private let writeEnd: Int32

    init() throws(SMTPServerError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .last("pipe") }
        readEnd = ends[0]
        writeEnd = ends[1]
        Descriptor.makeOurs(readEnd)
        Descriptor.makeOurs(writeEnd)
    }

    deinit {
        _ = Glibc.close(readEnd)
        _ = Glibc.close(writeEnd)
    }

    /// Raises the signal, from any thread.
    func raise() {
        // A full pipe is as good as raised.
        let byte: [UInt8] = [1]
        _ = unsafe write(writeEnd, byte, 1)
    }

    /// Lowers the signal again, for signals that are raised more than once.
    func lower() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while unsafe read(readEnd, &bytes, bytes.count) == bytes.count {}
    }

    enum Wake { case ready, stopped, timedOut }

    /// Waits until a descriptor is ready or the signal is raised.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor; nil for the signal alone.
    ///   - events: POLLIN or POLLOUT.
    ///   - timeout: the longest wait; nil for no limit.
    /// - Returns: why the wait ended; `stopped` if both are true.
    func wait(_ descriptor: Int32?, _ events: Int32, timeout: Duration?) -> Wake {
        let deadline = timeout.map { ContinuousClock.now.advanced(by: $0) }
        while true {
            // poll ignores entries with a negative descriptor.
            var entries = [
                pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor ?? -1, events: Int16(truncatingIfNeeded: events), revents: 0),
            ]
            let milliseconds = deadline.map { ContinuousClock.now.duration(to: $0).pollMilliseconds } ?? -1
            let count = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
            if count < 0, errno == EINTR { continue }
            if entries[0].revents != 0 { return .stopped }
            if entries[1].revents != 0 { return .ready }
            if count < 0 { return .stopped }
            if let deadline, ContinuousClock.now >= deadline { return .timedOut }
        }
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up and within what `poll` takes.
    fileprivate var pollMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return max(0, Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
    }
}
