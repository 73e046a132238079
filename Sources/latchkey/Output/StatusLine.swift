/// A line that tells somebody who watches how far it is, and is written over again.
struct StatusLine {
    private static let interval = Duration.milliseconds(200)

    private let terminal: Terminal?
    private var shownAt = ContinuousClock.now

    init(_ terminal: Terminal) {
        self.terminal = terminal.isWatched ? terminal : nil
    }

    /// Shows a text in place of the one before, unless that has only just come.
    mutating func show(_ text: @autoclosure () -> String) {
        guard let terminal, ContinuousClock.now - shownAt >= Self.interval else { return }
        shownAt = .now
        terminal.error("\r\u{1B}[K" + text())
    }

    func clear() {
        terminal?.error("\r\u{1B}[K")
    }
}
