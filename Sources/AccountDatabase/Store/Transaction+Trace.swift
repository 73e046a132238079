package import Accounts
package import Database

extension Transaction {
    package func trace(_ entry: TraceEntry) throws {
        try enqueue(
            """
            INSERT INTO mail_trace (at, event, request, mail, address, uid, user_number, kind, device, network, detail,
                occurrences)
            VALUES (\(entry.at ?? now), \(entry.event.rawValue), \(entry.request), \(entry.mail), \(entry.address),
                \(entry.uid), \(entry.uid.map(Self.number) ?? "NULL"), \(entry.kind?.rawValue), \(entry.device),
                \(entry.network), \(entry.detail), \(entry.occurrences))
            """
        )
    }

    package func traceOfMails(_ entries: [TraceEntry]) throws {
        guard dialect == .postgreSQL, entries.count > 1 else {
            for entry in entries { try trace(entry) }
            return
        }
        try enqueue(
            """
            INSERT INTO mail_trace (at, event, request, mail, detail, occurrences)
            SELECT e.at, e.event, e.request, e.mail, e.detail, e.occurrences
            FROM unnest(\(Dialect.array(entries.map { $0.at ?? now })), \(Dialect.array(entries.map(\.event.rawValue))),
                \(Dialect.array(entries.map(\.request))), \(Dialect.array(entries.map(\.mail))),
                \(Dialect.array(entries.map(\.detail))), \(Dialect.array(entries.map(\.occurrences))))
                WITH ORDINALITY AS e (at, event, request, mail, detail, occurrences, place)
            ORDER BY e.place
            """
        )
    }

    package func traceOfUsers(_ entries: [TraceEntry]) throws {
        guard dialect == .postgreSQL, entries.count > 1 else {
            for entry in entries { try traceOfUser(entry) }
            return
        }
        try enqueue(
            """
            INSERT INTO mail_trace (at, event, request, uid, user_number, device, network, detail, occurrences)
            SELECT e.at, e.event, e.request, u.uid, u.id, e.device, e.network, e.detail, e.occurrences
            FROM unnest(\(Dialect.array(entries.map { $0.at ?? now })), \(Dialect.array(entries.map(\.event.rawValue))),
                \(Dialect.array(entries.map(\.request))), \(Dialect.array(entries.map(\.uid))),
                \(Dialect.array(entries.map(\.device))), \(Dialect.array(entries.map(\.network))),
                \(Dialect.array(entries.map(\.detail))), \(Dialect.array(entries.map(\.occurrences))))
                WITH ORDINALITY AS e (at, event, request, uid, device, network, detail, occurrences, place)
                JOIN users u ON u.uid = e.uid
            ORDER BY e.place
            """
        )
    }

    private func traceOfUser(_ entry: TraceEntry) throws {
        try enqueue(
            """
            INSERT INTO mail_trace (at, event, request, uid, user_number, device, network, detail, occurrences)
            SELECT CAST(\(entry.at ?? now) AS BIGINT), CAST(\(entry.event.rawValue) AS TEXT),
                CAST(\(entry.request) AS TEXT), uid, id, CAST(\(entry.device) AS TEXT), CAST(\(entry.network) AS TEXT),
                CAST(\(entry.detail) AS TEXT), CAST(\(entry.occurrences) AS BIGINT)
            FROM users WHERE uid = \(entry.uid)
            """
        )
    }

    package func trace(_ opening: LinkOpening) throws {
        let detail = opening.looksLikeScanner ? TraceEvent.scanner : nil
        let earlier: SQL = """
            FROM mail_trace t WHERE t.request = COALESCE(a.ticket, a.mail) AND t.event = 'opened'
            """
        try execute(
            """
            INSERT INTO mail_trace (at, event, request, mail, device, network, detail, occurrences)
            SELECT CAST(\(now) AS BIGINT), 'opened', COALESCE(a.ticket, a.mail), a.mail,
                CAST(\(opening.device.name) AS TEXT), CAST(\(opening.device.network) AS TEXT), CAST(\(detail) AS TEXT), 1
            FROM action_codes a WHERE a.code = \(opening.code) AND COALESCE(a.ticket, a.mail) IS NOT NULL
                AND (SELECT count(*) \(earlier)) < \(LinkOpening.mostPerRequest)
                AND NOT EXISTS (SELECT 1 \(earlier) AND COALESCE(t.mail, '') = COALESCE(a.mail, '')
                    AND t.at > \(now - LinkOpening.interval))
            """
        )
    }

    package func traces(of subject: TraceSubject, before position: Int64?, limit: Int) throws -> [TracedRequest] {
        let found: [(request: String, position: Int64)]
        if case .request(let id) = subject {
            found = try request(of: id).map { [(request: $0, position: Int64(0))] } ?? []
        } else {
            var page: SQL = "SELECT request, min(id) FROM mail_trace WHERE \(try concerns(subject)) GROUP BY request"
            if let position { page += " HAVING min(id) < \(position)" }
            found = try all(page + " ORDER BY min(id) DESC LIMIT \(Int64(limit))") { row in
                (request: try row.text(0), position: try row.integer(1))
            }
        }
        guard !found.isEmpty else { return [] }
        let entries = try all(
            "SELECT \(TraceEntry.columns) FROM mail_trace WHERE request IN \(in: found.map(\.request)) ORDER BY id"
        ) { row in try TraceEntry(row) }
        let events = Dictionary(grouping: entries.compactMap(\.self), by: \.request)
        return found.compactMap { found in
            events[found.request].map {
                TracedRequest(request: found.request, position: found.position, events: $0)
            }
        }
    }

    package func deleteTraces(of subject: TraceSubject) throws -> Int {
        if case .request(let id) = subject {
            guard let request = try request(of: id) else { return 0 }
            return try execute("DELETE FROM mail_trace WHERE request = \(request)")
        }
        return try execute(
            """
            DELETE FROM mail_trace WHERE request IN (SELECT request FROM mail_trace WHERE \(try concerns(subject)))
            """
        )
    }

    package func queuedTrace(ofMail mail: String) throws -> TraceEntry? {
        try first("SELECT \(TraceEntry.columns) FROM mail_trace WHERE mail = \(mail) AND event = 'queued'") { row in
            try TraceEntry(row)
        } ?? nil
    }

    /// Deletes a batch of events that are older than the trace's life.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of events.
    ///   - life: milliseconds after which an event is deleted.
    /// - Returns: the number of deleted events.
    package func purgeTraces(limit: Int64, life: Int64) throws -> Int {
        try execute(
            """
            DELETE FROM mail_trace WHERE id IN (SELECT id FROM mail_trace ORDER BY id LIMIT \(limit))
                AND at < \(now - life)
            """
        )
    }

    /// Passes the newest attempts to send e-mails to a closure, the newest first, until the closure returns `false`.
    ///
    /// Reads only the newest ten thousand events of any kind, because no index knows the attempts.
    package func forEachAttempt(_ body: (TraceEntry) throws -> Bool) throws {
        try forEach(
            """
            SELECT \(TraceEntry.columns) FROM mail_trace
            WHERE id > (SELECT max(id) - 10000 FROM mail_trace) AND event IN ('sent', 'postponed', 'failed')
            ORDER BY id DESC
            """
        ) { row in
            guard let attempt = try TraceEntry(row) else { return true }
            return try body(attempt)
        }
    }

    /// Returns the request with this id, or the one that an e-mail with this id belongs to; `nil` if the trace has
    /// neither.
    private func request(of id: String) throws -> String? {
        try queuedTrace(ofMail: id)?.request
            ?? first("SELECT request FROM mail_trace WHERE request = \(id) LIMIT 1") { row in try row.text(0) }
    }

    /// Returns the SQL condition that an event concerns an address or a user.
    private func concerns(_ subject: TraceSubject) throws -> SQL {
        switch subject {
        case .address(let hashes): "address IN \(in: hashes)"
        case .user(let uid, let hashes) where hashes.isEmpty: "(\(try concerns(uid)))"
        case .user(let uid, let hashes): "(\(try concerns(uid)) OR address IN \(in: hashes))"
        case .request(let id): "request = \(id)"
        }
    }
}

extension TraceEntry {
    /// The columns that ``init(_:)`` reads, in its order.
    fileprivate static let columns: SQL = """
        at, event, request, mail, address, uid, kind, device, network, detail, occurrences
        """

    /// Reads an entry; `nil` for an event that only a newer version knows.
    fileprivate init?(_ row: borrowing Row) throws {
        guard let event = TraceEvent(rawValue: try row.text(1)) else { return nil }
        self.init(
            event,
            of: try row.text(2),
            mail: try row.optionalText(3),
            address: try row.optionalText(4),
            uid: try row.optionalText(5),
            kind: try row.optionalText(6).flatMap(MailKind.init(rawValue:)),
            device: try row.optionalText(7),
            network: try row.optionalText(8),
            detail: try row.optionalText(9),
            occurrences: try row.integer(10),
            at: try row.integer(0)
        )
    }
}
