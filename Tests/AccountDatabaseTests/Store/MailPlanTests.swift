import Accounts
import DatabaseHarness
import PostgreSQLHarness
import Testing

@testable import AccountDatabase
@testable import Database

@Suite("Query plans of the e-mail queue on PostgreSQL", .enabled(if: TestDatabase.isEnginesTurn))
struct MailPlanTests {
    /// E-mails that wait for an unavailable mail server, and some that could be sent.
    private static let postponed = 20_000

    @Test(arguments: [true, false])
    func `a lease reads neither past postponed mails nor sorts`(isAnalyzed: Bool) async throws {
        let fresh = try FreshPostgreSQL(migrations: Migration.embedded()) { $0.connections = 1 }
        defer { fresh.remove() }
        let database = fresh.database
        let ranks = (
            waiting: MailRank(.unknown, at: moment).value,
            postponed: MailRank.postponed + MailRank(.unknown, at: moment + 60_000).value
        )
        try await database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO outbox (mail, kind, state, payload, attempts, due_at, rank, created_at)
                SELECT 'p' || n, 'sign-in', 'queued', 'p', 0, 9000000000000000, \(ranks.postponed) + CAST(n AS BIGINT), 0
                FROM generate_series(1, \(Self.postponed)) n
                """
            )
            try transaction.execute(
                """
                INSERT INTO outbox (mail, kind, state, payload, attempts, due_at, rank, created_at)
                SELECT 'w' || n, 'sign-in', 'queued', 'p', 0, 0, \(ranks.waiting) + CAST(n AS BIGINT), 0 FROM generate_series(1, 5000) n
                """
            )
        }
        if isAnalyzed { try await database.write { try $0.execute("ANALYZE outbox") } }
        let plan = try await database.write { transaction in
            let lease = transaction.lease(of: .unknown, limit: 13, worker: "w", milliseconds: 1, takingOver: true)
            return try transaction.all("EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) " + lease) { try $0.text(0) }
        }
        let text = plan.joined(separator: "\n")
        #expect(text.contains("Index Scan using outbox_rank"), "\(text)")
        #expect(!text.contains("Sort"), "\(text)")
        #expect(!text.contains("Rows Removed by Filter"), "\(text)")
    }
    @Test func `a lease from a rank on does not walk over e-mails that were sent before`() async throws {
        let fresh = try FreshPostgreSQL(migrations: Migration.embedded()) { $0.connections = 1 }
        defer { fresh.remove() }
        let old = MailRank(.unknown, at: moment).value, new = MailRank(.unknown, at: moment + 60_000).value
        // Its snapshot keeps the server from removing the index entries.
        let open = try PostgreSQLConnection(PostgreSQLConfiguration(url: fresh.url))
        open.begin(.snapshot)
        _ = try open.open("SELECT count(*) FROM outbox")
        try await fresh.database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO outbox (mail, kind, state, payload, attempts, due_at, rank, created_at)
                SELECT 'm' || n, 'sign-in', 'queued', 'p', 0, 0, \(old) + CAST(n AS BIGINT), 0 FROM generate_series(1, 20000) n
                """
            )
        }
        try await fresh.database.write { try $0.execute("UPDATE outbox SET state = 'sent', payload = NULL") }
        try await fresh.database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO outbox (mail, kind, state, payload, attempts, due_at, rank, created_at)
                VALUES ('new', 'sign-in', 'queued', 'p', 0, 0, \(new), 0)
                """
            )
        }
        var lowest = LowestMailRanks()
        let all = try await Self.pages(of: lowest, fresh.database)
        lowest[.unknown] = new - 1000
        let few = try await Self.pages(of: lowest, fresh.database)
        #expect(few * 5 < all, "\(few) and \(all) pages")
        open.rollback()
    }

    /// Returns how many pages a lease reads.
    private static func pages(of lowest: LowestMailRanks, _ database: any Database) async throws -> Int {
        let plan = try await database.write { transaction in
            let lease = transaction.lease(
                of: .unknown,
                limit: 13,
                worker: "w",
                milliseconds: -1000,
                takingOver: true,
                from: lowest
            )
            return try transaction.all("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + lease) { try $0.text(0) }
        }
        let hits = try #require(plan.joined().firstMatch(of: /"Shared Hit Blocks": (\d+)/)).1
        return try #require(Int(hits))
    }
}
