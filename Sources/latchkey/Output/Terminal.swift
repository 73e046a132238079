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

/// Where the program writes.
struct Terminal: Sendable {
    /// Writes to standard output.
    let output: @Sendable (String) -> Void
    /// Writes to standard error.
    let error: @Sendable (String) -> Void
    /// Whether output and error may be coloured.
    var colors = (output: false, error: false)
    /// Whether somebody watches the errors, so that a line may be written over again.
    var isWatched = false

    /// The process's own streams; coloured where a person looks at them and has not asked otherwise (no-color.org).
    static func standard(environment: [String: String] = ProcessInfo.processInfo.environment) -> Self {
        let isWanted = (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        return Self(
            output: { write($0, to: STDOUT_FILENO) },
            error: { write($0, to: STDERR_FILENO) },
            colors: (isWanted && isatty(STDOUT_FILENO) == 1, isWanted && isatty(STDERR_FILENO) == 1),
            isWatched: environment["TERM"] != "dumb" && isatty(STDERR_FILENO) == 1
        )
    }

    /// Prints lines for a person.
    func print(_ lines: String...) {
        output(lines.map { $0 + "\n" }.joined())
    }

    /// Prints one line of JSON for a script, its keys in a fixed order.
    func print(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        output(String(decoding: try encoder.encode(value), as: UTF8.self) + "\n")
    }

    /// A text from elsewhere without what would move the cursor, change colours, begin a new line or reorder the text around
    /// it.
    static func plain(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.steersTerminals }))
    }

    /// Makes the important part of a line stand out.
    func strong(_ text: String) -> String {
        colors.output ? "\u{1B}[1m\(text)\u{1B}[0m" : text
    }

    private static func write(_ text: String, to descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            // Nobody reads any more: there is nobody to tell either.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal may do more than show it: control characters, line separators, and what reorders the text around it.
    var steersTerminals: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }
}

/// `write(2)`, under a name of its own.
@unsafe private func systemWrite(_ descriptor: CInt, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, buffer, count)
}
