import Accounts
import DatabaseHarness
import Foundation
import Testing

@testable import AccountDatabase
@testable import Database

/// Tables in another SQLite file.
@Suite("Attached files", .sqlite) struct AttachedTests {
    /// Runs a test in a world with a file `app.db` next to the database.
    private static func run(
        _ script: String,
        tables: [AssetSettings.Table],
        file: String = "app.db",
        busyTimeout: Int = 5000,
        _ body: (AssetWorld, String) async throws -> Void
    ) async throws {
        let folder = try Fresh.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/app.db"
        try FileSystem.makeFile(path)
        let connection = try SQLiteConnection(path: path, busyTimeout: 0, cacheLimit: 1)
        try connection.runScript("PRAGMA journal_mode = WAL;" + script)
        connection.close()
        var settings = AssetSettings()
        settings.tables = tables
        settings.attached = ["my app": "\(folder)/\(file)"]
        let world = try AssetWorld(
            "CREATE TABLE here (uid TEXT REFERENCES users (uid)); INSERT INTO here VALUES ('guest');",
            assets: settings,
            busyTimeout: busyTimeout
        )
        defer { world.remove() }
        try await body(world, path)
    }

    private static let script = """
        CREATE TABLE todos (id INTEGER PRIMARY KEY, owner TEXT, x INT, UNIQUE (owner, x));
        CREATE TABLE notes (id INTEGER PRIMARY KEY, todo INT REFERENCES todos ON DELETE CASCADE);
        INSERT INTO todos VALUES (1, 'guest', 1), (2, 'guest', 2), (3, 'target', 2), (4, 'other', 1);
        INSERT INTO notes VALUES (1, 1), (2, 2);
        """
    private static let todos = AssetSettings.Table(table: "todos", column: "owner", attached: "my app")

    @Test func `rows in it move too, and it is let go afterwards`() async throws {
        try await Self.run(Self.script, tables: [Self.todos]) { world, path in
            #expect(try world.database.readNow { try $0.hasAssetTables() })
            let moves = try await world.merge()
            #expect(moves.map(\.text) == ["here.uid 1/0", "my app.todos.owner 1/1", "my app.notes.todo 1/0"])
            #expect(
                try AssetWorld.rows("SELECT id, owner FROM todos", file: path) == ["1 target", "3 target", "4 other"]
            )
            #expect(try AssetWorld.rows("SELECT id, todo FROM notes", file: path) == ["1 1", "2 3"])
            // No lock remains: both an outside program and the product may write at once.
            #expect(try AssetWorld.rows("INSERT INTO todos VALUES (9, 'guest', 9) RETURNING id", file: path) == ["9"])
            #expect(await world.isAlive())
            let scan = try world.database.readNow { try $0.scanAssets(counting: true) }
            #expect(scan.columns.map { "\($0.table) \($0.rows)" } == ["here 1", "my app.todos 4"])
        }
    }

    @Test func `a failure rolls both files back`() async throws {
        let script =
            Self.script
            + "CREATE TRIGGER no BEFORE UPDATE ON todos WHEN old.id = 1 BEGIN SELECT RAISE(FAIL, 'no'); END;"
        try await Self.run(script, tables: [Self.todos]) { world, path in
            let before = try world.everything()
            let error = await #expect(throws: MergeBlocked.self) { try await world.merge() }
            #expect(error?.table == "my app.todos")
            #expect(try world.everything() == before)
            #expect(try AssetWorld.rows("SELECT count(*) FROM todos WHERE owner = 'guest'", file: path) == ["2"])
            #expect(try AssetWorld.rows("UPDATE notes SET todo = 3 RETURNING id", file: path).count == 2)
            #expect(await world.isAlive())
        }
    }

    @Test(arguments: [("nowhere.db", "todos", "my app"), ("app.db", "todont", "my app.todont")])
    func `a file or table that is missing stops the merge`(file: String, table: String, blocked: String) async throws {
        let declared = AssetSettings.Table(table: table, column: "owner", attached: "my app")
        try await Self.run(Self.script, tables: [declared], file: file) { world, _ in
            let error = await #expect(throws: MergeBlocked.self) { try await world.merge() }
            #expect(error?.table == blocked)
            let scan = try world.database.readNow { try $0.scanAssets(counting: false) }
            #expect(scan.problems.map(\.isBlocking) == [true])
            #expect(await world.isAlive())
        }
    }

    @Test func `what a crash between the two commits left is finished at the next start`() async throws {
        try await Self.run(Self.script, tables: [Self.todos]) { world, path in
            // The state after such a crash: the merge is in the database, but not in the file.
            try await world.database.write { transaction in
                try transaction.execute("UPDATE here SET uid = 'target' WHERE uid = 'guest'")
                try transaction.deleteUser("guest", mergedInto: "target")
            }
            let moves = try await world.database.write(alone: true) { try $0.finishMoves() }
            #expect(moves.map(\.text) == ["my app.todos.owner 1/1", "my app.notes.todo 1/0"])
            #expect(
                try AssetWorld.rows("SELECT id, owner FROM todos", file: path) == ["1 target", "3 target", "4 other"]
            )
            #expect(try await world.database.write(alone: true) { try $0.finishMoves() }.isEmpty)
        }
    }

    @Test func `another process's lock on the other file delays no call for long, and a merge can be repeated`()
        async throws
    {
        try await Self.run(Self.script, tables: [Self.todos], busyTimeout: 600_000) { world, path in
            let stranger = try SQLiteConnection(path: path, busyTimeout: 0, cacheLimit: 1)
            defer { stranger.close() }
            try stranger.run(.beginImmediate)
            let before = try world.everything()
            let start = ContinuousClock.now
            await #expect { try await world.merge() } throws: { ($0 as? DatabaseError)?.kind == .busy }
            #expect(ContinuousClock.now - start < .seconds(300), "not as long as for the database's own lock")
            #expect(try world.everything() == before)
            stranger.rollback()
            #expect(try await world.merge().contains { $0.table == "my app.todos" })
        }
    }
}
