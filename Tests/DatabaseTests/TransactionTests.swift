import DatabaseHarness
import Testing

@testable import Database

@Suite("Transactions")
struct TransactionTests {
    @Test(arguments: Engine.ofThisRun)
    func `values come back as they went in`(engine: Engine) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        let database = items.database
        let note = "Grüße, 世界 \u{1F511} '\"; DROP TABLE items --"
        let missing: String? = nil
        try await database.write { transaction in
            try transaction.execute("INSERT INTO items (key, amount, note) VALUES (\("a"), \(7), \(note))")
            try transaction.execute("INSERT INTO items (key, amount, note) VALUES (\("b"), \(Int64.max), \(missing))")
            try transaction.execute("INSERT INTO items (key, amount, note) VALUES (\("c"), \(true), \(""))")
        }
        let rows = try await database.read { transaction in
            try transaction.all("SELECT key, amount, note FROM items ORDER BY key") { row in
                "\(try row.text(0)) \(try row.integer(1)) \(try row.optionalText(2) ?? "NULL")"
            }
        }
        #expect(rows == ["a 7 \(note)", "b \(Int64.max) NULL", "c 1 "])
    }

    @Test(arguments: Engine.ofThisRun)
    func `execute tells how many rows changed, first gives back what was inserted`(engine: Engine) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        let database = items.database
        let (inserted, changed, none) = try await database.write { transaction in
            let id = try transaction.first("INSERT INTO items (key) VALUES ('a'), ('b') RETURNING id") {
                try $0.integer(0)
            }
            return (
                id, try transaction.execute("UPDATE items SET amount = 5 WHERE key IN \(in: ["a", "b", "c"])"),
                try transaction.execute("UPDATE items SET amount = 5 WHERE key = \("zzz")")
            )
        }
        #expect(inserted == 1)
        #expect(changed == 2)
        #expect(none == 0)
        #expect(try database.readNow { try $0.first("SELECT count(*) FROM items") { try $0.integer(0) } } == 2)
    }

    @Test(.sqlite) func `a column of another type, NULL or out of range is an error`() async throws {
        let fresh = try Fresh()
        defer { fresh.remove() }
        func read(_ body: @escaping @Sendable (borrowing Row) throws -> Void) async -> DatabaseError.Kind? {
            await kind {
                try fresh.database.readNow { _ = try $0.first("SELECT 'x', 1, NULL, 1.5, CAST(x'ff' AS TEXT)", body) }
            }
        }
        #expect(await read { _ = try $0.text(0) } == nil)
        #expect(await read { _ = try $0.integer(0) } == .misuse)
        #expect(await read { _ = try $0.text(1) } == .misuse)
        #expect(await read { _ = try $0.text(2) } == .misuse)
        #expect(await read { _ = try $0.integer(2) } == .misuse)
        #expect(await read { _ = try $0.integer(3) } == .misuse)
        #expect(await read { _ = try $0.text(4) } == .invalidText)
        #expect(await read { _ = try $0.text(5) } == .misuse)
        #expect(await read { _ = try $0.text(-1) } == .misuse)
        #expect(await read { if try $0.optionalText(2) != nil { throw CancellationError() } } == nil)
    }

    @Test(arguments: Engine.ofThisRun)
    func `U+0000 in a bound text is refused`(engine: Engine) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        let text = "a\u{0}b"
        #expect(await kind { try items.database.readNow { try $0.execute("SELECT \(text)") } } == .invalidText)
        let inserted = await kind {
            try await items.database.write { try $0.execute("INSERT INTO items (key) VALUES (\(text))") }
        }
        #expect(inserted == .invalidText)
        #expect(try items.count() == 0)
    }

    @Test(arguments: Engine.ofThisRun)
    func `the clock stands still within a transaction and is the configured one`(engine: Engine) async throws {
        let fresh = try await engine.open(clock: { 1_234_567 })
        defer { fresh.remove() }
        #expect(try await fresh.database.write { $0.now } == 1_234_567)
        #expect(try fresh.database.readNow { $0.now } == 1_234_567)
        #expect(try await fresh.database.read { $0.now } == 1_234_567)
    }

    @Test(arguments: Engine.ofThisRun)
    func `catching an SQL error and going on keeps nothing`(engine: Engine) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        let result = await kind {
            try await items.database.write { transaction in
                try transaction.execute("INSERT INTO items (key) VALUES ('kept?')")
                _ = try? transaction.execute("INSERT INTO items (key) VALUES ('kept?')")
            }
        }
        #expect(result == .constraint(.unique))
        #expect(try items.count() == 0)
    }

    @Test(arguments: Engine.ofThisRun)
    func `a transaction is dead after its closure`(engine: Engine) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        let escaped = try items.database.readNow { $0 }
        #expect(throws: DatabaseError.self) { try escaped.execute("SELECT 1") }
    }

    @Test(arguments: Engine.ofThisRun)
    func `a closure cannot steer the connection`(engine: Engine) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        let statements: [SQL] = [
            "COMMIT", "rollback", "  BEGIN", "SAVEPOINT x", "PRAGMA foreign_keys = OFF", "ATTACH 'x' AS y",
        ]
        for statement in statements {
            #expect(await kind { try await items.database.write { try $0.execute(statement) } } == .misuse)
            #expect(await kind { try items.database.readNow { try $0.execute(statement) } } == .misuse)
            #expect(await kind { try await items.database.write { try $0.enqueue(statement) } } == .misuse)
        }
    }

    @Test(arguments: Engine.ofThisRun)
    func `readers cannot write`(engine: Engine) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        let insert: SQL = "INSERT INTO items (key) VALUES ('a')"
        #expect(await kind { try items.database.readNow { try $0.execute(insert) } } == .readOnly)
        if engine == .sqlite {
            // If each statement stood alone, PostgreSQL would need two round trips.
            #expect(await kind { try items.database.readNow(snapshot: false) { try $0.execute(insert) } } == .readOnly)
        }
        #expect(await kind { try await items.database.read { try $0.execute(insert) } } == .readOnly)
        #expect(try items.count() == 0)
    }

    @Test(arguments: Engine.ofThisRun)
    func `constraints are told apart`(engine: Engine) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        func write(_ sql: SQL) async -> DatabaseError.Kind? {
            await kind { try await items.database.write { try $0.execute(sql) } }
        }
        #expect(await write("INSERT INTO items (key) VALUES ('a')") == nil)
        #expect(await write("INSERT INTO items (key) VALUES ('a')") == .constraint(.unique))
        #expect(await write("INSERT INTO items (id, key) SELECT id, 'b' FROM items") == .constraint(.unique))
        #expect(await write("INSERT INTO items (key) VALUES (NULL)") == .constraint(.notNull))
        #expect(await write("INSERT INTO items (key, amount) VALUES ('b', -1)") == .constraint(.check))
        let wrongType: DatabaseError.Kind = engine == .sqlite ? .constraint(.check) : .misuse
        #expect(await write("INSERT INTO items (key, amount) VALUES ('b', 'x')") == wrongType)
        #expect(await write("INSERT INTO items (key, owner) VALUES ('b', 9)") == .constraint(.foreignKey))
        #expect(await write("INSERT INTO items (key) VALUES ('forbidden')") == .constraint(.trigger))
        #expect(await write("INSERT INTO nowhere DEFAULT VALUES") == .misuse)
        #expect(await write("SELECT \"no such column\" FROM items") == .misuse)
        #expect(await write("SELECT 1; SELECT 2") == .misuse)
        #expect(await write("") == .misuse)
    }

    @Test(arguments: Engine.ofThisRun)
    func `an error names the statement and no value`(engine: Engine) async throws {
        let fresh = try await engine.open()
        defer { fresh.remove() }
        let secret = "hunter2"
        _ = try await fresh.database.write { try $0.execute("INSERT INTO items (key) VALUES (\(secret))") }
        do {
            _ = try await fresh.database.write { try $0.execute("INSERT INTO items (key) VALUES (\(secret))") }
            Issue.record("inserted twice")
        } catch {
            #expect("\(error)".contains("INSERT INTO items (key) VALUES (?)"))
            #expect("\(error)".contains(engine == .sqlite ? "items.key" : "items_key_key"))
            #expect(!"\(error)".contains(secret))
        }
    }

    /// Ways to write, each in a closure that prefetches.
    enum Write: CaseIterable {
        case execute, enqueue, returning, attempt, dryRun

        func callAsFunction(_ transaction: Transaction) throws {
            let sql: SQL = "INSERT INTO items (key) VALUES ('a')"
            switch self {
            case .execute: try transaction.execute(sql)
            case .enqueue: try transaction.enqueue(sql)
            case .returning: _ = try transaction.first(sql + " RETURNING id") { try $0.integer(0) }
            case .attempt: _ = try transaction.attempt(sql) { _ in true }
            case .dryRun: try transaction.dryRun { _ = try $0.execute(sql) }
            }
        }
    }

    @Test(arguments: Engine.ofThisRun, Write.allCases)
    func `a closure that prefetches cannot write`(engine: Engine, write: Write) async throws {
        let items = try await engine.open()
        defer { items.remove() }
        let alone = await kind {
            try await items.database.write { transaction in try transaction.prefetch { try write($0) } }
        }
        #expect(alone == .misuse)
        let beside = await kind {
            try await items.database.write { transaction in
                let change: SQL = "INSERT INTO items (key) VALUES ('b') RETURNING id"
                _ = try transaction.all(change, { try $0.integer(0) }, beside: { try write($0) })
            }
        }
        #expect(beside == .misuse)
        // Only once it knows what the query says.
        let late = await kind {
            try await items.database.write { transaction in
                let change: SQL = "INSERT INTO items (key) VALUES ('b') RETURNING id"
                _ = try transaction.all(change, { try $0.integer(0) }) { transaction in
                    guard try transaction.first("SELECT 1", { try $0.integer(0) }) == 1 else { return }
                    try write(transaction)
                }
            }
        }
        #expect(late == .misuse)
        #expect(try items.count() == 0)
        // Writing is possible afterwards.
        try await items.database.write { transaction in
            try transaction.prefetch { _ = try $0.first("SELECT 1") { _ in } }
            try transaction.enqueue("INSERT INTO items (key) VALUES ('c')")
        }
        #expect(try items.count() == 1)
    }
}
