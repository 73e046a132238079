extension AccountFlows {
    /// Returns the same flows for another actor, whom the audit log names for each change.
    package func acting(as actor: AuditActor) -> AccountFlows {
        var flows = self
        flows.actor = actor
        return flows
    }

    /// Records a change by ``actor`` in the audit log.
    ///
    /// - Parameters:
    ///   - event: the change.
    ///   - uid: the user whom it concerns; `nil` for none.
    ///   - detail: what the event's documentation says (``AuditEvent``); never an address or a secret.
    ///   - store: the transaction of the change.
    package func audit(
        _ event: AuditEvent,
        uid: String? = nil,
        detail: String? = nil,
        in store: some AccountStore
    ) throws {
        try store.audit(event, uid: uid, detail: detail, by: actor)
    }

    /// Records a change by a user that could be repeated without end, unless the log has had the same one for a minute.
    ///
    /// The log is kept for long, so no caller may fill it.
    func auditRepeatable(_ event: AuditEvent, uid: String, detail: String, in store: some AccountStore) throws {
        try store.audit(event, uid: uid, detail: detail, by: actor, atMostEvery: 60_000)
    }

    /// The time, in milliseconds, by which the order of entries may differ from that of their times, because a
    /// transaction has the time of its beginning.
    private static let disorder: Int64 = 60_000

    /// Returns a page of the audit log, the newest entry first.
    ///
    /// - Parameters:
    ///   - filter: the conditions for entries.
    ///   - before: the number before which the page begins (``AuditPage/next``); `nil` for the newest entries.
    ///   - limit: the maximum number of entries.
    ///   - store: the transaction.
    package func auditPage(
        _ filter: AuditFilter,
        before: Int64? = nil,
        limit: Int64,
        in store: some AccountStore
    ) throws -> AuditPage {
        let found = try store.auditEntries(filter, before: before ?? .max, limit: limit)
        guard let since = filter.since else {
            return AuditPage(entries: found, next: found.count == limit ? found.last?.number : nil)
        }
        // Rows are found by their number and not by their time, which no index knows.
        let isOver = found.contains { $0.at < since - Self.disorder }
        return AuditPage(
            entries: found.filter { $0.at >= since },
            next: isOver || found.count < limit ? nil : found.last?.number
        )
    }
}
