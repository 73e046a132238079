internal import CPostgreSQL
internal import Glibc

/// A way to wake a thread that waits for input on a connection.
final class Alarm: Sendable {
    private let descriptor: Int32

    /// Creates an alarm that has not been rung.
    ///
    /// - Throws: `internal` when the system has no free descriptor.
    init() throws(DatabaseError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else {
            throw DatabaseError(.internal, code: Int(errno), message: "no event descriptor could be opened")
        }
    }

    deinit { close(descriptor) }

    /// Wakes the waiting thread, or the next one to wait.
    func ring() {
        eventfd_write(descriptor, 1)
    }

    /// Waits until the alarm is rung, a socket has input, or the time is over.
    ///
    /// - Parameters:
    ///   - socket: the socket; `nil` to wait for the alarm only.
    ///   - isHeard: whether ringing ends the wait; otherwise it ends the next wait.
    ///   - milliseconds: the longest time.
    func wait(orFor socket: Int32? = nil, isHeard: Bool = true, milliseconds: Int32) {
        // poll(2) ignores a negative descriptor.
        var asked = [
            pollfd(fd: isHeard ? descriptor : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        guard unsafe poll(&asked, 2, milliseconds) > 0, asked[0].revents != 0 else { return }
        var count: eventfd_t = 0
        unsafe eventfd_read(descriptor, &count)
    }
}
