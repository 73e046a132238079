internal import CPostgreSQL
internal import Glibc

/// Wakes a thread that waits for what comes over a connection.
final class Alarm: Sendable {
    private let descriptor: Int32

    /// - Throws: `internal` when the system has no descriptor left.
    init() throws(DatabaseError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else {
            throw DatabaseError(.internal, code: Int(errno), message: "no event descriptor could be opened")
        }
    }

    deinit { close(descriptor) }

    /// Wakes whoever waits, or will.
    func ring() {
        eventfd_write(descriptor, 1)
    }

    /// Waits until it is rung, something comes in at a socket, or the time is over.
    ///
    /// - Parameters:
    ///   - socket: the socket, if any.
    ///   - isHeard: whether ringing counts; where it does not, it does so the next time.
    ///   - milliseconds: the longest time.
    func wait(orFor socket: Int32? = nil, isHeard: Bool = true, milliseconds: Int32) {
        // A negative descriptor is passed over (poll(2)).
        var asked = [
            pollfd(fd: isHeard ? descriptor : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        guard unsafe poll(&asked, 2, milliseconds) > 0, asked[0].revents != 0 else { return }
        var count: eventfd_t = 0
        unsafe eventfd_read(descriptor, &count)
    }
}
