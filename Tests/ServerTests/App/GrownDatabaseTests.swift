import Foundation
import JSON
import PostgreSQLHarness
import Testing

@Suite(
    "A PostgreSQL database that grows while a server runs",
    .enabled(if: TestDatabase.Engine.current == .postgreSQL, "SQLite plans each statement without regard to sizes")
)
struct GrownDatabaseTests {
    private static let rows = 50_000

    /// The tables that grow, each with a row to copy and the columns in which the copies differ.
    private static let growth: [(table: String, row: String, columns: String)] = [
        ("users", "WHERE email IS NOT NULL", "'uid', r.uid || n, 'email', n || r.email"),
        ("sessions", "WHERE ended_at IS NULL", "'sid', r.sid || n, 'uid', r.uid || n"),
        ("tickets", "WHERE state = 'spent'", "'ticket', r.ticket || n, 'email', n || r.email"),
        ("action_codes", "", "'code', r.code || n, 'ticket', NULL, 'uid', r.uid || n, 'email', n || r.email"),
        ("outbox", "WHERE state = 'sent'", "'mail', r.mail || n"),
        ("limits", "", "'name', r.name || n"),
        ("known_clients", "", "'address', r.address || n, 'client', r.client || n"),
        ("documents", "", "'name', r.name || n"),
        ("audit_log", "", "'uid', r.uid || n"),
        ("mail_trace", "", "'request', r.request || n, 'mail', r.mail || n, 'address', r.address || n"),
    ]

    @Test func `the connections that have seen small tables never scan them once they are large`() async throws {
        try await TestServer.run(["POSTGRESQL_CONNECTIONS": "2"]) { server in
            // PostgreSQL keeps the plan of a statement after five uses.
            for number in 0..<7 { try Self.callEverything(server, "small-\(number)") }
            for (table, row, columns) in Self.growth {
                let record = "jsonb_build_object('id', 1000000 + n, \(columns))"
                try server.psql(
                    """
                    INSERT INTO \(table) OVERRIDING SYSTEM VALUE
                    SELECT (jsonb_populate_record(CAST(r AS \(table)), \(record))).*
                    FROM (SELECT * FROM \(table) \(row) ORDER BY id DESC LIMIT 1) r, generate_series(1, \(Self.rows)) n
                    """
                )
                let count = Int(try server.psql("SELECT count(*) FROM \(table)")) ?? 0
                #expect(count > Self.rows, "\(count) rows of \(table)")
            }
            let before = try Self.scans(server)
            for number in 0..<3 { try Self.callEverything(server, "large-\(number)") }
            // A connection reports what it has read when it ends, at the latest.
            server.stop()
            let after = try Self.scans(server)
            for (table, _, _) in Self.growth {
                let read = (after[table] ?? 0) - (before[table] ?? 0)
                #expect(read < Self.rows, "\(read) rows of \(table) were read")
            }
        }
    }

    /// Returns the number of rows that were read, by table.
    private static func scans(_ server: TestServer) throws -> [String: Int] {
        let lines = try server.psql(
            "SELECT relname, seq_tup_read + COALESCE(idx_tup_fetch, 0) FROM pg_stat_user_tables"
        )
        return Dictionary(
            uniqueKeysWithValues: lines.split(separator: "\n").compactMap { line in
                let cells = line.split(separator: "|")
                return cells.count == 2 ? (String(cells[0]), Int(cells[1]) ?? 0) : nil
            }
        )
    }

    /// Makes each kind of call that apps make often, for new users.
    private static func callEverything(_ server: TestServer, _ name: String) throws {
        let guest = try server.guest()
        let user = try server.signIn("\(name)@example.com")
        #expect(try server.signIn("\(name)@example.com").uid == user.uid)
        let link = try server.askForLink("\(name)-link@example.com")
        #expect(try server.queryLink(link.oobCode).status == 200)
        let linked = try server.redeem(link.oobCode, "\(name)-link@example.com", idToken: guest.idToken)
        #expect(linked.status == 200)
        let asked = try server.askForLink("\(name)-code@example.com", idToken: server.guest().idToken)
        try server.waitUntilMailsAreFinished()
        #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).status == 200)
        #expect(try server.refresh(user.refreshToken).status == 200)
        #expect(try server.lookup(user.idToken).status == 200)
        #expect(try server.document("PUT", "notes/\(name)", "{}", user.idToken).status == 201)
        #expect(try server.document("GET", "notes/\(name)", user.idToken).status == 200)
        let headers = ["Authorization: Bearer \(user.idToken)", "Content-Type: application/json"]
        #expect(try server.send("GET", "/v1/documents", headers: headers).status == 200)
        #expect(try server.send("GET", "/v1/sessions", headers: headers).status == 200)
        let change: JSONValue = ["idToken": .string(user.idToken), "displayName": "Ann"]
        #expect(try server.call("accounts:update", change).status == 200)
        #expect(try server.call("accounts:delete", ["idToken": .string(try server.guest().idToken)]).status == 200)
    }
}
