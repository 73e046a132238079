internal import Accounts
internal import JSON

/// What a stream of changes says, as server-sent events (the HTML standard, section 9.2).
enum StreamEvent {
    /// The stream goes on from this number.
    case ready(Int64)
    case change(AnnouncedChange)
    /// Changes were left out: list the documents again; the stream goes on from this number.
    case reset(Int64)
    case end(StreamEnd)
    /// A comment that shows that the connection lives.
    case heartbeat

    /// The event with the empty line that sends it off.
    ///
    /// Without data a client would not hear of an event.
    var bytes: [UInt8] {
        switch self {
        case .ready(let number): Array("event: ready\nid: \(number)\ndata: {}\n\n".utf8)
        case .change(let change): Self.bytes(of: change)
        case .reset(let number): Array("event: reset\nid: \(number)\ndata: {}\n\n".utf8)
        case .end(let end): Self.bytes(of: end)
        case .heartbeat: Array(":\n\n".utf8)
        }
    }

    private static func bytes(of change: AnnouncedChange) -> [UInt8] {
        var json = JSONWriter(capacity: 128 + change.size)
        json.beginObject()
        json.member("collection", change.collection)
        json.member("id", change.name)
        switch change.outcome {
        case .current(let content):
            json.member("version", String(change.number))
            json.member("document", rawJSON: content.utf8)
        case .superseded: json.member("superseded", true)
        case .deleted: json.member("deleted", true)
        }
        json.endObject()
        return Array("event: change\nid: \(change.number)\ndata: ".utf8) + json.bytes + Array("\n\n".utf8)
    }

    private static func bytes(of end: StreamEnd) -> [UInt8] {
        var json = JSONWriter(capacity: 96)
        json.beginObject()
        json.member("reason", end.reason)
        json.member("mergedInto", end.mergedInto)
        json.endObject()
        return Array("event: end\ndata: ".utf8) + json.bytes + Array("\n\n".utf8)
    }
}

extension AnnouncedChange {
    /// About how many bytes it takes to tell.
    fileprivate var size: Int {
        if case .current(let content) = outcome { content.utf8.count } else { 0 }
    }
}
