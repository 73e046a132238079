internal import Crypto
internal import JSON
internal import Tokens

extension AccountFlows {
    /// Queues the news of a user for the hooks that want it, in the transaction of the change.
    ///
    /// - Parameter session: tells news of one user and one moment apart, where there may be several.
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
            // The id is drawn from what the message says and not at random, because a transaction may run again.
            let id = try Self.messageID("\(event.rawValue) \(uid) \(store.now)\(session)", for: hook.hook)
            try store.queue(HookMessage(id: id, event: event, hook: hook.hook, merge: nil, payload: payload))
        }
    }

    /// The body of a message, as Standard Webhooks lays it out.
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

    /// An id that is the same for the same matter and hook.
    static func messageID(_ matter: String, for hook: String) throws -> String {
        "msg_" + Base64URL.encode(Array(try sha256([UInt8]("\(matter) \(hook)".utf8)).prefix(16)))
    }
}
