internal import Dispatch
internal import Synchronization

/// Gathers the log's lines and writes them together, since a system call for each would cost a busy server more than
/// making them: within a twentieth of a second, when told to, and at the end of the process.
///
/// Lines keep their order. Where the reader of the log is slow, the writers of lines wait for it, as without a buffer.
final class LineBuffer: Sendable {
    private static let delay = DispatchTimeInterval.milliseconds(50)
    /// Beyond so many bytes the writer of a line waits until they are gone.
    private static let limit = 1 << 18

    private let write: @Sendable ([UInt8]) -> Void
    private let waiting = Mutex<[UInt8]>([])
    /// Held while lines are taken and written, so that they stay in order.
    private let output = Mutex(())
    private let queue = DispatchQueue(label: "latchkey.log", qos: .utility)

    /// - Parameter write: takes whole lines, one call at a time.
    init(write: @escaping @Sendable ([UInt8]) -> Void) {
        self.write = write
    }

    /// Takes a line, with its newline.
    func append(_ line: [UInt8]) {
        let size = waiting.withLock { waiting in
            waiting += line
            return waiting.count
        }
        // The first line since the last time.
        if size == line.count { queue.asyncAfter(deadline: .now() + Self.delay) { self.flush() } }
        if size > Self.limit { flush() }
    }

    /// Writes what is there.
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
