import DatabaseHarness
import Foundation
import PostgreSQLHarness
import Synchronization
import Testing

@testable import Database

/// Nodes of an earlier version are played by connections with the name of a notification connection, since that is all
/// that is known of them.
@Suite("Nodes of an earlier version", .enabled(if: TestDatabase.isEnginesTurn))
struct OlderNodesTests {
    private static let schema =
        FreshPostgreSQL.schema + [Migration(number: 2, name: "more", sql: "CREATE TABLE more (id {{id}});")]

    @Test func `everything that writes is serializable until the older nodes have been gone for a while`() async throws
    {
        let fresh = try upgraded()
        defer { fresh.remove() }
        var older: PostgreSQLConnection? = try Self.olderNode(fresh.url)
        let node = try Node(fresh.url, absence: 300)
        defer { node.database.close() }
        #expect(try await node.isolations == ["serializable", "serializable"])
        #expect(try await eventually { node.events == ["nodesOlder"] })
        try await Task.sleep(for: .milliseconds(1500))
        #expect(try await node.isolations == ["serializable", "serializable"])
        withExtendedLifetime(older) {}
        older = nil
        #expect(try await eventually { node.events == ["nodesOlder", "nodesNew"] })
        #expect(try await node.isolations == ["read committed", "read committed"])
    }

    @Test func `a node that was not seen for a moment is expected back`() async throws {
        let fresh = try upgraded()
        defer { fresh.remove() }
        let start = ContinuousClock.now
        let node = try Node(fresh.url, absence: 8000)
        defer { node.database.close() }
        try await Task.sleep(for: .milliseconds(1500))
        let isolations = try await node.isolations
        // On a busy machine, the eight seconds may be over by now.
        if ContinuousClock.now - start < .seconds(8) { #expect(isolations == ["serializable", "serializable"]) }
        #expect(try await eventually { try await node.isolations == ["read committed", "read committed"] })
        #expect(node.events == [])
    }

    @Test func `nodes of this version do not take each other for older ones`() async throws {
        let fresh = try upgraded()
        defer { fresh.remove() }
        let nodes = try (0..<2).map { _ in try Node(fresh.url, absence: 1000) }
        defer { for node in nodes { node.database.close() } }
        for node in nodes {
            #expect(try await eventually { try await node.isolations == ["read committed", "read committed"] })
            #expect(node.events == [])
        }
    }

    @Test func `a schema that was made at once had no older nodes`() async throws {
        let fresh = try FreshPostgreSQL(migrations: Self.schema)
        defer { fresh.remove() }
        let older = try Self.olderNode(fresh.url)
        defer { withExtendedLifetime(older) {} }
        let node = try Node(fresh.url, absence: 1000)
        defer { node.database.close() }
        #expect(try await node.isolations == ["read committed", "read committed"])
    }

    @Test(arguments: [(minutes: 59, isOver: false), (minutes: 61, isOver: true)])
    func `through a pooler, where no node is seen, an hour passes`(_ age: (minutes: Int, isOver: Bool)) async throws {
        let fresh = try upgraded(minutesAgo: age.minutes)
        defer { fresh.remove() }
        let node = try Node(fresh.url, absence: 300) { $0.prepares = false }
        defer { node.database.close() }
        if age.isOver {
            #expect(try await eventually { try await node.isolations == ["read committed", "read committed"] })
        } else {
            try await Task.sleep(for: .milliseconds(2500))
            #expect(try await node.isolations == ["serializable", "serializable"])
        }
    }

    /// A database whose schema has grown by an upgrade.
    private func upgraded(minutesAgo minutes: Int = 0) throws -> FreshPostgreSQL {
        let fresh = try FreshPostgreSQL(migrations: Self.schema)
        _ = try fresh.server.psql(
            fresh.url,
            """
            UPDATE schema_migrations
            SET applied_at = applied_at - \(minutes) * 60000 - CASE WHEN number = 1 THEN 100000 ELSE 0 END
            """
        )
        return fresh
    }

    private static func olderNode(_ url: String) throws -> PostgreSQLConnection {
        try PostgreSQLConnection(PostgreSQLConfiguration(url: "\(url)?application_name=latchkey%20news"))
    }

    private final class Node: Sendable {
        private final class Events: Sendable {
            let names = Mutex<[String]>([])
        }

        let database: PostgreSQLDatabase
        private let log: Events

        init(_ url: String, absence: Int64, _ adjust: (inout PostgreSQLConfiguration) -> Void = { _ in }) throws {
            var configuration = PostgreSQLConfiguration(url: url)
            configuration.connections = 1
            configuration.olderNodeAbsence = absence
            let events = Events()
            configuration.onEvent = { event in
                switch event {
                case .nodesOlder: events.names.withLock { $0.append("nodesOlder") }
                case .nodesNew: events.names.withLock { $0.append("nodesNew") }
                default: break
                }
            }
            adjust(&configuration)
            log = events
            database = try PostgreSQLDatabase(configuration, migrations: OlderNodesTests.schema)
            try database.subscribe { _ in }
        }

        var events: [String] { log.names.withLock { $0 } }

        /// The isolation of a transaction, and of one that calls may share.
        var isolations: [String] {
            get async throws {
                @Sendable func isolation(_ transaction: Transaction) throws -> String {
                    try transaction.first("SELECT current_setting('transaction_isolation')") { try $0.text(0) } ?? ""
                }
                let own = try await database.write(kind: "own", isolation: .readCommitted) { try isolation($0) }
                let shared = try await withCheckedThrowingContinuation { continuation in
                    database.writeShared(
                        "shared",
                        isolation: .readCommitted,
                        0,
                        key: "",
                        together: { inputs, transaction in
                            let isolation = try isolation(transaction)
                            return inputs.map { _ in .answered(.success(isolation)) }
                        },
                        alone: { _, transaction in try isolation(transaction) },
                        completion: { continuation.resume(with: $0) }
                    )
                }
                return [own, shared]
            }
        }
    }
}
