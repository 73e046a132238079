internal import Crypto
internal import JSON
internal import Tokens

extension AccountFlows {
    /// Queues an event about a user for the hooks that subscribe to it, in the transaction of the change.
    ///
    /// - Parameter session: the id of the session that the event is about, which tells apart several such events of one
    ///   user in one millisecond; empty for events that happen once at a time.
    func announce(
        _ event: HookEvent,
        _ uid: String,
        isAnonymous: Bool,
        session: String = "",
        in store: some AccountStore
    ) throws {
        for hook in policy.hooks where hook.events.contains(event) {
            let payload = Self.payload(event, at: store.now) { json in
                json.member("uid", uid)
                json.member("isAnonymous", isAnonymous)
            }
            // The id is derived from the message and not random, because a transaction may run again.
            let id = try Self.messageID("\(event.rawValue) \(uid) \(store.now)\(session)", for: hook.hook)
            try store.queue(HookMessage(id: id, event: event, hook: hook.hook, merge: nil, payload: payload))
        }
    }

    /// Returns the body of a message in the format of Standard Webhooks: a JSON object with the event's name, the time
    /// (RFC 3339), and an object `data` with the members that the closure writes.
    static func payload(_ event: HookEvent, at now: Int64, _ data: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("type", event.rawValue)
        json.member("timestamp", Timestamp.rfc3339(milliseconds: now))
        json.beginObject("data")
        data(&json)
        json.endObject()
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Returns the id of a message, a hash of its matter and its hook.
    ///
    /// A message is queued only once under one id, so repeated calls for the same matter notify a hook once.
    static func messageID(_ matter: String, for hook: String) throws -> String {
        "msg_" + Base64URL.encode(Array(try sha256([UInt8]("\(matter) \(hook)".utf8)).prefix(16)))
    }
}
