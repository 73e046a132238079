/// A progress line on standard error, which is overwritten each time; nothing is shown if that is not a terminal.
struct StatusLine {
    private static let interval = Duration.milliseconds(200)

    private let terminal: Terminal?
    private var shownAt = ContinuousClock.now

    init(_ terminal: Terminal) {
        self.terminal = terminal.isWatched ? terminal : nil
    }

    /// Replaces the line with a text, unless the line, or this value if there is no line yet, is less than 200 ms old.
    mutating func show(_ text: @autoclosure () -> String) {
        guard let terminal, ContinuousClock.now - shownAt >= Self.interval else { return }
        shownAt = .now
        terminal.error("\r\u{1B}[K" + text())
    }

    func clear() {
        terminal?.error("\r\u{1B}[K")
    }
}
