/// The audit log.
package protocol AuditStore {
    /// Adds an event about a user, or about none, with a detail whose meaning depends on the event (``AuditEvent``), or
    /// without one.
    func audit(_ event: AuditEvent, uid: String?, detail: String?, by actor: AuditActor) throws

    /// Adds an event about a user, unless the same event with the same detail was added about the user within the last
    /// `milliseconds`.
    func audit(
        _ event: AuditEvent,
        uid: String,
        detail: String,
        by actor: AuditActor,
        atMostEvery milliseconds: Int64
    ) throws

    /// Returns the newest entries with a number less than `before`, the newest first, without regard to
    /// ``AuditFilter/since``.
    func auditEntries(_ filter: AuditFilter, before: Int64, limit: Int64) throws -> [AuditEntry]
}
