import Accounts
import Database

extension Transaction {
    package func gathering<T>(_ body: () throws -> T) throws -> T { try gathering(GatheredRows(), body) }

    /// What the flows have stored and is not enqueued yet; `nil` unless it is gathered.
    var gatheredRows: GatheredRows? { gathered as? GatheredRows }
}

/// The rows that several sign-ins store, so that one statement of each kind stores them.
final class GatheredRows: GatheredChanges {
    /// An entry of the audit log.
    struct Entry {
        let event: AuditEvent
        let uid: String?
        let detail: String?
        let actor: AuditActor
    }

    /// New users with accounts, which are no guests.
    var users: [User] = []
    var sessions: [Session] = []
    var entries: [Entry] = []
    /// Tickets that are decided, with their state before.
    var redeemed: [(ticket: Ticket, state: TicketState)] = []

    /// Enqueues the tickets and the users first, in the order of locks, and then what refers to the users.
    func enqueue(in transaction: Transaction) throws {
        try enqueueOneOrAll(
            redeemed,
            { try transaction.storeRedemption(of: $0.ticket, from: $0.state) },
            transaction.storeRedemptions
        )
        try enqueueOneOrAll(users, transaction.insert, transaction.insertAll)
        try enqueueOneOrAll(sessions, transaction.insert, transaction.insertAll)
        try enqueueOneOrAll(
            entries,
            { try transaction.audit($0.event, uid: $0.uid, detail: $0.detail, by: $0.actor) },
            transaction.insertAll
        )
    }

    /// A single row has the statement that it has elsewhere, which the connections have prepared.
    private func enqueueOneOrAll<Value>(
        _ rows: [Value],
        _ one: (Value) throws -> Void,
        _ all: ([Value]) throws -> Void
    ) throws {
        if rows.count == 1 { try one(rows[0]) } else if !rows.isEmpty { try all(rows) }
    }
}

extension Transaction {
    fileprivate func insertAll(_ users: [User]) throws {
        func texts(_ value: (User) -> String?) -> SQL { Dialect.array(users.map(value)) }
        func integers(_ value: (User) -> Int64?) -> SQL { Dialect.array(users.map(value)) }
        try enqueue(
            """
            INSERT INTO users (uid, email, email_verified_at, email_link_at, display_name, photo_url, initial_email,
                custom_attributes, disabled_at, review_since, valid_since, created_at, last_login_at, last_refresh_at,
                screen_name, custom_auth_at, imported_at, unclaimed_since, taken_over_at, contested_at, contested_email,
                initial_unclaimed_since)
            SELECT r.uid, r.email, r.email_verified_at, r.email_link_at, r.display_name, r.photo_url, r.initial_email,
                r.custom_attributes, r.disabled_at, r.review_since, r.valid_since, r.created_at, r.last_login_at,
                r.last_refresh_at, r.screen_name, r.custom_auth_at, r.imported_at, r.unclaimed_since, r.taken_over_at,
                r.contested_at, r.contested_email, r.initial_unclaimed_since
            FROM unnest(\(texts(\.uid)), \(texts(\.email)), \(integers(\.emailVerifiedAt)), \(integers(\.emailLinkAt)),
                \(texts(\.displayName)), \(texts(\.photoURL)), \(texts(\.initialEmail)), \(texts(\.customAttributes)),
                \(integers(\.disabledAt)), \(integers(\.reviewSince)), \(integers(\.validSince)),
                \(integers(\.createdAt)), \(integers(\.lastLoginAt)), \(integers(\.lastRefreshAt)),
                \(texts(\.screenName)), \(integers(\.customAuthAt)), \(integers(\.importedAt)),
                \(integers(\.unclaimedSince)), \(integers(\.takenOverAt)), \(integers { $0.contest?.since }),
                \(texts { $0.contest?.oldEmail }), \(integers(\.initialUnclaimedSince)))
                WITH ORDINALITY AS r (uid, email, email_verified_at, email_link_at, display_name, photo_url, initial_email,
                    custom_attributes, disabled_at, review_since, valid_since, created_at, last_login_at,
                    last_refresh_at, screen_name, custom_auth_at, imported_at, unclaimed_since, taken_over_at,
                    contested_at, contested_email, initial_unclaimed_since, place)
            ORDER BY r.place
            """
        )
    }

    fileprivate func insertAll(_ sessions: [Session]) throws {
        func texts(_ value: (Session) -> String?) -> SQL { Dialect.array(sessions.map(value)) }
        func integers(_ value: (Session) -> Int64?) -> SQL { Dialect.array(sessions.map(value)) }
        try enqueue(
            """
            INSERT INTO sessions (sid, uid, user_number, provider, generation, generation_at, fixed_since, auth_time,
                created_at, last_used_at, claims, exchanged_at, device, network)
            SELECT r.sid, r.uid, (SELECT u.id FROM users u WHERE u.uid = r.uid), r.provider, r.generation, r.generation_at,
                r.fixed_since, r.auth_time, r.created_at, r.last_used_at, r.claims, r.exchanged_at, r.device, r.network
            FROM unnest(\(texts(\.sid)), \(texts(\.uid)), \(texts(\.provider.rawValue)), \(integers(\.generation)),
                \(integers(\.generationAt)), \(integers(\.fixedSince)), \(integers(\.authTime)),
                \(integers(\.createdAt)), \(integers(\.lastUsedAt)), \(texts(\.claims)), \(integers(\.exchangedAt)),
                \(texts(\.device)), \(texts(\.network)))
                WITH ORDINALITY AS r (sid, uid, provider, generation, generation_at, fixed_since, auth_time, created_at,
                    last_used_at, claims, exchanged_at, device, network, place)
            ORDER BY r.place
            """
        )
    }

    fileprivate func insertAll(_ entries: [GatheredRows.Entry]) throws {
        func texts(_ value: (GatheredRows.Entry) -> String?) -> SQL { Dialect.array(entries.map(value)) }
        try enqueue(
            """
            INSERT INTO audit_log (at, event, uid, user_number, detail, actor, reason)
            SELECT CAST(\(now) AS BIGINT), r.event, r.uid, (SELECT u.id FROM users u WHERE u.uid = r.uid), r.detail,
                r.actor, r.reason
            FROM unnest(\(texts(\.event.rawValue)), \(texts(\.uid)), \(texts(\.detail)), \(texts(\.actor.stored)),
                \(texts(\.actor.reason)))
                WITH ORDINALITY AS r (event, uid, detail, actor, reason, place)
            ORDER BY r.place
            """
        )
    }

    /// Updates tickets like ``storeRedemption(of:from:)``.
    fileprivate func storeRedemptions(of tickets: [(ticket: Ticket, state: TicketState)]) throws {
        func texts(_ value: (Ticket) -> String?) -> SQL { Dialect.array(tickets.map { value($0.ticket) }) }
        func integers(_ value: (Ticket) -> Int64?) -> SQL { Dialect.array(tickets.map { value($0.ticket) }) }
        try require(
            """
            UPDATE tickets t SET state = r.state, mail_state = r.mail_state, wrong_codes = r.wrong_codes,
                wrong_addresses = r.wrong_addresses, polled_at = r.polled_at,
                expires_at = COALESCE(r.expires_at, t.expires_at), ends_at = r.ends_at, settled_at = r.settled_at,
                settled_by = r.settled_by, presented_sid = r.presented_sid, result_uid = r.result_uid,
                result_sid = r.result_sid, result_new_at = r.result_new_at, result_linked_at = r.result_linked_at,
                result_merge = r.result_merge
            FROM unnest(\(texts(\.id)), \(Dialect.array(tickets.map(\.state.rawValue))), \(texts(\.state.rawValue)),
                \(texts(\.mailState.rawValue)), \(integers(\.wrongCodes)), \(integers(\.wrongAddresses)),
                \(integers(\.polledAt)), \(integers { $0.mailState == .queued ? $0.expiresAt : nil }),
                \(integers { $0.mailState == .queued ? nil : $0.expiresAt }), \(integers(\.settledAt)),
                \(texts(\.settledBy)), \(texts(\.presentedSID)), \(texts { $0.result?.uid }),
                \(texts { $0.result?.sid }), \(integers { $0.result?.isNewUser == true ? now : nil }),
                \(integers { $0.result?.linked == true ? now : nil }), \(texts { $0.result?.mergeID }))
                AS r (ticket, earlier, state, mail_state, wrong_codes, wrong_addresses, polled_at, expires_at, ends_at,
                    settled_at, settled_by, presented_sid, result_uid, result_sid, result_new_at, result_linked_at,
                    result_merge)
            WHERE t.ticket = r.ticket AND t.state = r.earlier
            """,
            rows: "CAST(\(Int64(tickets.count)) AS BIGINT)"
        )
    }
}
