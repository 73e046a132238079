import DatabaseHarness
import Foundation
import PostgreSQLHarness
import Testing

@testable import Database

@Suite("PostgreSQL engine", .enabled(if: TestDatabase.isEnginesTurn))
struct EngineTests {
    @Test func `a closure that throws changes nothing, and the connection goes on`() async throws {
        let fresh = try FreshPostgreSQL { $0.connections = 1 }
        defer { fresh.remove() }
        for _ in 0..<3 {
            await #expect(throws: CancellationError.self) {
                try await fresh.database.write { transaction in
                    try transaction.enqueue("INSERT INTO items (key) VALUES ('a')")
                    _ = try transaction.first("SELECT 1") { _ in }
                    try transaction.enqueue("INSERT INTO items (key) VALUES ('b')")
                    throw CancellationError()
                }
            }
        }
        #expect(try fresh.count() == 0)
        try await fresh.database.write { try $0.enqueue("INSERT INTO items (key) VALUES ('a')") }
        #expect(try fresh.count() == 1)
    }

    @Test func `the error of an enqueued change comes out of the commit`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        try await fresh.database.write { try $0.enqueue("INSERT INTO items (key) VALUES ('a')") }
        let error = await kind {
            try await fresh.database.write { transaction in
                try transaction.enqueue("INSERT INTO items (key) VALUES ('b')")
                try transaction.enqueue("INSERT INTO items (key) VALUES ('a')")
                try transaction.enqueue("INSERT INTO items (key) VALUES ('c')")
            }
        }
        #expect(error == .constraint(.unique))
        #expect(try fresh.count() == 1)
    }

    @Test func `a violation that was reckoned with does no harm to the transaction`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        let found = try await fresh.database.write { transaction in
            try transaction.enqueue("INSERT INTO items (key) VALUES ('a')")
            let second = try transaction.attempt("INSERT INTO items (key) VALUES ('a')") { _ in true }
            let third = try transaction.attempt("INSERT INTO items (key) VALUES ('b')") { _ in true }
            return [second, third]
        }
        #expect(found == [nil, 1])
        #expect(try fresh.count() == 2)
    }

    @Test func `arrays of texts arrive as they are`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        let texts: [String?] = [
            "a", "", nil, "NULL", "{}", "a,b", " a ", #"a"b"#, #"a\b"#, #"\""#, "\n\t", "\u{1F600} é", "'",
        ]
        let found = try await fresh.database.read { transaction in
            try transaction.all("SELECT k FROM unnest(\(Dialect.array(texts))) WITH ORDINALITY AS t (k, n) ORDER BY n")
            {
                try $0.optionalText(0)
            }
        }
        #expect(found == texts)
        let none = try await fresh.database.read { transaction in
            try transaction.all("SELECT k FROM unnest(\(Dialect.array([String]()))) AS k") { try $0.text(0) }
        }
        #expect(none == [])
    }

    @Test func `a statement that the server knows is not told again, however often it fails`() async throws {
        let fresh = try FreshPostgreSQL { $0.connections = 1 }
        defer { fresh.remove() }
        var kinds: [DatabaseError.Kind?] = []
        for _ in 0..<6 {
            kinds.append(
                await kind {
                    try await fresh.database.write { try $0.enqueue("INSERT INTO items (key) VALUES ('once')") }
                }
            )
        }
        #expect(kinds.dropFirst().allSatisfy { $0 == .constraint(.unique) } && kinds[0] == nil)
        let known = try await fresh.database.write { transaction in
            try transaction.first(
                "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%''once''%'"
            ) {
                try $0.integer(0)
            }
        }
        // The asking connection is included.
        #expect(known == 2)
    }

    @Test func `the server keeps no more statements than it was told to, though many fail`() async throws {
        let fresh = try FreshPostgreSQL {
            $0.connections = 1
            $0.statementCacheLimit = 8
        }
        defer { fresh.remove() }
        for number in 0..<40 {
            let kind = await kind {
                // Valid as far as the server knows when it prepares the statement.
                try await fresh.database.write { try $0.execute("SELECT 1 / 0 AS \(identifier: "no\(number)")") }
            }
            #expect(kind == .misuse)
            try await fresh.database.write { try $0.enqueue("INSERT INTO items (key) VALUES (\("k\(number)"))") }
            let count = try await fresh.database.write {
                try $0.first("SELECT count(*) FROM pg_prepared_statements") { try $0.integer(0) }
            }
            #expect(try #require(count) <= 8)
        }
        #expect(try fresh.count() == 40)
    }

    @Test func `what the server does not offer is no conflict, and a plan that is out of date is one`() async throws {
        let fresh = try FreshPostgreSQL { $0.connections = 1 }
        defer { fresh.remove() }
        let refused = await fresh.database.outcome(of: { transaction in
            try transaction.execute("DO $$ BEGIN RAISE EXCEPTION 'never' USING ERRCODE = '0A000'; END $$")
        })
        #expect(refused.kind == .misuse)
        let items: SQL = "SELECT * FROM items"
        for _ in 0..<2 { try await fresh.database.write(kind: "all") { _ = try $0.first(items) { _ in } } }
        try fresh.server.psql(fresh.url, "ALTER TABLE items ADD COLUMN later TEXT")
        try await fresh.database.write(kind: "all") { _ = try $0.first(items) { _ in } }
        #expect(fresh.database.transactionStatistics.first { $0.kind == "all" }?.repeats == 1)
        #expect(fresh.database.transactionStatistics.reduce(0) { $0 + $1.repeats } == 1)
    }

    @Test(arguments: [true, false])
    func `binary data is read as it is, whatever the database says of its form`(_ prepares: Bool) async throws {
        let fresh = try FreshPostgreSQL { $0.prepares = prepares }
        defer { fresh.remove() }
        try fresh.server.psql(
            fresh.url,
            "ALTER DATABASE \(fresh.url.split(separator: "/").last ?? "") SET bytea_output = escape"
        )
        var configuration = PostgreSQLConfiguration(url: fresh.url)
        configuration.prepares = prepares
        let database = try PostgreSQLDatabase(configuration, migrations: FreshPostgreSQL.schema)
        defer { database.close() }
        let bytes = try await database.read { try $0.first("SELECT 'abcdef'::bytea") { try $0.value(0) } }
        #expect(bytes == .blob(Array("abcdef".utf8)))
    }

    @Test func `a conflict in a dry run repeats the closure`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        let runs = Acknowledged()
        try await fresh.database.write { transaction in
            guard runs.add() == 1 else { return }
            _ = try transaction.dryRun {
                try $0.execute("DO $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = '40001'; END $$")
            }
        }
        #expect(runs.add() == 3)
    }

    @Test func `a dry run changes nothing`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        try await fresh.database.write { transaction in
            try transaction.enqueue("INSERT INTO items (key) VALUES ('a')")
            let count = try transaction.dryRun { dryRun in
                try dryRun.execute("INSERT INTO items (key) VALUES ('b')")
                return try dryRun.first("SELECT count(*) FROM items") { try $0.integer(0) }
            }
            #expect(count == 2)
        }
        #expect(try fresh.count() == 1)
    }

    @Test func `counters that all raise at once miss nothing`() async throws {
        let fresh = try FreshPostgreSQL { $0.patience = 60_000 }
        defer { fresh.remove() }
        try await fresh.database.write { try $0.enqueue("INSERT INTO items (key) VALUES ('a')") }
        let database = fresh.database
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await database.write(kind: "raise") { transaction in
                        let amount = try transaction.first("SELECT amount FROM items WHERE key = 'a'") {
                            try $0.integer(0)
                        }
                        _ = try transaction.first("SELECT CAST(pg_sleep(0.002) AS TEXT)") { _ in }
                        try transaction.enqueue("UPDATE items SET amount = \((amount ?? 0) + 1) WHERE key = 'a'")
                    }
                }
            }
            try await group.waitForAll()
        }
        let amount = try database.readNow { try $0.first("SELECT amount FROM items") { try $0.integer(0) } }
        #expect(amount == 100)
        let counted = try #require(database.transactionStatistics.first { $0.kind == "raise" })
        #expect(counted.closures == 100)
        #expect(counted.repeats > 0)
        #expect(counted.failures == 0)
    }

    @Test func `a closure that blocks others for too long is given up, and counted`() async throws {
        let fresh = try FreshPostgreSQL { $0.patience = 5_000 }
        defer { fresh.remove() }
        let database = fresh.database
        let error = await kind {
            try await database.write(kind: "hopeless") { transaction in
                _ = try transaction.first("SELECT 1") { _ in }
                throw DatabaseError(.misuse, message: "")
            }
        }
        #expect(error == .misuse)
        let busy = await kind {
            try await database.write(kind: "hopeless") { transaction in
                try transaction.execute("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$")
            }
        }
        #expect(busy == .busy)
        let counted = try #require(database.transactionStatistics.first { $0.kind == "hopeless" })
        #expect(counted.closures == 2)
        #expect(counted.repeats >= 3)
        #expect(counted.failures == 1)
    }

    @Test func `a hundred transactions of three nodes that lock each other out all come about`() async throws {
        // A server that checks for deadlocks early, because most of the time is spent waiting for that.
        let server = try PostgreSQLServer(["deadlock_timeout=50ms"])
        defer { try? server.stop("immediate") }
        let fresh = try FreshPostgreSQL(on: server) { $0.patience = 60_000 }
        defer { fresh.remove() }
        var configuration = PostgreSQLConfiguration(url: fresh.url)
        configuration.patience = 60_000
        let others = try (0..<2).map { [configuration] _ in
            try PostgreSQLDatabase(configuration, migrations: FreshPostgreSQL.schema)
        }
        defer { for other in others { other.close() } }
        let nodes = [fresh.database] + others
        try await fresh.database.write { try $0.enqueue("INSERT INTO items (key) VALUES ('a'), ('b')") }
        let ended = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let keys = number.isMultiple(of: 2) ? ["a", "b"] : ["b", "a"]
                    return await kind {
                        try await nodes[number % 3].write { transaction in
                            for key in keys {
                                try transaction.execute("UPDATE items SET amount = amount + 1 WHERE key = \(key)")
                            }
                        }
                    } == nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(ended == 100)
        let amounts = try fresh.database.readNow { try $0.all("SELECT amount FROM items") { try $0.integer(0) } }
        #expect(amounts == [100, 100])
    }

    @Test func `ten nodes that start at once make one schema`() async throws {
        let server = try PostgreSQLServer.shared.get()
        let url = try server.makeDatabase()
        defer { server.removeDatabase(url) }
        let more = (2...10).map { Migration(number: $0, name: "t", sql: "CREATE TABLE t\($0) (id {{id}});") }
        let steps = FreshPostgreSQL.schema + more
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    var configuration = PostgreSQLConfiguration(url: url)
                    configuration.connections = 1
                    try PostgreSQLDatabase(configuration, migrations: steps).close()
                }
            }
            try await group.waitForAll()
        }
        let recorded = try server.psql(url, "SELECT count(*) FROM schema_migrations")
        #expect(recorded == "10")
    }

    @Test func `a newer schema, and one that others made, stop the start`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        var configuration = PostgreSQLConfiguration(url: fresh.url)
        configuration.connections = 1
        #expect(await kind { try PostgreSQLDatabase(configuration, migrations: []) } == .schema)
        let other = Migration(number: 1, name: "other", sql: "CREATE TABLE other (id {{id}});")
        #expect(await kind { try PostgreSQLDatabase(configuration, migrations: [other]) } == .schema)
    }

    @Test func `a server that confirms before it has stored is refused`() async throws {
        let server = try PostgreSQLServer.shared.get()
        let url = try server.makeDatabase()
        defer { server.removeDatabase(url) }
        let name = url.split(separator: "/").last ?? ""
        try server.psql(url, "ALTER DATABASE \(name) SET synchronous_commit = off")
        #expect(await kind { try PostgreSQLDatabase(PostgreSQLConfiguration(url: url), migrations: []) } == .misuse)
    }

    @Test func `text is what it is, whatever role, database or URL take it for`() async throws {
        let server = try PostgreSQLServer.shared.get()
        let url = try server.makeDatabase()
        defer { server.removeDatabase(url) }
        let name = url.split(separator: "/").last ?? ""
        try server.psql(url, "ALTER DATABASE \(name) SET client_encoding = 'LATIN1'")
        for url in [url, url + "?client_encoding=LATIN1"] {
            let configuration = PostgreSQLConfiguration(url: url)
            let database = try PostgreSQLDatabase(configuration, migrations: FreshPostgreSQL.schema)
            defer { database.close() }
            try await database.write { try $0.enqueue("INSERT INTO items (key) VALUES ('日本')") }
            let plain = url.replacing("?client_encoding=LATIN1", with: "")
            #expect(try server.psql(plain, "SELECT count(*) FROM items WHERE key = U&'\\65E5\\672C'") == "1")
            try server.psql(plain, "DELETE FROM items")
        }
    }

    @Test func `a database that cannot hold all names is refused`() async throws {
        let server = try PostgreSQLServer.shared.get()
        let url = try server.makeDatabase()
        defer { server.removeDatabase(url) }
        let name = "latin_\(UInt32.random(in: 0...UInt32.max))"
        try server.psql(
            url,
            "CREATE DATABASE \(name) ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
        )
        let latin = url.replacing(url.split(separator: "/").last ?? "", with: name)
        defer { server.removeDatabase(latin) }
        #expect(await kind { try PostgreSQLDatabase(PostgreSQLConfiguration(url: latin), migrations: []) } == .misuse)
    }

    @Test func `a server that is not there is said so at once`() async throws {
        let configuration = PostgreSQLConfiguration(url: "postgresql://nobody:hunter2@127.0.0.1:1/none")
        do {
            _ = try PostgreSQLDatabase(configuration, migrations: [])
            Issue.record("it opened")
        } catch let error as DatabaseError {
            #expect(error.kind == .unavailable)
            #expect(!"\(error)".contains("hunter2"))
        }
    }

    @Test func `after the server was restarted or has crashed everything goes on`() async throws {
        let server = try PostgreSQLServer()
        defer { try? server.stop("immediate") }
        let fresh = try FreshPostgreSQL(on: server)
        defer { fresh.remove() }
        for (number, mode) in ["fast", "immediate"].enumerated() {
            try await fresh.database.write { try $0.enqueue("INSERT INTO items (key) VALUES (\("k\(number)"))") }
            try server.stop(mode)
            let outcome = await fresh.database.outcome(of: { try $0.enqueue("DELETE FROM items") })
            #expect(outcome.kind == .unavailable)
            // Less than the 10 s for which a call may wait otherwise.
            #expect(outcome.took < 9_000)
            try server.start()
            #expect(try await eventually { try fresh.count() == Int64(number + 1) })
        }
    }

    @Test func `a question to a server that has gone silent ends in time`() async throws {
        let fresh = try FreshPostgreSQL { $0.statementTimeout = 500 }
        defer { fresh.remove() }
        let outcome = await fresh.database.outcome(of: { _ = try $0.first("SELECT pg_sleep(30)") { _ in } })
        #expect(outcome.kind == .timeout)
        #expect(outcome.took < 20_000)
        #expect(try fresh.count() == 0)
    }

    @Test func `nodes go by the server's clock`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        func time(_ transaction: Transaction) throws -> Int64 {
            try transaction.first("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)") {
                try $0.integer(0)
            } ?? 0
        }
        let before = try fresh.database.readNow(time)
        let ours = fresh.database.now
        let after = try fresh.database.readNow(time)
        #expect((before - 50...after + 50).contains(ours))
    }

    @Test func `more statements than ride together, and their answers, all arrive`() async throws {
        let fresh = try FreshPostgreSQL()
        defer { fresh.remove() }
        let long = String(repeating: "x", count: 20_000)
        try await fresh.database.write { transaction in
            for number in 0..<2_000 {
                try transaction.enqueue("INSERT INTO items (key, note) VALUES (\("k\(number)"), \(long))")
            }
        }
        let notes = try await fresh.database.read { try $0.all("SELECT note FROM items") { try $0.text(0).utf8.count } }
        #expect(notes == Array(repeating: 20_000, count: 2_000))
    }
}
