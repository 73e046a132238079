internal import Accounts

/// An entry of the audit log, as operators see it.
package struct AuditReport: Sendable, Encodable {
    /// The number of the entry, which grows.
    package let id: Int64
    package let at: String
    package let event: String
    /// The user whom the event concerns; `nil` for none.
    package let uid: String?
    package let detail: String?
    /// The kind of the actor, or `kind:name`; `client` for a call without an administrator's credential.
    package let actor: String
    package let reason: String?
    /// ``actor`` in words.
    package var actorInWords: String { words }

    private let words: String

    private enum CodingKeys: CodingKey {
        case id, at, event, uid, detail, actor, reason
    }

    init(_ entry: AuditEntry) {
        id = entry.number
        at = Timestamp.rfc3339(milliseconds: entry.at)
        event = entry.event
        uid = entry.uid
        detail = entry.detail
        actor = entry.actor.stored ?? AuditActor.Kind.client.rawValue
        reason = entry.actor.reason
        words = entry.actor.words
    }
}

extension AuditActor {
    /// The actor in words, such as `administrator 5Wm3nZk1`.
    fileprivate var words: String {
        switch (kind, name) {
        case (.login, let name?): name
        case (.key, let name?): "admin key, as \(name) (claimed)"
        case (.key, nil): "admin key"
        case (.owner, let name?): "\(name) on the admin socket"
        case (.owner, nil): "owner on the admin listener"
        case (_, let name): ([kind.rawValue, name].compactMap(\.self)).joined(separator: " ")
        }
    }
}
