/// The audit log.
package protocol AuditStore {
    /// Adds an event about a user, or about none, with a detail whose meaning depends on the event (``AuditEvent``), or
    /// without one.
    func audit(_ event: AuditEvent, uid: String?, detail: String?) throws
}
