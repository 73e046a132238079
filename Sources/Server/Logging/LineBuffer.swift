internal import Dispatch
internal import Synchronization

/// Gathers the log's lines and writes them together.
///
/// A system call for each line would cost a busy server more than making the lines. The buffer is written after a
/// twentieth of a second, when it is full, and on ``flush()``.
///
/// Lines keep their order. If the reader of the log is slow, the threads that log wait for it, as without a buffer.
final class LineBuffer: Sendable {
    /// Beyond this number of bytes a logging thread waits until they are written.
    private static let limit = 1 << 18

    private let delay: DispatchTimeInterval
    private let write: @Sendable ([UInt8]) -> Void
    private let waiting = Mutex<[UInt8]>([])
    /// Locked while lines are removed from `waiting` and written, so that they stay in order.
    private let output = Mutex(())
    private let queue = DispatchQueue(label: "latchkey.log", qos: .utility)

    /// Makes an empty buffer.
    ///
    /// - Parameters:
    ///   - delay: the time after which a line is written.
    ///   - write: writes whole lines, one call at a time.
    init(delay: DispatchTimeInterval = .milliseconds(50), write: @escaping @Sendable ([UInt8]) -> Void) {
        self.delay = delay
        self.write = write
    }

    /// Appends a line, with its newline.
    func append(_ line: [UInt8]) {
        let size = waiting.withLock { waiting in
            waiting += line
            return waiting.count
        }
        // This is the first line since the last flush.
        if size == line.count { queue.asyncAfter(deadline: .now() + delay) { self.flush() } }
        if size > Self.limit { flush() }
    }

    /// Writes the waiting lines.
    func flush() {
        output.withLock { _ in
            let lines = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            if !lines.isEmpty { write(lines) }
        }
    }
}
