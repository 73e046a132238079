import DatabaseHarness
import Foundation
import PostgreSQLHarness
import Testing

@testable import Database

@Suite("Reads of a PostgreSQL replica", .enabled(if: TestDatabase.isEnginesTurn), .serialized)
struct ReplicaTests {
    /// Whether the answering server is a replica.
    private func isReplica(_ database: any Database, mayLag: Bool) async throws -> Bool {
        try await database.read(mayLag: mayLag) { transaction in
            try transaction.first("SELECT CAST(pg_is_in_recovery() AS INTEGER)") { try $0.integer(0) } == 1
        }
    }

    @Test func `reads that may lag go to the replica while it is there and follows, all else to the primary`()
        async throws
    {
        let primary = try PostgreSQLServer(["wal_keep_size=64MB"])
        defer { try? primary.stop("immediate") }
        let standby = try PostgreSQLServer(["hot_standby=on"]) { folder in
            try PostgreSQLServer.run([
                "\(PostgreSQLServer.binaries)/pg_basebackup", "-h", primary.folder, "-p", "5432", "-U", "latchkey",
                "-D", "\(folder)/data", "-R", "-c", "fast",
            ])
        }
        defer { try? standby.stop("immediate") }
        var configuration = PostgreSQLConfiguration(url: primary.url(of: "postgres"))
        configuration.replicaURL = standby.url(of: "postgres")
        configuration.connections = 2
        let database = try PostgreSQLDatabase(configuration, migrations: FreshPostgreSQL.schema)
        defer { database.close() }
        #expect(try await eventually { try await isReplica(database, mayLag: true) })
        #expect(try await !isReplica(database, mayLag: false))
        try await database.write { try $0.enqueue("INSERT INTO items (key) VALUES ('a')") }
        #expect(
            try await eventually {
                try await database.read(mayLag: true) {
                    try $0.first("SELECT count(*) FROM items") { try $0.integer(0) }
                }
                    == 1
            }
        )
        // A server that has the address but has not been promoted yet.
        let early = try PostgreSQLDatabase(
            PostgreSQLConfiguration(url: standby.url(of: "postgres")),
            migrations: FreshPostgreSQL.schema
        )
        defer { early.close() }
        let refused = await early.outcome(of: { try $0.enqueue("DELETE FROM items") })
        #expect(refused.kind == .readOnly && refused.took < 9_000)
        // The primary answers queries that the replica refuses or does not have the data for.
        let made = try await database.read(mayLag: true) { transaction in
            try transaction.first("SELECT txid_current_if_assigned() IS NULL AND pg_current_wal_lsn() IS NOT NULL") {
                _ in
                true
            }
        }
        #expect(made == true)
        // A replica that falls behind is not used until it has caught up.
        try standby.psql(standby.url(of: "postgres"), "SELECT pg_wal_replay_pause()")
        #expect(
            try await eventually {
                try await database.write { try $0.enqueue("UPDATE items SET amount = amount + 1") }
                return try await !isReplica(database, mayLag: true)
            }
        )
        try standby.psql(standby.url(of: "postgres"), "SELECT pg_wal_replay_resume()")
        #expect(try await eventually { try await isReplica(database, mayLag: true) })
        try standby.stop("immediate")
        for _ in 0..<20 { #expect(try await !isReplica(database, mayLag: true)) }
    }

    @Test func `a replica is recent by what was heard of the primary lately, and by nothing older`() async throws {
        try await onThread {
            // Longer than a stall of the machine between two of these calls.
            let progress = WriteProgress(longestLag: 2_000)
            progress.record(1)
            #expect(!progress.isRecent(1), "nothing is known of the time before")
            usleep(2_500_000)
            progress.record(2)
            #expect(progress.isRecent(1) && !progress.isRecent(0))
            usleep(2_500_000)
            #expect(!progress.isRecent(2), "the primary may have written much since")
            progress.record(3)
            #expect(progress.isRecent(2) && !progress.isRecent(1))
        }
    }
}
