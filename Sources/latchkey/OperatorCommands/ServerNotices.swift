internal import JSON
internal import Server

/// The messages of a running server on standard output, in the format of the log: sentences for a person, or lines of
/// JSON for a program that reads both streams.
struct ServerNotices: Sendable {
    private let terminal: Terminal
    private let lines: Log

    /// Makes notices for a terminal.
    init(_ terminal: Terminal) {
        self.terminal = terminal
        lines = Log { line in terminal.output(String(decoding: line, as: UTF8.self)) }
    }

    /// Prints one message.
    ///
    /// - Parameters:
    ///   - event: the event's name in JSON.
    ///   - sentence: the line for a person.
    ///   - fields: the fields in JSON.
    func callAsFunction(_ event: String, _ sentence: String, _ fields: [(name: String, value: JSONValue)]) {
        switch Log.standardError.format {
        case .text: terminal.print(sentence)
        case .json: lines(event, fields)
        }
    }
}
