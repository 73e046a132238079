import PostgreSQLHarness
import Testing

@testable import Database

@Suite("Reads of a PostgreSQL replica", .enabled(if: TestDatabase.isEnginesTurn), .serialized)
struct ReplicaTests {
    /// Whether the server that answers follows another.
    private func isReplica(_ database: any Database, mayLag: Bool) async throws -> Bool {
        try await database.read(mayLag: mayLag) { transaction in
            try transaction.first("SELECT CAST(pg_is_in_recovery() AS INTEGER)") { try $0.integer(0) } == 1
        }
    }

    private func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
        let deadline = Deadline(in: 15_000)
        while !deadline.isOver {
            if (try? await condition()) == true { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    @Test func `reads that may lag go to the replica while it is there and follows, all else to the primary`()
        async throws
    {
        let primary = try SpecialServer(["wal_keep_size=64MB"])
        defer { primary.remove() }
        let standby = try SpecialServer(["hot_standby=on"]) { folder in
            try SpecialServer.run(
                "\(SpecialServer.binaries)/pg_basebackup",
                "-h",
                primary.folder,
                "-p",
                "5432",
                "-U",
                "latchkey",
                "-D",
                "\(folder)/data",
                "-R",
                "-c",
                "fast"
            )
        }
        var isRemoved = false
        defer { if !isRemoved { standby.remove() } }
        var configuration = PostgreSQLConfiguration(url: primary.url)
        configuration.replicaURL = standby.url
        configuration.connections = 2
        let database = try PostgreSQLDatabase(configuration, migrations: FreshPostgreSQL.schema)
        defer { database.close() }
        #expect(try await eventually { try await isReplica(database, mayLag: true) })
        #expect(try await !isReplica(database, mayLag: false))
        try await database.write { try $0.perform("INSERT INTO items (key) VALUES ('a')") }
        #expect(
            try await eventually {
                try await database.read(mayLag: true) {
                    try $0.first("SELECT count(*) FROM items") { try $0.integer(0) }
                }
                    == 1
            }
        )
        // What it refuses, or what is not there yet, the primary answers.
        let made = try await database.read(mayLag: true) { transaction in
            try transaction.first("SELECT txid_current_if_assigned() IS NULL AND pg_current_wal_lsn() IS NOT NULL") {
                _ in
                true
            }
        }
        #expect(made == true)
        // One that falls behind is no longer asked, and asked again once it has caught up.
        try standby.psql("SELECT pg_wal_replay_pause()")
        #expect(
            try await eventually {
                try await database.write { try $0.perform("UPDATE items SET amount = amount + 1") }
                return try await !isReplica(database, mayLag: true)
            }
        )
        try standby.psql("SELECT pg_wal_replay_resume()")
        #expect(try await eventually { try await isReplica(database, mayLag: true) })
        standby.remove()
        isRemoved = true
        for _ in 0..<20 { #expect(try await !isReplica(database, mayLag: true)) }
    }
}
