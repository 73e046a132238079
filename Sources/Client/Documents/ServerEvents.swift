/// One server-sent event.
struct ServerEvent: Equatable {
    var name = "message"
    var id: String?
    var data = ""
}

/// Reads a stream of server-sent events from pieces of any size (WHATWG HTML, 9.2.6).
struct ServerEventParser {
    /// A line or event beyond this is not one of a Latchkey server.
    private static let maximumSize = 8 << 20

    private var line: [UInt8] = []
    private var event = ServerEvent()
    private var data: [String] = []
    private var hasData = false
    private var size = 0
    /// A line ended with CR: a LF right after it belongs to the same end.
    private var skipsLineFeed = false
    private var isFirstLine = true

    /// Takes a piece.
    ///
    /// - Returns: The events that it completes; `nil` when the stream is not to be believed.
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

    /// Takes in the line; the event that an empty one completes.
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

    /// Unlike a browser, an event without data counts too: `ready` and `reset` need none.
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
