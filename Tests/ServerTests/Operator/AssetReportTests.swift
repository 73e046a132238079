import Database
import Foundation
import PostgreSQLHarness
import Server
import Testing

@Suite("Operator's own tables")
struct AssetReportTests {
    /// Only SQLite attaches files.
    private static let file = """
        { sqlAssets: { default: 'fail', \(TestDatabase.isFile ? "attach: { app: '/nowhere/app.db' }," : "") tables: [
            { table: 'log', column: 'actor', policy: 'keepExisting' },
            \(TestDatabase.isFile ? "{ table: 'todos', column: 'owner', attached: 'app' }," : "")
            { table: 'all_notes', column: 'uid' } ] } }
        """

    @Test func `scan lists what follows and says what hinders, and the log says so at the start`() async throws {
        try await TestServer.run(file: Self.file) { server in
            _ = try server.guest()
            let desk = try Operator(file: server.file, environment: server.environment)
            defer { desk.close() }
            try server.withDatabase { transaction in
                try transaction.execute(
                    "CREATE TABLE notes (id BIGINT PRIMARY KEY, uid TEXT REFERENCES users (uid) ON DELETE CASCADE)"
                )
                try transaction.execute("CREATE INDEX notes_uid ON notes (uid)")
                try transaction.execute(
                    "CREATE TABLE lines (owner BIGINT REFERENCES users, note BIGINT REFERENCES notes)"
                )
                try transaction.execute("CREATE TABLE log (actor TEXT)")
                try transaction.execute("CREATE TABLE names (uid TEXT REFERENCES usernames (uid))")
                try transaction.execute("CREATE VIEW all_notes AS SELECT uid FROM notes")
                try transaction.execute("INSERT INTO notes SELECT 1, uid FROM users")
            }
            let report = try desk.scanAssets()
            let unattached = TestDatabase.isFile ? ["app.todos true"] : []
            let columns = report.columns.map { column in
                "\(column.table).\(column.column) \(column.holds) \(column.policy) \(column.onDelete ?? "-") \(column.rows) "
                    + "\(column.isIndexed)"
            }
            #expect(
                columns == [
                    "lines.owner id fail NO ACTION 0 false", "notes.uid uid fail CASCADE 1 true",
                    "log.actor uid keepExisting - 0 false",
                ]
            )
            #expect(
                report.problems.map { "\($0.table) \($0.isBlocking)" } == unattached + [
                    "all_notes true", "names false",
                ]
            )
            try server.restarted { again in
                let log = again.log.all.filter { $0.contains("\"assets.") }
                #expect(log.contains { $0.contains("found") && $0.contains("notes.uid") && $0.contains("lines.owner") })
                for table in report.problems.map(\.table) {
                    #expect(log.contains { $0.contains("assets.problem") && $0.contains("\"\(table)\"") })
                }
                // Sign-in continues to work.
                let guest = try again.guest()
                #expect(!guest.idToken.isEmpty)
            }
        }
    }

    @Test(arguments: [
        ("{ sqlAssets: { default: 'keepBoth' } }", "sqlAssets.default: must be one of keepExisting, fail"),
        ("{ sqlAssets: { tables: [{ table: 't' }] } }", "sqlAssets.tables: each needs table and column"),
        ("{ sqlAssets: { tables: [{ table: 't', column: 'c', policy: 'drop' }] } }", "sqlAssets.tables: each needs"),
        ("{ sqlAssets: { tables: [{ table: 't', column: 'c', colour: 'red' }] } }", "sqlAssets.tables: each needs"),
        ("{ sqlAssets: { tables: [{ table: 't\\u0001', column: 'c' }] } }", "sqlAssets.tables: each needs"),
        ("{ sqlAssets: { tables: [{ table: 't', column: 'c', attached: 'a' }] } }", "has no file a"),
        ("{ sqlAssets: { attach: { 'a.b': 'x.db' } } }", "sqlAssets.attach.a.b: a name has letters"),
        ("{ sqlAssets: { attach: { Main: 'x.db' } } }", "sqlAssets.attach.Main: a name has letters"),
        ("{ sqlAssets: { attach: { a: 'file:x.db' } } }", "sqlAssets.attach.a: must be a path"),
        ("{ sqlAssets: { attach: { a: 7 } } }", "sqlAssets.attach.a: must be a non-empty string"),
        ("{ sqlAssets: { attach: { a: 'latchkey-data/latchkey.db' } } }", "sqlAssets.attach.a: is the database itself"),
    ])
    func `a declaration that cannot be meant stops the start`(text: String, says: String) throws {
        try TestServer.inFolder { folder in
            let url = folder.appendingPathComponent("latchkey.json5")
            try Data(text.utf8).write(to: url)
            let error = #expect(throws: ConfigurationError.self) {
                try Configuration.load(file: url.path, environment: [:])
            }
            #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
        }
    }
}
