#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#endif

/// The output streams of the program.
struct Terminal: Sendable {
    /// Writes to standard output.
    let output: @Sendable (String) -> Void
    /// Writes to standard error.
    let error: @Sendable (String) -> Void
    /// Whether output and error may be coloured.
    var colors = (output: false, error: false)
    /// Whether standard error is a terminal on which a line can be overwritten.
    var isWatched = false
    /// Asks a person a question and returns the answer without its end of line; `nil` without a terminal to ask on.
    var ask: (@Sendable (_ question: String) -> String?)?

    /// The process's own streams, with colours on a terminal unless the user opted out (no-color.org).
    static func standard(environment: [String: String] = ProcessInfo.processInfo.environment) -> Self {
        let isWanted = (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        var terminal = Self(
            output: { write($0, to: STDOUT_FILENO) },
            error: { write($0, to: STDERR_FILENO) },
            colors: (isWanted && isatty(STDOUT_FILENO) == 1, isWanted && isatty(STDERR_FILENO) == 1),
            isWatched: environment["TERM"] != "dumb" && isatty(STDERR_FILENO) == 1
        )
        if isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 {
            terminal.ask = { question in
                write(question, to: STDERR_FILENO)
                return readLine()
            }
        }
        return terminal
    }

    /// The same terminal without output and progress lines; failures and questions still appear.
    var quiet: Self {
        Self(output: { _ in }, error: error, colors: (output: false, error: colors.error), isWatched: false, ask: ask)
    }

    /// Prints lines for people.
    func print(_ lines: String...) {
        output(lines.map { $0 + "\n" }.joined())
    }

    /// Prints one line of JSON for scripts, with its keys in a fixed order.
    func print(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        output(String(decoding: try encoder.encode(value), as: UTF8.self) + "\n")
    }

    /// Removes from an untrusted text what would move the cursor, change colours, begin a new line or reorder the text
    /// around it.
    static func plain(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.steersTerminals }))
    }

    /// Returns a text in bold if standard output may be coloured; otherwise unchanged.
    func strong(_ text: String) -> String {
        colors.output ? "\u{1B}[1m\(text)\u{1B}[0m" : text
    }

    private static func write(_ text: String, to descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            // The reader has closed the stream, so the error cannot be reported either.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal may do more than display it.
    ///
    /// This applies to control characters, line separators, and characters that reorder the text around them.
    var steersTerminals: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }
}

/// `write(2)` under another name, to avoid the method of the same name.
@unsafe private func systemWrite(_ descriptor: CInt, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, buffer, count)
}
