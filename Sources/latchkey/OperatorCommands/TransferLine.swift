internal import Server

/// The progress line of an import or an export.
struct TransferLine {
    private var line: StatusLine
    private let size: Int?
    private let rate = WorkRate()

    /// Creates a line that shows nothing yet.
    ///
    /// - Parameters:
    ///   - context: the command, which has the terminal.
    ///   - size: the size of the file in bytes; `nil` if unknown, or if each progress says how much there is.
    init(_ context: OperatorContext, size: Int?) {
        line = StatusLine(context.terminal)
        self.size = size
    }

    /// Replaces the line with the current progress, unless the line is less than 200 ms old.
    mutating func show(_ progress: TransferProgress) {
        let done = progress.total.map { (progress.users, $0) } ?? size.map { (progress.bytes, $0) }
        let share = done.flatMap { $0.1 > 0 ? min(Double($0.0) / Double($0.1), 1) : nil }
        let percent = share.map { ", \(Int($0 * 100)) %" } ?? ""
        let rate = rate.text(count: progress.users, share: share)
        line.show("\(progress.users) users\(percent), \(rate)")
    }

    /// Removes the line from the terminal.
    func clear() { line.clear() }
}
