internal import Accounts
internal import Glibc
package import JSON

/// One line of JSON for each thing that operators want to know of.
///
/// A line never holds a secret, a token, a code, a link or an address (invariant 7).
package final class Log: Sendable {
    private let write: @Sendable ([UInt8]) -> Void

    /// Hands each line, with its newline, to `write`.
    package init(write: @escaping @Sendable ([UInt8]) -> Void) {
        self.write = write
    }

    /// Writes to standard error, several lines at a time; the last ones when the process exits.
    package static let standardError: Log = {
        _ = atexit { Log.standardErrorLines.flush() }
        return Log { line in standardErrorLines.append(line) }
    }()

    private static let standardErrorLines = LineBuffer(write: StandardError.write)

    /// Writes one event with its fields, in their order.
    package func callAsFunction(_ event: String, _ fields: (name: String, value: JSONValue)...) {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("at", Timestamp.rfc3339(milliseconds: SystemClock.now()))
        json.member("event", event)
        for field in fields { json.member(field.name, field.value) }
        json.endObject()
        write(json.bytes + [UInt8(ascii: "\n")])
    }
}
