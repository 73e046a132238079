import Accounts
import DatabaseHarness
import PostgreSQLHarness
import Synchronization
import Testing

@testable import AccountDatabase
@testable import Database

@Suite("Gathered rows", .enabled(if: TestDatabase.Engine.current == .postgreSQL))
struct GatheredRowTests {
    /// Stores a guest, an account with nothing and one with everything, with what sign-ins store beside them.
    private static func store(in transaction: Transaction) throws {
        var bare = User(uid: "uid-0", createdAt: 1), full = Example.user
        bare.email = "bare@example.com"
        full.anonymousSince = nil
        for (number, user) in [User(anonymous: "guest", at: 5), bare, full].enumerated() {
            try transaction.insert(user)
            try transaction.audit(.userCreated, uid: user.uid, detail: number == 1 ? nil : "detail", by: .server)
            var session = Example.session
            (session.sid, session.uid) = ("sid-\(number)", user.uid)
            if number > 0 { (session.fixedSince, session.claims, session.exchangedAt) = (nil, nil, nil) }
            if number == 2 { (session.device, session.network) = ("Firefox", "network-1") }
            try transaction.insert(session)
            var ticket = ticket(number)
            ticket.state = .spent
            if number < 2 { ticket.redeem(isNewUser: number == 0, linked: number == 1) }
            try transaction.storeRedemption(of: ticket, from: .open)
        }
        try transaction.audit(.keyRotated, uid: nil, detail: nil, by: .server)
    }

    private static func ticket(_ number: Int) -> Ticket {
        var ticket = Example.ticket
        ticket.id = "ticket-\(number)"
        if number == 1 { ticket.mailState = .sent }
        return ticket
    }

    /// Returns the text of every row after the rows were stored.
    private static func rows(gathered: Bool) async throws -> [String] {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        return try await fresh.after { transaction in
            for number in 0..<3 { try transaction.insert(ticket(number)) }
            if gathered {
                try transaction.gathering { try store(in: transaction) }
            } else {
                try store(in: transaction)
            }
        } read: { transaction in
            try ["users", "sessions", "audit_log", "tickets"].flatMap { table in
                try transaction.all("SELECT CAST(t AS TEXT) FROM \(identifier: table) t ORDER BY id") { try $0.text(0) }
            }
        }
    }

    @Test func `are stored as if they were stored one by one`() async throws {
        let rows = try await Self.rows(gathered: true)
        #expect(rows.count == 13)
        #expect(try await Self.rows(gathered: false) == rows)
    }

    @Test func `no query may miss them`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let error = await #expect(throws: DatabaseError.self) {
            try await fresh.database.write { transaction in try transaction.gathering { _ = try transaction.user("u") }
            }
        }
        #expect(error?.kind == .misuse)
    }

    @Test func `a ticket in another state makes the closure run again`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let runs = Mutex(0)
        try await fresh.database.write { transaction in
            for number in 0..<2 { try transaction.insert(Self.ticket(number)) }
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            try transaction.gathering {
                for number in 0..<2 {
                    try transaction.storeRedemption(of: Self.ticket(number), from: number == run ? .approved : .open)
                }
            }
        }
        #expect(runs.withLock { $0 } == 2)
    }
}
