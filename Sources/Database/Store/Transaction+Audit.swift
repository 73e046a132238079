package import Accounts

extension Transaction {
    package func audit(_ event: AuditEvent, uid: String?, detail: String?) throws {
        try perform(
            "INSERT INTO audit_log (at, event, uid, detail) VALUES (\(now), \(event.rawValue), \(uid), \(detail))"
        )
    }
}
