import Accounts
import DatabaseHarness
import PostgreSQLHarness
import Testing
import Tokens

@testable import AccountDatabase
@testable import Database

@Suite("Resets")
struct ResetTests {
    @Test func `a wipe reaches every table but those of the keys and the settings`() throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let all: SQL =
            switch TestDatabase.Engine.current {
            case .sqlite: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            case .postgreSQL: "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            }
        let tables = try fresh.database.readNow { try $0.all(all) { try $0.text(0) } }
        let kept = tables.filter { !Transaction.wipedTables.contains($0) }
        #expect(kept.sorted() == ["schema_migrations", "settings", "signing_keys"])
    }

    @Test func `after a wipe nothing is left but the keys and the settings that were named`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let seen = try await fresh.after { transaction in
            try transaction.insert(Example.user)
            try transaction.put(Identity(uid: "uid-1", provider: "p", subject: "s"))
            try transaction.insert(Example.session)
            try transaction.insert(Example.ticket)
            try transaction.insert(Example.actionCode)
            try transaction.insert(Example.signingKey)
            try transaction.set("kept", to: "1")
            try transaction.set("gone", to: "1")
            try transaction.wipe(butSettings: ["kept"])
        } read: { transaction in
            (
                rows: try Transaction.wipedTables.map { table in
                    try transaction.first("SELECT count(*) FROM \(identifier: table)") { try $0.integer(0) } ?? -1
                },
                keys: try transaction.signingKeys().count, kept: try transaction.setting("kept"),
                gone: try transaction.setting("gone")
            )
        }
        #expect(seen.rows.allSatisfy { $0 == 0 })
        #expect(seen.keys == 1 && seen.kept == "1" && seen.gone == nil)
    }

    @Test func `codes that may be used are listed in the order in which they were made`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        @Sendable func code(_ id: String, ticket: String? = nil, expiresAt: Int64 = moment + 1) -> StoredActionCode {
            StoredActionCode(
                id: id,
                purpose: ticket == nil ? .verifyEmail : .emailSignIn,
                ticket: ticket,
                email: "ada@example.com",
                locale: "en",
                createdAt: 1,
                expiresAt: expiresAt
            )
        }
        @Sendable func ticket(_ id: String, _ state: TicketState, in transaction: Transaction) throws {
            var ticket = Example.ticket
            ticket.id = id
            try transaction.insert(ticket)
            ticket.state = state
            _ = try transaction.update(ticket, from: .open)
        }
        let listed = try await fresh.after { transaction in
            for (id, state) in [("o", TicketState.open), ("a", .approved), ("s", .spent), ("e", .ended)] {
                try ticket(id, state, in: transaction)
            }
            for made in [
                code("first"), code("late", expiresAt: moment), code("used"), code("open", ticket: "o"),
                code("spent", ticket: "s"), code("ended", ticket: "e"), code("approved", ticket: "a"), code("last"),
            ] {
                try transaction.insert(made)
            }
            _ = try transaction.useActionCode("used")
        } read: {
            (try $0.usableActionCodes(limit: 9).map(\.id), try $0.usableActionCodes(limit: 2).map(\.id))
        }
        #expect(listed.0 == ["first", "open", "approved", "last"])
        #expect(listed.1 == ["approved", "last"])
    }

    @Test func `a key stays for the cookies that it signed, the longest of them`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let kid = Example.signingKey.kid
        let retired = try await fresh.after { transaction in
            try transaction.execute("DELETE FROM signing_keys")
            try transaction.insert(Example.signingKey)
            try transaction.execute("UPDATE signing_keys SET retired_at = NULL")
            try transaction.keepSigningKey(kid, untilCookiesEnd: moment + 500)
            try transaction.keepSigningKey(kid, untilCookiesEnd: moment + 400)
            try transaction.retireSigningKey(kid, at: moment - 1)
        } read: {
            try $0.signingKeys().map(\.retiredAt)
        }
        #expect(retired == [moment + 500])
    }
}
