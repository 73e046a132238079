package import Accounts
package import Database
internal import Tokens

extension Transaction {
    package func ticket(_ id: String) throws -> Ticket? {
        try first("SELECT \(Ticket.columns) FROM tickets t WHERE t.ticket = \(id)") { row in try Ticket(row) }
    }

    package func ticket(ofCode code: String) throws -> Ticket? {
        try first(
            """
            SELECT \(Ticket.columns) FROM action_codes a JOIN tickets t ON t.ticket = a.ticket
            WHERE a.code = \(code) AND a.used_at IS NULL
            """
        ) { row in try Ticket(row) }
    }

    package func lockedTicket(ofCode code: String) throws -> Ticket? {
        try first(
            """
            SELECT \(Ticket.columns) FROM action_codes a JOIN tickets t ON t.ticket = a.ticket
            WHERE a.code = \(code) AND a.used_at IS NULL\(rowLock(.redeemedTicket, always: true))
            """
        ) { row in try Ticket(row) }
    }

    package func lockTicket(_ id: String, ifApproved: Bool) throws {
        guard dialect == .postgreSQL else { return }
        let condition: SQL = ifApproved ? " AND state = \(TicketState.approved.rawValue)" : ""
        try enqueue("SELECT 1 FROM tickets WHERE ticket = \(id)\(condition)\(rowLock(.ticket, always: true))")
    }

    package func prefetchUsers(ofTicket id: String) throws {
        for query in Self.queriesOfAsker(ofTicket: id) + Self.queriesOfOwner(ofTicket: id) {
            try forEach(query) { _ in true }
        }
    }

    package func assignPrefetchedUsers(to ticket: Ticket) {
        var queries = Self.queriesOfOwner(email: .value(ticket.email))
        var prefetched = Self.queriesOfOwner(ofTicket: ticket.id)
        if let sid = ticket.asking.sid, let uid = ticket.asking.uid {
            queries += Self.queriesOfAsker(sid: .value(sid), uid: .value(uid))
            prefetched += Self.queriesOfAsker(ofTicket: ticket.id)
        }
        for (query, other) in zip(queries, prefetched) { answer(query, withPrefetched: other) }
    }

    private static func queriesOfAsker(ofTicket id: String) -> [SQL] {
        queriesOfAsker(sid: column("asking_sid", ofTicket: id), uid: column("asking_uid", ofTicket: id))
    }

    private static func queriesOfOwner(ofTicket id: String) -> [SQL] {
        queriesOfOwner(email: column("email", ofTicket: id))
    }

    private static func queriesOfAsker(sid: Operand, uid: Operand) -> [SQL] {
        [sessionAndUser(sid), identities(ofUser: uid)]
    }

    private static func queriesOfOwner(email: Operand) -> [SQL] {
        [user(ofAddress: email), identities(ofOwnerOf: email)]
    }

    private static func column(_ name: SQL, ofTicket id: String) -> Operand {
        .subquery("(SELECT \(name) FROM tickets WHERE ticket = \(id))")
    }

    package func openTickets(of email: String, limit: Int64) throws -> [Ticket] {
        try all(
            """
            SELECT \(Ticket.columns) FROM tickets t
            WHERE t.email = \(email) AND t.state = \(TicketState.open.rawValue)
                AND (t.mail_state = \(TicketMailState.queued.rawValue) OR COALESCE(t.ends_at, t.expires_at) >= \(now))
            ORDER BY t.id DESC LIMIT \(limit)
            """
        ) { row in try Ticket(row) }
    }

    /// Returns those of the tickets whose holders can only go on waiting: that are open, were polled, and have neither
    /// expired (``Ticket/isExpired(at:)``) nor a failed e-mail.
    package func waitingTickets(_ ids: [String]) throws -> Set<String> {
        Set(
            try all(
                """
                SELECT ticket FROM tickets
                WHERE ticket IN \(in: ids) AND state = \(TicketState.open.rawValue) AND polled_at IS NOT NULL
                    AND mail_state <> \(TicketMailState.failed.rawValue)
                    AND (mail_state = \(TicketMailState.queued.rawValue) OR COALESCE(ends_at, expires_at) >= \(now))
                """
            ) { row in try row.text(0) }
        )
    }

    package func insert(_ ticket: Ticket) throws {
        try enqueue(
            """
            INSERT INTO tickets (ticket, key_id, email, state, mail_state, asking_sid, asking_uid, asking_client, device,
                place, locale, continue_url, wrong_codes, created_at, expires_at, code_form, trusted_at,
                judged_at, minted_at, time_zone, link_only_at)
            VALUES (\(ticket.id), \(Int64(ticket.keyID)), \(ticket.email), \(ticket.state.rawValue),
                \(ticket.mailState.rawValue), \(ticket.asking.sid), \(ticket.asking.uid), \(ticket.asking.client),
                \(ticket.asking.name), \(ticket.asking.place), \(ticket.asking.locale), \(ticket.continueURL),
                \(ticket.wrongCodes), \(ticket.createdAt), \(ticket.expiresAt), \(ticket.codeForm.column),
                \(ticket.trustedAt), \(ticket.judgedAt), \(ticket.mintedAt),
                \(ticket.asking.timeZone), \(ticket.linkOnlyAt))
            """
        )
    }

    package func update(_ ticket: Ticket, from state: TicketState) throws -> Bool {
        try execute(updating(ticket, from: state)) == 1
    }

    package func storeRedemption(of ticket: Ticket, from state: TicketState) throws {
        if let rows = gatheredRows { return rows.redeemed.append((ticket, state)) }
        try require(updating(ticket, from: state))
    }

    private func updating(_ ticket: Ticket, from state: TicketState) -> SQL {
        let waits = ticket.mailState == .queued
        // The indexed column keeps its value unless the waiting e-mail gets a later link.
        let expiry: SQL = waits ? "\(ticket.expiresAt)" : "expires_at"
        return """
            UPDATE tickets SET state = \(ticket.state.rawValue), mail_state = \(ticket.mailState.rawValue),
                wrong_codes = \(ticket.wrongCodes), wrong_addresses = \(ticket.wrongAddresses),
                polled_at = \(ticket.polledAt), expires_at = \(expiry),
                ends_at = \(waits ? nil : ticket.expiresAt),
                settled_at = \(ticket.settledAt), settled_by = \(ticket.settledBy),
                presented_sid = \(ticket.presentedSID), result_uid = \(ticket.result?.uid),
                result_sid = \(ticket.result?.sid),
                result_new_at = \(ticket.result?.isNewUser == true ? now : nil),
                result_linked_at = \(ticket.result?.linked == true ? now : nil),
                result_merge = \(ticket.result?.mergeID)
            WHERE ticket = \(ticket.id) AND state = \(state.rawValue)
            """
    }

    /// Records on a ticket that its queued e-mail was sent or failed, and when the ticket expires.
    ///
    /// Does nothing if the ticket's e-mail is not queued.
    ///
    /// - Parameters:
    ///   - state: the new state of the e-mail.
    ///   - ticket: the ID of the ticket.
    ///   - life: milliseconds from now after which the ticket expires.
    package func record(_ state: TicketMailState, ofMailFor ticket: String, endingAfter life: Int64) throws {
        try record(state, ofMailsFor: [ticket], endingAfter: life)
    }

    /// Records the same on several tickets.
    package func record(_ state: TicketMailState, ofMailsFor tickets: [String], endingAfter life: Int64) throws {
        guard !tickets.isEmpty else { return }
        try enqueue(
            """
            UPDATE tickets SET mail_state = \(state.rawValue), ends_at = \(now + life)
            WHERE ticket\(dialect.isAny(of: tickets)) AND mail_state = \(TicketMailState.queued.rawValue)
            """
        )
    }
}

extension Ticket {
    /// The columns that ``init(_:)`` reads, of a table aliased as `t`.
    static let columns: SQL = """
        t.ticket, t.key_id, t.email, t.state, t.mail_state, t.asking_sid, t.asking_uid, t.asking_client, t.device, t.place,
        t.locale, t.continue_url, t.wrong_codes, t.polled_at, t.created_at,
        COALESCE(t.ends_at, t.expires_at), t.settled_at, t.settled_by,
        t.presented_sid, t.result_uid, t.result_sid, t.result_new_at, t.result_linked_at, t.result_merge,
        t.code_form, t.trusted_at, t.judged_at, t.minted_at, t.wrong_addresses,
        t.time_zone, t.link_only_at
        """

    /// The number of ``columns``.
    static let columnCount = 31

    /// Reads ``columns`` in their order.
    init(_ row: borrowing Row) throws {
        self.init(
            id: try row.text(0),
            keyID: UInt8(truncatingIfNeeded: try row.integer(1)),
            email: try row.text(2),
            mailState: try row.value(4),
            asking: AskingDevice(
                sid: try row.optionalText(5),
                uid: try row.optionalText(6),
                client: try row.text(7),
                name: try row.text(8),
                place: try row.optionalText(9),
                locale: try row.text(10),
                timeZone: try row.optionalText(29)
            ),
            continueURL: try row.optionalText(11),
            createdAt: try row.integer(14),
            expiresAt: try row.integer(15),
            codeForm: try SignInCodeForm(column: try row.optionalInteger(24)),
            trustedAt: try row.optionalInteger(25)
        )
        judgedAt = try row.optionalInteger(26)
        mintedAt = try row.optionalInteger(27)
        linkOnlyAt = try row.optionalInteger(30)
        state = try row.value(3)
        wrongCodes = try row.integer(12)
        wrongAddresses = try row.integer(28)
        polledAt = try row.optionalInteger(13)
        settledAt = try row.optionalInteger(16)
        settledBy = try row.optionalText(17)
        presentedSID = try row.optionalText(18)
        if let uid = try row.optionalText(19), let sid = try row.optionalText(20) {
            result = TicketResult(
                uid: uid,
                sid: sid,
                isNewUser: try row.optionalInteger(21) != nil,
                linked: try row.optionalInteger(22) != nil,
                mergeID: try row.optionalText(23)
            )
        }
    }
}

extension SignInCodeForm {
    /// The value for the column `code_form`; `nil` for six digits, the only form before the column existed.
    fileprivate var column: Int64? { self == .sixDigits ? nil : rawValue }

    /// Reads a value of the column `code_form`; `nil` means six digits.
    ///
    /// - Throws: ``DatabaseError`` for a form that this version does not know.
    fileprivate init(column: Int64?) throws(DatabaseError) {
        guard let column else {
            self = .sixDigits
            return
        }
        guard let form = Self(rawValue: column) else {
            throw DatabaseError(.internal, message: "a ticket has a code of an unknown form, \(column)")
        }
        self = form
    }
}
