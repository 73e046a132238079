internal import JSON
internal import Synchronization

/// Logs events that strangers can cause: the first of each kind in a minute at once, and the sum of the others at its end.
///
/// A flood of them fills neither the log nor the memory.
package final class LogSampler: Sendable {
    private struct State {
        var minute: Int64 = 0
        /// How often each line would have come again in this minute.
        var repeated: [Line: Int] = [:]
    }

    /// What makes two lines the same.
    private struct Line: Hashable {
        let event: String
        let detail: String?
    }

    private static let length: Int64 = 60_000
    /// Beyond so many different details in a minute an event is logged as one kind, without detail.
    private static let mostLines = 32

    private let logger: Log
    private let clock: @Sendable () -> Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - logger: takes the lines.
    ///   - clock: milliseconds since 1970.
    package init(_ logger: Log, clock: @escaping @Sendable () -> Int64) {
        self.logger = logger
        self.clock = clock
    }

    /// Logs an event, or counts it.
    ///
    /// - Parameters:
    ///   - event: the event's name.
    ///   - detail: what tells it from others of that name.
    package func callAsFunction(_ event: String, detail: String? = nil) {
        logSums()
        let line: Line? = state.withLock { state in
            var line = Line(event: event, detail: detail)
            if state.repeated[line] == nil, state.repeated.count >= Self.mostLines {
                line = Line(event: event, detail: nil)
            }
            guard let count = state.repeated[line] else {
                state.repeated[line] = 0
                return line
            }
            state.repeated[line] = count + 1
            return nil
        }
        if let line { write(line, repeated: nil) }
    }

    /// Logs the sums of a minute that is over.
    ///
    /// Every event does so as well. A task calls it for the last minute of a flood.
    package func logSums() {
        let minute = clock() / Self.length
        let over: [Line: Int] = state.withLock { state in
            guard state.minute != minute else { return [:] }
            defer { state = State(minute: minute) }
            return state.repeated
        }
        for (line, count) in over where count > 0 { write(line, repeated: count) }
    }

    /// Calls ``logSums()`` every second until its task is cancelled, and then once more for what is left.
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

    private func write(_ line: Line, repeated count: Int?) {
        let detail: JSONValue = line.detail.map { .string($0) } ?? .null
        switch (line.detail, count) {
        case (nil, nil): logger(line.event)
        case (nil, let count?): logger(line.event, ("repeated", .number(JSONNumber(Int64(count)))))
        case (_, nil): logger(line.event, ("detail", detail))
        case (_, let count?): logger(line.event, ("detail", detail), ("repeated", .number(JSONNumber(Int64(count)))))
        }
    }
}
