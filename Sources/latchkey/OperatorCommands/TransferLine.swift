internal import Server

/// The progress line of an import or an export.
struct TransferLine {
    private var line: StatusLine
    private let size: Int?
    private let begun = ContinuousClock.now

    /// Creates a line that shows nothing yet.
    ///
    /// - Parameters:
    ///   - context: the command, which has the terminal.
    ///   - size: the size of the file in bytes; `nil` if unknown.
    init(_ context: OperatorContext, size: Int?) {
        line = StatusLine(context.terminal)
        self.size = size
    }

    /// Replaces the line with the current progress, unless the line is less than 200 ms old.
    mutating func show(_ progress: TransferProgress) {
        let milliseconds = max(Int((ContinuousClock.now - begun) / .milliseconds(1)), 1)
        let share = size.map { $0 > 0 ? ", \(progress.bytes * 100 / $0) %" : "" } ?? ""
        line.show("\(progress.users) users\(share), \(progress.users * 1000 / milliseconds) a second")
    }

    /// Removes the line from the terminal.
    func clear() { line.clear() }
}
