import Accounts
import DatabaseHarness
import Foundation
import PostgreSQLHarness
import Testing

@testable import AccountDatabase
@testable import Database

/// `latchkey database copy` from either engine to either.
@Suite("Copies of whole databases", .enabled(if: TestDatabase.isEnginesTurn), .serialized) struct CopyTests {
    struct Way: Sendable, CustomTestStringConvertible {
        let from: TestDatabase.Engine
        let to: TestDatabase.Engine

        var testDescription: String { "\(from.rawValue) to \(to.rawValue)" }

        static let all = TestDatabase.Engine.allCases.flatMap { from in
            TestDatabase.Engine.allCases.map { Way(from: from, to: $0) }
        }
    }

    struct Cut: Error {}

    /// Texts that have to be escaped on the way between engines.
    static let oddities = """
        UPDATE users SET display_name = '\\N', photo_url = '', initial_email = '\\.', screen_name =
            'tab' || CHR(9) || 'line' || CHR(10) || 'return' || CHR(13) || 'back\\slash' || CHR(8) || CHR(11) || CHR(12)
            || CHR(1) || CHR(127) || 'Ünï–\u{1F9EE}', custom_attributes = '007' WHERE uid = 'ann';
        """

    private func world(_ engine: TestDatabase.Engine) throws -> Place {
        let place = try Place(engine)
        try place.tamper(Place.world)
        let chr = engine == .sqlite ? "CHAR(" : "CHR("
        try place.tamper(Self.oddities.replacing("CHR(", with: chr))
        return place
    }

    private func copy(_ source: DatabaseSnapshot, to place: Place, replaces: Bool = false) -> DatabaseCopy {
        switch place.engine {
        case .sqlite: DatabaseCopy(source, toSQLite: place.path, replaces: replaces)
        case .postgreSQL: DatabaseCopy(source, to: PostgreSQLConfiguration(url: place.url), replaces: replaces)
        }
    }

    @discardableResult
    private func run(
        _ source: Place,
        to target: Place,
        replaces: Bool = false,
        progress: (DatabaseCopy.Progress) throws -> Void = { _ in }
    ) throws -> [TableSum] {
        let snapshot = try source.snapshot()
        defer { snapshot.close() }
        return try copy(snapshot, to: target, replaces: replaces).run(Migration.embedded(), progress: progress)
    }

    /// Returns the content of a place, row by row.
    private func content(_ place: Place) throws -> [String: String] {
        let snapshot = try place.snapshot()
        defer { snapshot.close() }
        let reader = TableReader(connection: snapshot.connection, transaction: snapshot.transaction)
        return try reader.tables(OwnTables.copied).reduce(into: [:]) { content, table in
            var text: [UInt8] = []
            try reader.read(table) { text += $0.bytes }
            content[table.name] = String(decoding: text, as: UTF8.self)
        }
    }

    private func kind(_ body: () throws -> Void) -> DatabaseError.Kind? {
        do { try body() } catch { return (error as? DatabaseError)?.kind ?? .internal }
        return nil
    }

    @Test(arguments: Way.all)
    func `everything arrives as it was`(way: Way) throws {
        let source = try world(way.from), target = try Place(way.to, isEmpty: true)
        let before = try content(source)
        let sums = try run(source, to: target)
        #expect(Set(sums.map(\.table)) == Set(OwnTables.copied))
        #expect(sums.allSatisfy { $0.rows > 0 && $0.digest.count == 64 })
        #expect(try content(target) == before)
        #expect(try content(source) == before)
        let snapshot = try target.snapshot()
        #expect(try snapshot.transaction.check() == [])
        snapshot.close()

        let database = try target.open()
        defer { database.close() }
        let ann = try database.readNow { try $0.user("ann") }
        #expect(ann?.displayName == "\\N")
        #expect(ann?.customAttributes == "007")
        #expect(try database.readNow { try $0.setting("secret-check") } == "x")
    }

    @Test(arguments: TestDatabase.Engine.allCases)
    func `the same rows have the same sums on both engines`(engine: TestDatabase.Engine) throws {
        let source = try world(engine)
        let sums = try TestDatabase.Engine.allCases.map { try run(source, to: Place($0, isEmpty: true)) }
        #expect(sums[0] == sums[1])
    }

    @Test(arguments: Way.all)
    func `what comes after the copy gets new numbers`(way: Way) async throws {
        let source = try world(way.from), target = try Place(way.to, isEmpty: true)
        try run(source, to: target)
        let database = try target.open()
        defer { database.close() }
        try await database.write { transaction in
            try transaction.insert(Example.user)
            try transaction.insert(Example.session)
        }
        let number = try database.readNow {
            try $0.first("SELECT id FROM users WHERE uid = 'uid-1'") { try $0.integer(0) }
        }
        #expect(number == 3)
    }

    @Test func `a large table goes in several pieces and statements`() throws {
        let source = try world(.postgreSQL), target = try Place(.postgreSQL, isEmpty: true)
        try source.tamper(
            """
            INSERT INTO documents (id, uid, collection, name, bytes, version, created_at, updated_at, content)
                SELECT 1000 + i, 'ann', 'many', CAST(i AS TEXT), 1000, 1, 1, 1, repeat('x', 1000)
                FROM generate_series(1, 3000) AS i
            """
        )
        let snapshot = try source.snapshot()
        defer { snapshot.close() }
        let end = PostgreSQLCopyTarget(
            PostgreSQLConfiguration(url: target.url),
            replaces: false,
            obstacles: { _ in [] },
            rowsAtOnce: 300
        )
        var pieces = 0
        _ = try DatabaseCopy(snapshot, to: end).run(Migration.embedded()) { progress in
            if case .copying("documents", _, _) = progress { pieces += 1 }
        }
        #expect(pieces > 10)
        #expect(try content(target) == content(source))
    }

    @Test func `numbers that were given out are not given out again on PostgreSQL`() async throws {
        let source = try world(.postgreSQL), target = try Place(.postgreSQL, isEmpty: true)
        try source.tamper("SELECT setval(pg_get_serial_sequence('users', 'id'), 41)")
        try run(source, to: target)
        let database = try target.open()
        defer { database.close() }
        try await database.write { try $0.insert(Example.user) }
        let number = try database.readNow { try $0.first("SELECT MAX(id) FROM users") { try $0.integer(0) } }
        #expect(number == 42)
    }

    @Test(arguments: Way.all)
    func `a copy that is cut leaves nothing and may be repeated`(way: Way) throws {
        let source = try world(way.from), target = try Place(way.to, isEmpty: true)
        for stage in ["users", "sessions", "comparing"] {
            #expect(throws: Cut.self) {
                try run(source, to: target) { progress in
                    switch progress {
                    case .copying(let table, _, _): if table == stage { throw Cut() }
                    case .comparing: throw Cut()
                    }
                }
            }
            if way.to == .sqlite {
                #expect(!FileManager.default.fileExists(atPath: target.path))
                #expect(!FileManager.default.fileExists(atPath: target.path + ".copying"))
            } else {
                #expect(try content(target).values.allSatisfy(\.isEmpty))
            }
        }
        try run(source, to: target)
        #expect(try content(target) == content(source))
    }

    @Test func `a target whose replacing is cut goes on with its own numbers`() async throws {
        let source = try world(.sqlite), target = try Place(.postgreSQL)
        try target.tamper(
            """
            INSERT INTO users (id, uid, valid_since, created_at, last_login_at, last_refresh_at)
                VALUES (1000, 'old', 1, 1, 1, 1);
            SELECT setval(pg_get_serial_sequence('users', 'id'), 1000)
            """
        )
        let before = try content(target)
        #expect(throws: Cut.self) {
            try run(source, to: target, replaces: true) { if case .comparing = $0 { throw Cut() } }
        }
        #expect(try content(target) == before)
        let database = try target.open()
        defer { database.close() }
        try await database.write { try $0.insert(Example.user) }
        let number = try database.readNow { try $0.first("SELECT MAX(id) FROM users") { try $0.integer(0) } }
        #expect(number == 1001)
    }

    @Test func `both ends may be reached as a pooler wants it`() throws {
        let source = try world(.postgreSQL), target = try Place(.postgreSQL)
        func unprepared(_ place: Place) -> PostgreSQLConfiguration {
            var configuration = PostgreSQLConfiguration(url: place.url)
            configuration.prepares = false
            return configuration
        }
        let snapshot = try DatabaseSnapshot(
            unprepared(source),
            migrations: Migration.embedded(),
            tables: OwnTables.copied
        )
        defer { snapshot.close() }
        #expect(try snapshot.transaction.check() == [])
        _ = try DatabaseCopy(snapshot, to: unprepared(target), replaces: false).run(Migration.embedded())
        #expect(try content(target) == content(source))
        #expect(try !snapshot.wasOvertaken())
    }

    @Test func `a file that is in use by the time of its replacing stays`() throws {
        let source = try world(.postgreSQL), target = try world(.sqlite)
        var server: (any Database)?
        defer { server?.close() }
        let before = try content(target)
        #expect(
            kind {
                try run(source, to: target, replaces: true) { progress in
                    guard case .comparing = progress, server == nil else { return }
                    server = try target.open()
                }
            } == .misuse
        )
        #expect(try content(target) == before)
    }

    @Test(arguments: Way.all)
    func `rows that refer to nothing are not copied, and said to be the source's fault`(way: Way) throws {
        let source = try world(way.from), target = try Place(way.to, isEmpty: true)
        try source.tamper(
            "INSERT INTO documents (id, uid, collection, name, bytes, version, created_at, updated_at, content) "
                + "VALUES (999, 'nobody', 'a', 'b', 2, 1, 1, 1, '{}')"
        )
        let error = #expect(throws: DatabaseError.self) { try run(source, to: target) }
        #expect(error?.kind == .corrupt)
        #expect(error?.message.contains("database check") == true)
    }

    @Test func `what a killed copy left is taken over, and another one at work is not disturbed`() throws {
        let source = try world(.sqlite), target = try Place(.sqlite, isEmpty: true)
        try Data("half a file".utf8).write(to: URL(filePath: target.path + ".copying"))
        try run(source, to: target) { progress in
            guard case .comparing("users") = progress else { return }
            #expect(kind { try run(source, to: target) } == .busy)
        }
        #expect(try content(target) == content(source))
    }

    @Test(arguments: Way.all)
    func `a row that changes behind the copy's back is found`(way: Way) throws {
        let source = try world(way.from), target = try Place(way.to, isEmpty: way.to == .sqlite)
        if way.to == .postgreSQL {
            try target.tamper(
                """
                CREATE FUNCTION improve() RETURNS TRIGGER LANGUAGE plpgsql AS
                    $$ BEGIN NEW.name := NEW.name || '!'; RETURN NEW; END $$;
                CREATE TRIGGER improve BEFORE INSERT ON documents FOR EACH ROW EXECUTE FUNCTION improve()
                """
            )
        }
        var error: DatabaseError?
        do throws {
            try run(source, to: target) { progress in
                guard way.to == .sqlite, case .comparing("users") = progress else { return }
                let connection = try SQLiteConnection(path: target.path + ".copying", busyTimeout: 0, cacheLimit: 1)
                defer { connection.close() }
                try connection.runScript("UPDATE documents SET name = name || '!'")
            }
        } catch let failure { error = failure as? DatabaseError }
        #expect(error?.kind == .corrupt)
        #expect(error?.message.contains("documents") == true)
        if way.to == .sqlite {
            #expect(!FileManager.default.fileExists(atPath: target.path))
        } else {
            #expect(try content(target).values.allSatisfy(\.isEmpty))
        }
    }

    @Test(arguments: Way.all)
    func `a target with something in it is replaced only when asked`(way: Way) throws {
        let source = try world(way.from), target = try Place(way.to)
        try target.tamper("INSERT INTO settings (name, value, updated_at) VALUES ('a', 'b', 1)")
        let before = try content(target)
        #expect(kind { try run(source, to: target) } == .misuse)
        #expect(try content(target) == before)
        try run(source, to: target, replaces: true)
        #expect(try content(target) == content(source))
        // Again, onto a target that is identical by now.
        #expect(kind { try run(source, to: target) } == .misuse)
        try run(source, to: target, replaces: true)
        #expect(try content(target) == content(source))
    }

    @Test(arguments: TestDatabase.Engine.allCases)
    func `tables of the operator's are neither copied nor touched`(engine: TestDatabase.Engine) throws {
        let todos = "CREATE TABLE todos (id INTEGER, uid TEXT REFERENCES users (uid) ON DELETE CASCADE)"
        let source = try world(engine), target = try world(engine)
        try source.tamper(todos)
        let snapshot = try source.snapshot()
        #expect(try snapshot.operatorsTables() == ["todos"])
        snapshot.close()
        try target.tamper("\(todos); INSERT INTO todos VALUES (1, 'ann')")
        #expect(kind { try run(source, to: target, replaces: true) } == .misuse)
        let after = try target.snapshot()
        defer { after.close() }
        #expect(try after.transaction.first("SELECT COUNT(*) FROM todos") { try $0.integer(0) } == 1)
    }

    @Test(arguments: ["VIRTUAL TABLE words USING dbstat", "VIEW words AS SELECT uid FROM users"])
    func `what an operator has in a file beside tables is named, and not replaced`(words: String) throws {
        let source = try world(.sqlite), target = try world(.sqlite)
        try target.tamper("CREATE \(words)")
        #expect(kind { try run(source, to: target, replaces: true) } == .misuse)
        let snapshot = try target.snapshot()
        defer { snapshot.close() }
        #expect(try snapshot.operatorsTables() == ["words"])
    }

    @Test func `a file that is known by a link is replaced where it is`() throws {
        let source = try world(.sqlite), target = try world(.sqlite), link = try Place(.sqlite, isEmpty: true)
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: target.path)
        let server = try target.open()
        #expect(kind { try run(source, to: link, replaces: true) } == .misuse, "a server is at work in it")
        server.close()
        try run(source, to: link, replaces: true)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == target.path)
        #expect(try content(target) == content(source))
    }

    @Test func `a file that has its name already is not emptied by the next copy`() throws {
        let source = try world(.sqlite), target = try world(.sqlite)
        let before = try content(target)
        // The state left by a copy that was killed after it created one name and before it removed the other.
        try FileManager.default.linkItem(atPath: target.path, toPath: target.path + ".copying")
        #expect(kind { try run(source, to: target, replaces: true) } == .busy)
        #expect(try content(target) == before)
        try run(source, to: target, replaces: true)
        #expect(try content(target) == content(source))
    }

    @Test func `a server's database on which servers are running is not replaced`() throws {
        let source = try world(.sqlite), target = try world(.postgreSQL)
        let before = try content(target)
        let server = try target.open()
        try server.subscribe { _ in }
        let deadline = Deadline(in: 10_000)
        let asked: SQL = """
            SELECT 1 FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = \(NotificationChannel.applicationName)
            """
        while try server.readNow({ try $0.first(asked) { _ in true } }) == nil, !deadline.isOver { usleep(20_000) }
        #expect(kind { try run(source, to: target, replaces: true) } == .busy)
        #expect(try content(target) == before)
        server.close()
        try run(source, to: target, replaces: true)
        #expect(try content(target) == content(source))
    }

    @Test func `rows of tables that inherit from ours are not removed`() throws {
        let source = try world(.sqlite), target = try world(.postgreSQL)
        try target.tamper(
            "CREATE TABLE archive () INHERITS (documents); INSERT INTO archive SELECT * FROM ONLY documents"
        )
        // They count as rows of the product's tables, so that the copy differs from the source.
        #expect(throws: DatabaseError.self) { try run(source, to: target, replaces: true) }
        let after = try target.snapshot()
        defer { after.close() }
        #expect(try after.transaction.first("SELECT COUNT(*) FROM archive") { try $0.integer(0) } == 2)
    }

    @Test func `a role that may not see all rows does not copy some`() throws {
        let source = try world(.postgreSQL), target = try Place(.sqlite, isEmpty: true)
        let role = "half_blind_\(UInt32.random(in: 0 ... .max))"
        try source.tamper(
            """
            CREATE ROLE \(role) LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role);
            GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO \(role);
            ALTER TABLE users ENABLE ROW LEVEL SECURITY; CREATE POLICY half ON users USING (uid = 'ann')
            """
        )
        defer { try? source.tamper("DROP OWNED BY \(role); DROP ROLE \(role)") }
        let url = source.url.replacing("//latchkey@", with: "//\(role)@")
        let snapshot = try DatabaseSnapshot(
            PostgreSQLConfiguration(url: url),
            migrations: Migration.embedded(),
            tables: OwnTables.copied
        )
        defer { snapshot.close() }
        let error = #expect(throws: DatabaseError.self) {
            try copy(snapshot, to: target).run(Migration.embedded()) { _ in }
        }
        #expect(error?.message.contains("row-level security") == true)
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }

    @Test(arguments: TestDatabase.Engine.allCases)
    func `a database is not copied onto itself`(engine: TestDatabase.Engine) throws {
        let place = try world(engine)
        #expect(kind { try run(place, to: place, replaces: true) } == .misuse)
        #expect(try content(place)["users"]?.isEmpty == false)
    }

    @Test func `a file that is not ours is not replaced`() throws {
        let source = try world(.sqlite), target = try Place(.sqlite, isEmpty: true)
        try Data().write(to: URL(filePath: target.path))
        try target.tamper("PRAGMA application_id = 7")
        #expect(kind { try run(source, to: target, replaces: true) } == .misuse)
    }

    @Test func `a server's database of another version is left alone`() throws {
        let source = try world(.sqlite), target = try Place(.postgreSQL)
        try target.tamper(
            "INSERT INTO schema_migrations (number, name, checksum, applied_at) VALUES (99, 'later', 'x', 1)"
        )
        #expect(kind { try run(source, to: target, replaces: true) } == .schema)
    }

    @Test(arguments: Way.all)
    func `the copy is of one moment, and tells of what came later`(way: Way) throws {
        let source = try world(way.from), target = try Place(way.to, isEmpty: true)
        let before = try content(source)
        let snapshot = try source.snapshot()
        defer { snapshot.close() }
        var hasWritten = false
        _ = try copy(snapshot, to: target).run(Migration.embedded()) { _ in
            guard !hasWritten else { return }
            hasWritten = true
            try source.tamper(
                """
                INSERT INTO former_users (uid, created_at, gone_at) VALUES ('late', 1, 1) ON CONFLICT DO NOTHING;
                DELETE FROM usernames; DELETE FROM documents
                """
            )
        }
        #expect(try content(target) == before)
        #expect(try snapshot.wasOvertaken())
        let calm = try source.snapshot()
        defer { calm.close() }
        #expect(try !calm.wasOvertaken())
    }

    @Test func `a text is written as PostgreSQL writes it, and read as it was`() throws {
        let values: [SQLValue] = [
            .null, .integer(-7), .text(""), .text("\\N"), .text("a\tb\nc\rd\\e\u{8}\u{B}\u{C}\u{1}"), .text("\\."),
        ]
        var line: [UInt8] = []
        for (index, value) in values.enumerated() {
            if index > 0 { line.append(RowText.separator) }
            try RowText.append(value, to: &line)
        }
        line.append(RowText.end)
        #expect(
            String(decoding: line, as: UTF8.self)
                == "\\N\t-7\t\t\\\\N\ta\\tb\\nc\\rd\\\\e\\b\\v\\f\u{1}\t\\\\.\n"
        )
        var rows: [[SQLValue]] = []
        try RowText.parse(line + line) { rows.append($0) }
        let expected = values.map { $0 == .integer(-7) ? .text("-7") : $0 }
        #expect(rows == [expected, expected])
    }
}
