import DatabaseHarness
import PostgreSQLHarness
import Testing

@testable import AccountDatabase
@testable import Database

/// Rows of the operator that keep a user from being deleted.
@Suite("Blockers") struct BlockerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let schema: String
        let blocker: String?
        var testDescription: String { name }
    }

    static let cases = common + (TestDatabase.Engine.current == .postgreSQL ? postgreSQL : [])

    private static let common: [Case] = [
        Case(name: "no table", schema: "", blocker: nil),
        Case(
            name: "NO ACTION",
            schema: "CREATE TABLE t (uid TEXT REFERENCES users (uid)); INSERT INTO t VALUES ('guest'), ('other');",
            blocker: "t"
        ),
        Case(
            name: "NO ACTION, rows of others only",
            schema: "CREATE TABLE t (uid TEXT REFERENCES users (uid)); INSERT INTO t VALUES ('other');",
            blocker: nil
        ),
        Case(
            name: "NO ACTION, deferred",
            schema: """
                CREATE TABLE t (uid TEXT REFERENCES users (uid) DEFERRABLE INITIALLY DEFERRED);
                INSERT INTO t VALUES ('guest');
                """,
            blocker: "t"
        ),
        Case(
            name: "RESTRICT, by the user's number",
            schema: """
                CREATE TABLE t (owner INT REFERENCES users ON DELETE RESTRICT);
                INSERT INTO t SELECT id FROM users WHERE uid = 'guest';
                """,
            blocker: "t"
        ),
        Case(
            name: "CASCADE",
            schema:
                "CREATE TABLE t (uid TEXT REFERENCES users (uid) ON DELETE CASCADE); INSERT INTO t VALUES ('guest');",
            blocker: nil
        ),
        Case(
            name: "SET NULL",
            schema:
                "CREATE TABLE t (uid TEXT REFERENCES users (uid) ON DELETE SET NULL); INSERT INTO t VALUES ('guest');",
            blocker: nil
        ),
        Case(
            name: "SET NULL where there may be none",
            schema: """
                CREATE TABLE t (uid TEXT NOT NULL REFERENCES users (uid) ON DELETE SET NULL);
                INSERT INTO t VALUES ('guest');
                """,
            blocker: "t"
        ),
        Case(
            name: "SET DEFAULT to nobody",
            schema: """
                CREATE TABLE t (uid TEXT DEFAULT 'nobody' REFERENCES users (uid) ON DELETE SET DEFAULT);
                INSERT INTO t VALUES ('guest');
                """,
            blocker: "t"
        ),
        Case(
            name: "SET DEFAULT to somebody",
            schema: """
                CREATE TABLE t (uid TEXT DEFAULT 'other' REFERENCES users (uid) ON DELETE SET DEFAULT);
                INSERT INTO t VALUES ('guest');
                """,
            blocker: nil
        ),
        Case(
            name: "behind two cascades",
            schema: """
                CREATE TABLE a (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid) ON DELETE CASCADE);
                CREATE TABLE b (id INTEGER PRIMARY KEY, a INT REFERENCES a ON DELETE CASCADE);
                CREATE TABLE c (id INTEGER PRIMARY KEY, b INT REFERENCES b);
                INSERT INTO a VALUES (1, 'guest'); INSERT INTO b VALUES (2, 1); INSERT INTO c VALUES (3, 2);
                """,
            blocker: "c"
        ),
        Case(
            name: "a tree that goes as a whole",
            schema: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid) ON DELETE CASCADE, parent INT REFERENCES t);
                INSERT INTO t VALUES (1, 'guest', NULL), (2, 'guest', 1), (3, 'guest', 2);
                """,
            blocker: nil
        ),
        Case(
            name: "a tree in which another's row hangs",
            schema: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid) ON DELETE CASCADE, parent INT REFERENCES t);
                INSERT INTO t VALUES (1, 'guest', NULL), (2, 'other', 1);
                """,
            blocker: "t"
        ),
        Case(
            name: "a trigger that forbids",
            schema:
                "CREATE TABLE t (uid TEXT REFERENCES users (uid) ON DELETE CASCADE); INSERT INTO t VALUES ('guest');"
                + either(
                    "CREATE TRIGGER no BEFORE DELETE ON t BEGIN SELECT RAISE(ABORT, 'no'); END;",
                    trigger("BEFORE DELETE ON t", "RAISE EXCEPTION 'no' USING ERRCODE = 'APP01'")
                ),
            blocker: "t"
        ),
        Case(
            name: "a trigger that would end the transaction",
            schema:
                "CREATE TABLE t (uid TEXT REFERENCES users (uid) ON DELETE CASCADE); INSERT INTO t VALUES ('guest');"
                + either(
                    "CREATE TRIGGER no BEFORE DELETE ON t BEGIN SELECT RAISE(ROLLBACK, 'no'); END;",
                    trigger("BEFORE DELETE ON t", "ROLLBACK")
                ),
            blocker: "t"
        ),
        Case(
            name: "a reference to a table of ours that goes with the user",
            schema: """
                INSERT INTO usernames (uid, name, canonical, created_at) VALUES ('guest', 'G', 'g', 1);
                CREATE TABLE t (name TEXT REFERENCES usernames (canonical)); INSERT INTO t VALUES ('g');
                """,
            blocker: "t"
        ),
    ]

    private static let postgreSQL: [Case] = [
        Case(
            name: "a column of another collation",
            schema: """
                CREATE TABLE t (uid TEXT COLLATE "de-x-icu" REFERENCES users (uid)); INSERT INTO t VALUES ('guest');
                """,
            blocker: "t"
        ),
        Case(
            name: "a table of another schema, and one that inherits and has no key",
            schema: """
                CREATE SCHEMA app; CREATE TABLE app.t (uid VARCHAR(30) REFERENCES users (uid));
                CREATE TABLE heir () INHERITS (app.t); INSERT INTO app.t VALUES ('guest'); INSERT INTO heir VALUES ('target');
                """,
            blocker: "app.t"
        ),
        Case(
            name: "a constraint trigger at the end",
            schema: """
                CREATE TABLE t (uid TEXT REFERENCES users (uid) ON DELETE CASCADE); INSERT INTO t VALUES ('guest');
                """
                    + trigger(
                        "AFTER DELETE ON t DEFERRABLE INITIALLY DEFERRED",
                        "RAISE EXCEPTION 'no'",
                        kind: "CONSTRAINT TRIGGER"
                    ),
            blocker: "t"
        ),
    ]

    @Test(arguments: cases)
    func `the table that stands in the way is named, and the others may go`(_ example: Case) async throws {
        let world = try AssetWorld(example.schema)
        defer { world.remove() }
        let before = try world.everything()
        let found = try await world.database.write { try $0.blockers(of: ["guest", "target"]) }
        #expect(found == example.blocker.map { ["guest": $0] } ?? [:])
        #expect(try world.everything() == before, "it was only tried out")
        let deletion = await kind { try await world.database.write { try $0.deleteUser("guest", mergedInto: nil) } }
        #expect((deletion == nil) == (example.blocker == nil), "and it is true")
        #expect(await world.isAlive())
    }

    @Test func `a batch tells for each`() async throws {
        let world = try AssetWorld(
            """
            CREATE TABLE a (uid TEXT REFERENCES users (uid)); CREATE TABLE b (uid TEXT REFERENCES users (uid) ON DELETE RESTRICT);
            INSERT INTO a VALUES ('guest'); INSERT INTO b VALUES ('other');
            """
        )
        defer { world.remove() }
        let found = try await world.database.write { try $0.blockers(of: ["other", "nobody", "target", "guest"]) }
        #expect(found == ["guest": "a", "other": "b"])
    }

    @Test(.sqlite) func `where nothing can forbid, nothing is tried out`() async throws {
        let statements = Acknowledged()
        let fresh = try Fresh(migrations: Migration.embedded()) {
            $0.declare(AssetSettings())
            $0.onStatement = { _ in _ = statements.add() }
        }
        defer { fresh.remove() }
        _ = try await fresh.database.write { try $0.blockers(of: ["a"]) }
        let before = statements.add()
        _ = try await fresh.database.write { try $0.blockers(of: ["a"]) }
        #expect(statements.add() - before == 2, "one look at the schema's number")
    }
}

/// Returns the SQL of a PostgreSQL trigger with its function.
func trigger(_ what: String, _ body: String, when condition: String? = nil, kind: String = "TRIGGER") -> String {
    let name = "f\(abs(what.hashValue))"
    return """
        CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(body); RETURN NULL; END $$;
        CREATE \(kind) \(name) \(what) FOR EACH ROW \(condition.map { "WHEN (\($0))" } ?? "") EXECUTE FUNCTION \(name)();
        """
}
