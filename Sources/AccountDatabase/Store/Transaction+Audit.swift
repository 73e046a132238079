package import Accounts
package import Database

extension Transaction {
    package func audit(_ event: AuditEvent, uid: String?, detail: String?, by actor: AuditActor) throws {
        if let rows = gatheredRows {
            return rows.entries.append(GatheredRows.Entry(event: event, uid: uid, detail: detail, actor: actor))
        }
        try enqueue(
            """
            INSERT INTO audit_log (at, event, uid, user_number, detail, actor, reason)
            VALUES (\(now), \(event.rawValue), \(uid), \(uid.map(Self.number) ?? "NULL"), \(detail),
                \(actor.stored), \(actor.reason))
            """
        )
    }

    package func audit(
        _ event: AuditEvent,
        uid: String,
        detail: String,
        by actor: AuditActor,
        atMostEvery milliseconds: Int64
    ) throws {
        try enqueue(
            """
            INSERT INTO audit_log (at, event, uid, user_number, detail, actor, reason)
            SELECT CAST(\(now) AS BIGINT), CAST(\(event.rawValue) AS TEXT), CAST(\(uid) AS TEXT),
                \(Self.number(of: uid)), CAST(\(detail) AS TEXT), CAST(\(actor.stored) AS TEXT),
                CAST(\(actor.reason) AS TEXT)
            WHERE NOT EXISTS (
                SELECT 1 FROM (
                    SELECT at, event, detail FROM audit_log WHERE uid = \(uid) AND user_number = \(Self.number(of: uid))
                    ORDER BY id DESC LIMIT 100) a
                WHERE a.at > \(now - milliseconds) AND a.event = \(event.rawValue) AND a.detail = \(detail))
            """
        )
    }

    package func auditEntries(_ filter: AuditFilter, before: Int64, limit: Int64) throws -> [AuditEntry] {
        let condition = try condition(of: filter)
        return try all(
            """
            SELECT \(AuditEntry.columns) FROM audit_log a
            WHERE a.id < \(before)\(condition) ORDER BY a.id DESC LIMIT \(limit)
            """,
            AuditEntry.init
        )
    }

    /// Returns the oldest entries with a number greater than `number`, the oldest first, without regard to
    /// ``AuditFilter/since``.
    package func auditEntries(_ filter: AuditFilter, after number: Int64, limit: Int64) throws -> [AuditEntry] {
        let condition = try condition(of: filter)
        return try all(
            """
            SELECT \(AuditEntry.columns) FROM audit_log a
            WHERE a.id > \(number)\(condition) ORDER BY a.id LIMIT \(limit)
            """,
            AuditEntry.init
        )
    }

    /// Returns the further conditions of a query for entries that pass a filter.
    private func condition(of filter: AuditFilter) throws -> SQL {
        let user = try filter.uid.map(concerns)
        let uid: SQL = user.map { " AND (\($0))" } ?? ""
        guard let actor = filter.actor else { return uid }
        if actor == AuditActor.Kind.client.rawValue { return "\(uid) AND a.actor IS NULL" }
        // A name may belong to an actor of any kind. A kind stands for all its names, up to the character after ":".
        let names = [actor] + AuditActor.Kind.allCases.map { "\($0.rawValue):\(actor)" }
        guard AuditActor.Kind(rawValue: actor) != nil else { return "\(uid) AND a.actor IN \(in: names)" }
        let first = "\(actor):", end = "\(actor);"
        return "\(uid) AND (a.actor IN \(in: names) OR a.actor >= \(first) AND a.actor < \(end))"
    }
}

extension AuditEntry {
    /// The columns that ``init(_:)`` reads, of a table aliased as `a`.
    fileprivate static let columns: SQL = "a.id, a.at, a.event, a.uid, a.detail, a.actor, a.reason"

    fileprivate init(_ row: borrowing Row) throws {
        self.init(
            number: try row.integer(0),
            at: try row.integer(1),
            event: try row.text(2),
            uid: try row.optionalText(3),
            detail: try row.optionalText(4),
            actor: AuditActor(stored: try row.optionalText(5), reason: try row.optionalText(6))
        )
    }
}
