internal import Accounts
internal import Glibc
package import JSON

/// The log: one line of JSON for each event that matters to operators.
///
/// A line never holds a secret, a token, a code, a link or an address (invariant 7).
package final class Log: Sendable {
    private let write: @Sendable ([UInt8]) -> Void

    /// Creates a log that passes each line, with its newline, to `write`.
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

    /// Writes one event with its fields, in their order.
    package func callAsFunction(_ event: String, _ fields: (name: String, value: JSONValue)...) {
        self(event, fields)
    }

    /// Writes one event with its fields, in their order, as one line with the time.
    package func callAsFunction(_ event: String, _ fields: [(name: String, value: JSONValue)]) {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("at", Timestamp.rfc3339(milliseconds: SystemClock.now()))
        json.member("event", event)
        for field in fields { json.member(field.name, field.value) }
        json.endObject()
        write(json.bytes + [UInt8(ascii: "\n")])
    }
}
