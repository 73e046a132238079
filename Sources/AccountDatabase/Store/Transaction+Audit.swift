package import Accounts
package import Database

extension Transaction {
    package func audit(_ event: AuditEvent, uid: String?, detail: String?) throws {
        try enqueue(
            "INSERT INTO audit_log (at, event, uid, detail) VALUES (\(now), \(event.rawValue), \(uid), \(detail))"
        )
    }
}
