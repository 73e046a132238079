/// One server-sent event.
struct ServerEvent: Equatable {
    var name = "message"
    var id: String?
    var data = ""
}

/// Parses a stream of server-sent events from pieces of any size (WHATWG HTML, 9.2.6).
struct ServerEventParser {
    /// The maximum size of an event in bytes.
    ///
    /// A Latchkey server sends no larger event.
    private static let maximumSize = 8 << 20

    private var line: [UInt8] = []
    private var event = ServerEvent()
    private var data: [String] = []
    private var hasData = false
    private var size = 0
    /// Whether a line just ended with CR.
    ///
    /// A LF right after it belongs to the same line end.
    private var skipsLineFeed = false
    private var isFirstLine = true

    /// Parses the next bytes of the stream.
    ///
    /// - Returns: the events that these bytes complete; `nil` when an event is too large.
    mutating func take(_ bytes: [UInt8]) -> [ServerEvent]? {
        var events: [ServerEvent] = []
        for byte in bytes {
            let isSecondHalf = skipsLineFeed && byte == UInt8(ascii: "\n")
            skipsLineFeed = byte == UInt8(ascii: "\r")
            if isSecondHalf { continue }
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                line.append(byte)
                continue
            }
            if let event = endLine() { events.append(event) }
        }
        return line.count + size <= Self.maximumSize ? events : nil
    }

    /// Processes a complete line.
    ///
    /// - Returns: the event that an empty line completes; `nil` after any other line.
    private mutating func endLine() -> ServerEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else { return endEvent() }
        size += line.count
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        let text = String(decoding: value, as: UTF8.self)
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": event.name = text
        case "id": event.id = text
        case "data":
            data.append(text)
            hasData = true
        default: break
        }
        return nil
    }

    /// Returns the completed event; `nil` if there were no fields since the last one.
    ///
    /// Unlike in a browser, an event without data counts: `ready` and `reset` need none.
    private mutating func endEvent() -> ServerEvent? {
        defer {
            event = ServerEvent()
            data = []
            hasData = false
            size = 0
        }
        guard hasData || event != ServerEvent() else { return nil }
        event.data = data.joined(separator: "\n")
        return event
    }
}
