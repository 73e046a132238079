package import JSON
internal import Synchronization

/// Logs events that unauthenticated clients can cause, without letting them fill the log or the memory.
///
/// The first event of each kind in a minute is logged at once, and the number of the others after the minute's end.
/// Events are of one kind if their name and their detail are the same.
package final class LogSampler: Sendable {
    private struct State {
        var minute: Int64 = 0
        /// How often each line was repeated in this minute.
        var repeated: [Line: Int] = [:]
    }

    /// The properties by which two lines count as the same.
    private struct Line: Hashable {
        let event: String
        let name: String
        let detail: String?
    }

    private static let length: Int64 = 60_000
    /// Beyond this number of different lines in a minute, an event with a new detail is logged without it.
    private static let mostLines = 32

    private let logger: Log
    private let clock: @Sendable () -> Int64
    private let state = Mutex(State())

    /// Makes a sampler that has logged nothing yet.
    ///
    /// - Parameters:
    ///   - logger: writes the lines.
    ///   - clock: milliseconds since 1970.
    package init(_ logger: Log, clock: @escaping @Sendable () -> Int64) {
        self.logger = logger
        self.clock = clock
    }

    /// Logs an event, or counts it.
    ///
    /// - Parameters:
    ///   - event: the event's name.
    ///   - name: the name of the field that holds `detail`.
    ///   - detail: a text that distinguishes this event from others of the same name; `nil` for none.
    ///   - field: another field, which only the line of a first event has.
    package func callAsFunction(
        _ event: String,
        _ name: String = "detail",
        detail: String? = nil,
        beside field: (name: String, value: JSONValue)? = nil
    ) {
        logSums()
        let line: Line? = state.withLock { state in
            var line = Line(event: event, name: name, detail: detail)
            if state.repeated[line] == nil, state.repeated.count >= Self.mostLines {
                line = Line(event: event, name: name, detail: nil)
            }
            guard let count = state.repeated[line] else {
                state.repeated[line] = 0
                return line
            }
            state.repeated[line] = count + 1
            return nil
        }
        if let line { write(line, beside: field, repeated: nil) }
    }

    /// Logs how often each line was repeated in the last minute that has ended, once.
    ///
    /// Every event calls this method, and ``run()`` calls it for the last minute of a flood.
    package func logSums() {
        let minute = clock() / Self.length
        let over: [Line: Int] = state.withLock { state in
            guard state.minute != minute else { return [:] }
            defer { state = State(minute: minute) }
            return state.repeated
        }
        for (line, count) in over where count > 0 { write(line, repeated: count) }
    }

    /// Calls ``logSums()`` every second until its task is cancelled, and then logs the remaining sums.
    func run() async {
        while !Task.isCancelled {
            logSums()
            try? await Task.sleep(for: .seconds(1))
        }
        let rest = state.withLock { state in
            defer { state = State() }
            return state.repeated
        }
        for (line, count) in rest where count > 0 { write(line, repeated: count) }
    }

    private func write(_ line: Line, beside field: (name: String, value: JSONValue)? = nil, repeated count: Int?) {
        var fields: [(name: String, value: JSONValue)] = []
        if let field { fields.append(field) }
        if let detail = line.detail { fields.append((line.name, .string(detail))) }
        if let count { fields.append(("repeated", .number(JSONNumber(Int64(count))))) }
        logger(line.event, fields)
    }
}
