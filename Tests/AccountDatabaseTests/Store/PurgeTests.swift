import Accounts
import DatabaseHarness
import Testing

@testable import AccountDatabase
@testable import Database

@Suite("Purge")
struct PurgeTests {
    private static let day: Int64 = 86_400_000
    private static let tables = [
        "tickets", "action_codes", "outbox", "limits", "sessions", "audit_log", "changes", "users", "merges",
        "known_clients", "suppressed_mailboxes", "method_changes", "browser_sessions",
    ]

    /// Inserts into each table one row that is just old enough, and one that is just not.
    private func fill(_ transaction: Transaction) throws {
        try transaction.insert(Example.user)
        for (name, age) in [("old", 1 as Int64), ("new", 0)] {
            var ticket = Example.ticket
            (ticket.id, ticket.expiresAt) = (name, moment - 3 * Self.day - age)
            try transaction.insert(ticket)
            var code = Example.actionCode
            (code.id, code.ticket, code.expiresAt) = (name, nil, moment - 3 * Self.day - age)
            try transaction.insert(code)
            var session = Example.session
            (session.sid, session.lastUsedAt) = (name, moment - 10 * Self.day - age)
            try transaction.insert(session)
            try transaction.execute(
                "INSERT INTO audit_log (at, event) VALUES (\(moment - 20 * Self.day - age), \(name))"
            )
            var mail = Example.mail
            mail.id = name
            try transaction.queue(mail, rank: Example.rank, payload: "sealed")
            try transaction.execute(
                """
                UPDATE outbox SET state = 'sent', settled_at = \(moment - 7 * Self.day - age) WHERE mail = \(name)
                """
            )
            try transaction.execute(
                """
                INSERT INTO limits (name, window_start, used) VALUES (\(name), \(moment - 2 * Self.day - age), 1)
                """
            )
            try transaction.execute(
                """
                INSERT INTO known_clients (address, client, last_seen_at)
                VALUES ('a', \(name), \(moment - 90 * Self.day - age))
                """
            )
            try transaction.execute(
                """
                INSERT INTO changes (uid, number, collection, name, changed_at)
                VALUES (\(Example.user.uid), \(age), 'c', \(name), \(moment - Self.day - age))
                """
            )
            try transaction.execute(
                """
                INSERT INTO suppressed_mailboxes (mailbox, suppressed_until) VALUES (\(name), \(moment - age))
                """
            )
            try transaction.execute(
                """
                INSERT INTO method_changes (uid, code, kind, provider, subject, linked_at, device, changed_at, expires_at)
                VALUES (\(Example.user.uid), \(name), 'added', 'p', 's', 1, '', 1, \(moment - age))
                """
            )
            try transaction.execute(
                """
                INSERT INTO browser_sessions (session, page, uid, sid, created_at, expires_at)
                VALUES (\(name), 'account', \(Example.user.uid), 's', 1, \(moment - age))
                """
            )
            var merge = Example.merge
            merge.id = name
            try transaction.put(merge)
            try transaction.execute(
                "UPDATE merges SET settled_at = \(moment - 7 * Self.day - age) WHERE merge = \(name)"
            )
        }
        var waiting = Example.mail
        waiting.id = "waiting"
        try transaction.queue(waiting, rank: Example.rank, payload: "sealed")
        var preparing = Example.merge
        (preparing.id, preparing.state) = ("preparing", .preparing)
        try transaction.put(preparing)
    }

    private func counts(_ fresh: FreshStore) throws -> [Int64] {
        try fresh.database.readNow { transaction in
            try Self.tables.map { table in
                try transaction.first("SELECT count(*) FROM \(identifier: table)") { try $0.integer(0) } ?? -1
            }
        }
    }

    @Test func `what is old goes, and nothing that is a moment younger, no waiting mail and no user`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        try await fresh.database.write { try fill($0) }
        #expect(try counts(fresh) == [2, 2, 3, 2, 2, 2, 2, 1, 3, 2, 2, 2, 2])
        let gone = try await fresh.database.write { try $0.purge(limit: 100, auditLife: 20 * Self.day, mailDelay: 0) }
        #expect(gone == 11)
        #expect(try counts(fresh) == [1, 1, 2, 1, 2, 1, 1, 1, 2, 1, 1, 1, 1])
        let again = try await fresh.database.write { try $0.purge(limit: 100, auditLife: 20 * Self.day, mailDelay: 0) }
        #expect(again == 0)
        try await fresh.database.write { transaction in
            _ = try transaction.purgeSessions(after: 0, rows: 100, sessionLife: 10 * Self.day)
        }
        #expect(try counts(fresh) == [1, 1, 2, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1])
    }

    @Test func `events of the trace go after their life, batch by batch`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        try await fresh.database.write { transaction in
            for age in [14 * Self.day + 1, 14 * Self.day + 1, 14 * Self.day] {
                var entry = Example.traceEntry
                entry.at = moment - age
                try transaction.trace(entry)
            }
        }
        let gone = try await (0..<3).asyncMap { _ in
            try await fresh.database.write { try $0.purgeTraces(limit: 1, life: 14 * Self.day) }
        }
        #expect(gone == [1, 1, 0])
    }

    @Test func `a batch takes no more than its limit of each table`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        try await fresh.database.write { transaction in
            for number in 0..<5 {
                try transaction.execute("INSERT INTO audit_log (at, event) VALUES (\(number), 'e')")
            }
        }
        let counts = try await (0..<4).asyncMap { _ in
            try await fresh.database.write { try $0.purge(limit: 2, auditLife: Self.day, mailDelay: 0) }
        }
        #expect(counts == [2, 2, 1, 0])
    }

    @Test func `sessions are gone through part by part, wherever the unused ones are`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let unused: Set<Int> = [1, 4, 5, 6]
        try await fresh.database.write { transaction in
            try transaction.insert(Example.user)
            for number in 0..<7 {
                var session = Example.session
                session.sid = "\(number)"
                session.lastUsedAt = moment - Self.day - (unused.contains(number) ? 1 : 0)
                try transaction.insert(session)
            }
        }
        var last: Int64 = 0
        var parts = 0
        while let next = try await fresh.database.write({ [last] transaction in
            try transaction.purgeSessions(after: last, rows: 3, sessionLife: Self.day)
        }) {
            #expect(next > last)
            (last, parts) = (next, parts + 1)
        }
        #expect(parts == 3)
        let left = try fresh.database.readNow { transaction in
            try transaction.all("SELECT sid FROM sessions ORDER BY id") { try $0.text(0) }
        }
        #expect(left == ["0", "2", "3"])
    }

    @Test func `a ticket takes its codes with it`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        var code = Example.actionCode
        code.expiresAt = moment
        let young = code
        let left = try await fresh.after {
            try $0.insert(Example.ticket)
            try $0.insert(young)
            _ = try $0.purge(limit: 1, auditLife: Self.day, mailDelay: 0)
        } read: {
            (try $0.ticket("ticket-1"), try $0.actionCode("code-1"))
        }
        #expect(left.0 == nil && left.1 == nil)
    }
}

extension Sequence {
    fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
        var results: [T] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
