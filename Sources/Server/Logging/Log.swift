internal import Accounts
internal import Glibc
package import JSON
internal import Synchronization
internal import Telemetry

/// The log: one line for each event that matters to operators.
///
/// A line never holds a secret, a token, a code, a link or an address (invariant 7).
package final class Log: Sendable {
    private let write: @Sendable ([UInt8]) -> Void
    private let isText = Atomic(false)
    /// The rank of the lowest level that is logged.
    private let threshold = Atomic(LogLevel.info.rank)

    /// Creates a log that passes each line, with its newline, to `write`: lines of JSON, from level `info` on, until
    /// ``use(_:from:)`` says otherwise.
    package init(write: @escaping @Sendable ([UInt8]) -> Void) {
        self.write = write
    }

    /// The log that writes to standard error, several lines at a time.
    ///
    /// The last lines are written when the process exits.
    package static let standardError: Log = {
        _ = atexit { Log.standardErrorLines.flush() }
        return Log { line in standardErrorLines.append(line) }
    }()

    private static let standardErrorLines = LineBuffer(write: StandardError.write)

    /// Sets the format of the lines from now on, and the lowest level that is logged.
    package func use(_ format: LogFormat, from level: LogLevel) {
        isText.store(format == .text, ordering: .relaxed)
        threshold.store(level.rank, ordering: .relaxed)
    }

    /// The format of the lines.
    package var format: LogFormat { isText.load(ordering: .relaxed) ? .text : .json }

    /// Whether events of level `debug` are logged.
    var logsRequests: Bool { threshold.load(ordering: .relaxed) == 0 }

    /// Writes one event with its fields, in their order.
    package func callAsFunction(_ event: String, _ fields: (name: String, value: JSONValue)...) {
        self(event, fields)
    }

    /// Writes one event with its fields, in their order, as one line with the time.
    ///
    /// If the event belongs to a request, the line ends with the request's id and, if a trusted proxy sent one, its
    /// trace id.
    package func callAsFunction(_ event: String, _ fields: [(name: String, value: JSONValue)]) {
        let threshold = threshold.load(ordering: .relaxed)
        if threshold > LogLevel.info.rank, LogLevel.of(event, fields).rank < threshold { return }
        var fields = fields
        if let tag = RequestTag.current {
            fields.append(("request", .string(tag.id)))
            if let trace = tag.traceID { fields.append(("trace", .string(trace))) }
        }
        let time = Timestamp.rfc3339(milliseconds: SystemClock.now())
        write(
            isText.load(ordering: .relaxed)
                ? Self.text(event, fields, at: time) : Self.json(event, fields, at: time)
        )
    }

    private static func json(_ event: String, _ fields: [(name: String, value: JSONValue)], at time: String) -> [UInt8]
    {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("at", time)
        json.member("event", event)
        for field in fields { json.member(field.name, field.value) }
        json.endObject()
        var line = json.bytes
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private static func text(_ event: String, _ fields: [(name: String, value: JSONValue)], at time: String) -> [UInt8]
    {
        var line: [UInt8] = []
        line.reserveCapacity(192)
        func append(_ text: String) { line.append(contentsOf: text.utf8) }
        append(time)
        append(" ")
        append(LogLevel.of(event, fields).rawValue)
        append(" ")
        append(event)
        for field in fields where field.name != "level" || LogLevel(rawValue: field.value.string ?? "") == nil {
            append(" ")
            append(field.name)
            append("=")
            if case .string(let text) = field.value, isPlain(text) {
                append(text)
            } else {
                // JSON escapes quotes and control characters, so that no value can look like another field or line.
                line += field.value.serialized()
            }
        }
        append("\n")
        return line
    }

    /// Whether a text needs no quotes: letters, digits and some punctuation of ASCII, at least one of them.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "-._:/@+".utf8.contains(byte)
                }
            }
    }
}
