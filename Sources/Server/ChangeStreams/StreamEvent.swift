internal import Accounts
internal import JSON

/// An event of a change stream, sent as a server-sent event (the HTML standard, section 9.2).
enum StreamEvent {
    /// The first event of a stream without `Last-Event-ID`, with the number of the user's newest change: changes with
    /// greater numbers follow.
    case ready(Int64)
    case change(AnnouncedChange)
    /// Changes up to this number were left out, so the client must list the documents again. Changes with greater
    /// numbers follow.
    case reset(Int64)
    /// A hint, without a number, so that it does not change where the stream continues.
    case account(AccountHint)
    /// The last event. After a link, a hint comes before it.
    case end(StreamEnd)
    /// A comment that shows that the connection works; clients dispatch no event for it.
    case heartbeat

    /// The bytes of the event, with the empty line that dispatches it.
    ///
    /// Every event but the heartbeat has data, because clients do not dispatch an event without data.
    var bytes: [UInt8] {
        switch self {
        case .ready(let number): Array("event: ready\nid: \(number)\ndata: {}\n\n".utf8)
        case .change(let change): Self.bytes(of: change)
        case .reset(let number): Array("event: reset\nid: \(number)\ndata: {}\n\n".utf8)
        case .account(let hint): Self.bytes(of: hint)
        case .end(.linked): Self.bytes(of: AccountHint.linked) + Self.bytes(of: StreamEnd.linked)
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

    private static func bytes(of hint: AccountHint) -> [UInt8] {
        Array("event: account\ndata: {\"type\":\"\(hint.rawValue)\"}\n\n".utf8)
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
    /// The approximate number of bytes that the change takes in an event.
    fileprivate var size: Int {
        if case .current(let content) = outcome { content.utf8.count } else { 0 }
    }
}
