import DatabaseHarness
import Testing

@testable import Database

@Suite("SQL text")
struct SQLTests {
    @Test func `values become binds, numbered by place`() throws {
        let name = "x'; DROP TABLE users --"
        let sql: SQL = "SELECT \(name), \(1), \(nil as String?), \(false)"
        #expect(sql.values == [.text(name), .integer(1), .null, .integer(0)])
        #expect(String(decoding: try Dialect.sqlite.render(sql), as: UTF8.self) == "SELECT ?1, ?2, ?3, ?4")
        #expect(sql.description == "SELECT ?, ?, ?, ?")
    }

    @Test(arguments: [("users", "\"users\""), ("a\"b", "\"a\"\"b\""), ("größe", "\"größe\""), ("a;--", "\"a;--\"")])
    func `identifiers are quoted`(name: String, quoted: String) throws {
        #expect(String(decoding: try Dialect.sqlite.render("\(identifier: name)"), as: UTF8.self) == quoted)
    }

    @Test(arguments: ["", "a\u{0}b", "a\u{1}b", "a\nb"])
    func `identifiers that cannot be quoted are refused`(name: String) {
        #expect(throws: DatabaseError.self) { try Dialect.sqlite.render("SELECT * FROM \(identifier: name)") }
        let composed: SQL = "SELECT 1" + " FROM \(identifier: name)"
        #expect(throws: DatabaseError.self) { try Dialect.sqlite.render(composed) }
    }

    @Test func `fragments keep their binds when put together`() {
        var sql: SQL = "SELECT 1 WHERE a = \(1)"
        sql += " AND b = \("two")"
        let condition: SQL = "c = \(3)"
        let whole: SQL = "\(sql) AND (\(condition))" + " LIMIT \(4)"
        #expect(whole.description == "SELECT 1 WHERE a = ? AND b = ? AND (c = ?) LIMIT ?")
        #expect(whole.values == [.integer(1), .text("two"), .integer(3), .integer(4)])
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 4), (5, 8), (8, 8), (100, 128)])
    func `lists share texts by rounding up`(count: Int, slots: Int) {
        let sql: SQL = "\(in: (1...count).map { Int64($0) })"
        #expect(sql.values.count == slots)
        #expect(sql.values.last == .integer(Int64(count)))
    }

    @Test(arguments: Engine.ofThisRun)
    func `lists match what they hold, empty ones nothing`(engine: Engine) async throws {
        let fresh = try await engine.open()
        defer { fresh.remove() }
        func matches(_ condition: SQL) throws -> Bool {
            try fresh.database.readNow { try $0.first("SELECT 1 WHERE \(condition)") { _ in true } } ?? false
        }
        #expect(try matches("'b' IN \(in: ["a", "b", "c"])"))
        #expect(try !matches("'d' IN \(in: ["a", "b", "c"])"))
        #expect(try matches("'d' NOT IN \(in: ["a", "b", "c"])"))
        #expect(try matches("3 IN \(in: [1, 2, 3] as [Int64])"))
        #expect(try !matches("'a' IN \(in: [] as [String])"))
        #expect(try matches("'a' NOT IN \(in: [] as [String])"))
        #expect(try matches("1 NOT IN \(in: [] as [Int64])"))
    }

    @Test(arguments: Engine.ofThisRun)
    func `a lease takes due rows, each once`(engine: Engine) async throws {
        let fresh = try await engine.open()
        defer { fresh.remove() }
        let take: @Sendable (Transaction) throws -> [String] = { transaction in
            try transaction.all(
                transaction.dialect.lease(
                    from: "items",
                    setting: "amount = \(1)",
                    where: "amount = \(0)",
                    orderedBy: "id",
                    limit: 2,
                    lock: transaction.rowLockSkippingOthers(RowLock("leased items")),
                    returning: "key"
                )
            ) { try $0.text(0) }
        }
        try await fresh.database.write { try $0.execute("INSERT INTO items (key) VALUES ('a'), ('b'), ('c')") }
        #expect(try await fresh.database.write(take).sorted() == ["a", "b"])
        #expect(try await fresh.database.write(take) == ["c"])
        #expect(try await fresh.database.write(take).isEmpty)
    }

    @Test func `the words of migrations are expanded, unknown ones refused`() throws {
        #expect(try Dialect.sqlite.expand("a {{id}}, b {{text}} {c}") == "a INTEGER PRIMARY KEY, b TEXT {c}")
        for wrong in ["{{uuid}}", "{{text", "{{text}", "{{"] {
            #expect(throws: DatabaseError.self) { try Dialect.sqlite.expand(wrong) }
        }
    }
}
