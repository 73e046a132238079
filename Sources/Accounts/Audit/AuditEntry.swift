/// A row of the audit log.
package struct AuditEntry: Sendable, Equatable {
    /// The number of the row, which grows.
    package let number: Int64
    /// Milliseconds since 1970.
    package let at: Int64
    /// The name of an ``AuditEvent``, or of one of another version of the server.
    package let event: String
    package let uid: String?
    package let detail: String?
    package let actor: AuditActor

    /// Makes an entry from its columns.
    package init(number: Int64, at: Int64, event: String, uid: String?, detail: String?, actor: AuditActor) {
        self.number = number
        self.at = at
        self.event = event
        self.uid = uid
        self.detail = detail
        self.actor = actor
    }
}

/// The conditions that entries of the audit log must meet to be listed.
package struct AuditFilter: Sendable, Equatable {
    /// The UID that an entry concerns; `nil` for any.
    package var uid: String?
    /// The kind of an actor (``AuditActor/Kind``), an actor as `kind:name`, or a name alone; `nil` for any.
    package var actor: String?
    /// The earliest time, in milliseconds since 1970; `nil` for any.
    package var since: Int64?

    /// Makes a filter that every entry passes.
    package init() {}
}

/// A part of the audit log, the newest entry first.
package struct AuditPage: Sendable, Equatable {
    package let entries: [AuditEntry]
    /// The number before which the next page begins; `nil` at the end.
    package let next: Int64?
}
