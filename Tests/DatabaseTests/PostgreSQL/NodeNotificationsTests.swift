import DatabaseHarness
import Foundation
import Glibc
import PostgreSQLHarness
import Synchronization
import Testing

@testable import Database

@Suite("Node notifications", .enabled(if: TestDatabase.isEnginesTurn))
struct NodeNotificationsTests {
    @Test func `all other nodes receive a notification, and its sender does not`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        let nodes = try (0..<3).map { _ in try Node(fresh) }
        defer { for node in nodes { node.database.close() } }
        for node in nodes { #expect(await node.hears(.anything)) }
        nodes[0].database.announce(.user("a b'c\"ü"))
        nodes[0].database.announce(.mail)
        nodes[1].database.announce(.hooks)
        let all: Set<NodeNotification> = [.anything, .user("a b'c\"ü"), .mail, .hooks]
        for (node, own) in zip(nodes, [[.user("a b'c\"ü"), .mail], [.hooks], []] as [Set<NodeNotification>]) {
            for news in all.subtracting(own) { #expect(await node.hears(news)) }
        }
        usleep(100_000)
        #expect(nodes[0].heard == all.subtracting([.user("a b'c\"ü"), .mail]))
        #expect(nodes[1].heard == all.subtracting([.hooks]))
    }

    @Test func `what comes up together is announced in few transactions`() async throws {
        // On its own server, because a server counts the transactions of all databases together.
        let fresh = try FreshPostgreSQL(on: PostgreSQLServer())
        defer { fresh.remove() }
        let speaker = try Node(fresh), listener = try Node(fresh)
        defer { for node in [speaker, listener] { node.database.close() } }
        #expect(await speaker.hears(.anything))
        #expect(await listener.hears(.anything))
        func transactions() throws -> Int {
            Int(try fresh.server.psql(fresh.url, "SELECT pg_current_xact_id()").trimmingCharacters(in: .newlines)) ?? 0
        }
        let before = try transactions()
        for number in 0..<5000 { speaker.database.announce(.user("u\(number % 1000)")) }
        for number in 0..<1000 { #expect(await listener.hears(.user("u\(number)"))) }
        #expect(try transactions() - before < 100)
    }

    @Test func `a connection that was cut comes back, and then anything may have happened`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        let speaker = try Node(fresh), listener = try Node(fresh)
        defer { for node in [speaker, listener] { node.database.close() } }
        for round in 0..<3 {
            #expect(await speaker.hears(.anything))
            #expect(await listener.hears(.anything))
            speaker.database.announce(.user("u\(round)"))
            #expect(await listener.hears(.user("u\(round)")))
            for node in [speaker, listener] { node.forget() }
            _ = try fresh.server.psql(
                fresh.url,
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = 'latchkey news' AND datname = current_database()
                """
            )
        }
        #expect(await listener.hears(.anything))
        #expect(listener.events.contains { $0.hasPrefix("notifications from other nodes do not arrive") })
        #expect(listener.events.last == "notifications from other nodes arrive again")
    }

    @Test func `a connection that has gone silent is given up for another one`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        let node = try Node(fresh) { configuration in
            configuration.listenCheck = 200
            configuration.connectTimeout = 3000
            configuration.statementTimeout = 3000
        }
        defer { node.database.close() }
        #expect(await node.hears(.anything))
        let asked = try fresh.server.psql(
            fresh.url,
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'latchkey news' AND datname = current_database()"
        )
        let backend = try #require(pid_t(asked.trimmingCharacters(in: .newlines)))
        #expect(kill(backend, SIGSTOP) == 0)
        defer { kill(backend, SIGCONT) }
        node.forget()
        #expect(await node.hears(.anything))
    }

    @Test func `through a pooler no notification arrives, and past it every one does`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        let pooled = try PgBouncer.shared.get().url(to: fresh.url)
        let deaf = try Node(fresh) { configuration in
            configuration.url = pooled
            configuration.prepares = false
        }
        let nodes = try (0..<2).map { _ in
            try Node(fresh) { configuration in
                configuration.url = pooled
                configuration.prepares = false
                configuration.listenURL = fresh.url
            }
        }
        defer { for node in nodes + [deaf] { node.database.close() } }
        #expect(deaf.events.count { $0.contains("postgresql.listenURL") } == 1)
        for node in nodes { #expect(await node.hears(.anything)) }
        nodes[0].database.announce(.mail)
        #expect(await nodes[1].hears(.mail))
        #expect(deaf.heard.isEmpty)
    }
}

/// A node on a shared database, and the notifications it received.
private final class Node: Sendable {
    private struct State {
        var heard: Set<NodeNotification> = []
        var events: [String] = []
    }

    let database: PostgreSQLDatabase
    private let state: Shared

    private final class Shared: Sendable {
        let value = Mutex(State())
    }

    init(_ fresh: FreshPostgreSQL, _ adjust: (inout PostgreSQLConfiguration) -> Void = { _ in }) throws {
        var configuration = PostgreSQLConfiguration(url: fresh.url)
        configuration.connections = 1
        let shared = Shared()
        configuration.onEvent = { event in shared.value.withLock { $0.events.append(event.description) } }
        adjust(&configuration)
        state = shared
        database = try PostgreSQLDatabase(configuration, migrations: FreshPostgreSQL.schema)
        try database.subscribe { news in shared.value.withLock { $0.heard.formUnion(news) } }
    }

    var heard: Set<NodeNotification> { state.value.withLock { $0.heard } }
    var events: [String] { state.value.withLock { $0.events } }

    func forget() {
        state.value.withLock { $0.heard = [] }
    }

    /// Whether the node has received a notification, or does soon.
    func hears(_ news: NodeNotification) async -> Bool {
        (try? await eventually { heard.contains(news) }) == true
    }
}
