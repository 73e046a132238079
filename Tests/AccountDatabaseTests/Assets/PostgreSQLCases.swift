import DatabaseHarness
import PostgreSQLHarness

@testable import AccountDatabase
@testable import Database

/// Schemas that only PostgreSQL supports.
enum PostgreSQLCases {
    private static func moving(
        _ name: String,
        _ schema: String,
        moves: [String],
        query: String,
        rows: [String],
        isPlain: Bool = false,
        tables: [AssetSettings.Table] = []
    ) -> MoveTests.Case {
        MoveTests.Case(
            name: name,
            schema: schema,
            assets: MoveTests.settings { $0.tables = tables },
            moves: moves,
            query: query,
            rows: rows,
            only: .postgreSQL,
            isPlain: isPlain
        )
    }

    private static func failing(
        _ name: String,
        _ schema: String,
        blockedBy table: String,
        reason: String,
        isPlain: Bool = false,
        tables: [AssetSettings.Table] = []
    ) -> MoveTests.Case {
        MoveTests.Case(
            name: name,
            schema: schema,
            assets: MoveTests.settings { $0.tables = tables },
            blockedBy: table,
            reason: reason,
            only: .postgreSQL,
            isPlain: isPlain
        )
    }

    static let moving: [MoveTests.Case] = [
        moving(
            "keys that can neither wait nor follow, over three levels, one of them with RESTRICT",
            """
            CREATE TABLE a (uid TEXT REFERENCES users (uid), x INT, PRIMARY KEY (uid, x));
            CREATE TABLE b (uid TEXT, x INT, y INT, PRIMARY KEY (uid, x, y),
                FOREIGN KEY (uid, x) REFERENCES a ON UPDATE RESTRICT ON DELETE RESTRICT);
            CREATE TABLE c (id INT PRIMARY KEY, uid TEXT, x INT, y INT, FOREIGN KEY (uid, x, y) REFERENCES b);
            INSERT INTO a VALUES ('guest', 1), ('guest', 2), ('target', 2), ('other', 1);
            INSERT INTO b VALUES ('guest', 1, 1), ('guest', 2, 1), ('guest', 2, 2), ('target', 2, 2);
            INSERT INTO c VALUES (1, 'guest', 1, 1), (2, 'guest', 2, 1), (3, 'guest', 2, 2), (4, 'target', 2, 2);
            """,
            moves: ["a.uid 1/1", "b.uid 2/0", "c.uid 3/0", "b.uid, x 1/1", "c.uid, x, y 1/0", "c.uid, x 1/0"],
            query: "SELECT id, uid, x, y FROM c ORDER BY id",
            rows: ["1 target 1 1", "2 target 2 1", "3 target 2 2", "4 target 2 2"]
        ),
        moving(
            "a key that cascades, and one below it that cannot",
            """
            CREATE TABLE a (uid TEXT REFERENCES users (uid), x INT, PRIMARY KEY (uid, x));
            CREATE TABLE b (uid TEXT, x INT, y INT, PRIMARY KEY (uid, x, y), UNIQUE (uid, y),
                FOREIGN KEY (uid, x) REFERENCES a ON UPDATE CASCADE);
            CREATE TABLE c (id INT PRIMARY KEY, uid TEXT, x INT, y INT, FOREIGN KEY (uid, x, y) REFERENCES b);
            INSERT INTO a VALUES ('guest', 1), ('target', 2);
            INSERT INTO b VALUES ('guest', 1, 1), ('guest', 1, 2), ('target', 2, 2);
            INSERT INTO c VALUES (1, 'guest', 1, 1), (2, 'guest', 1, 2);
            """,
            moves: ["a.uid 1/0", "b.uid 1/1", "c.uid 2/0", "c.uid, x, y 1/0"],
            query: "SELECT id, uid, x, y FROM c ORDER BY id",
            rows: ["1 target 1 1", "2 target 2 2"]
        ),
        moving(
            "a table in partitions, with a condition, and a key of one partition alone",
            """
            CREATE TABLE days (uid TEXT REFERENCES users (uid) ON DELETE CASCADE, day INT, kind INT, note TEXT, UNIQUE (uid, day))
                PARTITION BY RANGE (day);
            CREATE TABLE days_1 PARTITION OF days FOR VALUES FROM (0) TO (10);
            CREATE TABLE days_2 (note TEXT, kind INT, day INT NOT NULL, uid TEXT, guide TEXT REFERENCES users (uid));
            ALTER TABLE days ADD guide TEXT;
            ALTER TABLE days ATTACH PARTITION days_2 FOR VALUES FROM (10) TO (20);
            CREATE UNIQUE INDEX days_kind ON days (uid, day, kind) WHERE kind > 5;
            INSERT INTO days VALUES ('guest', 1, 1, 'a'), ('guest', 11, 1, 'b'), ('target', 11, 1, 'c'), ('guest', 12, 1, 'd');
            INSERT INTO days VALUES ('other', 13, 1, 'e', 'guest');
            """,
            moves: ["days.uid 2/1", "days.guide 1/0"],
            query: "SELECT uid, day, note, guide FROM days ORDER BY day",
            rows: ["target 1 a -", "target 11 c -", "target 12 d -", "other 13 e target"]
        ),
        moving(
            "partitions under a condition that only the engine can judge",
            """
            CREATE TABLE days (id INT, uid TEXT REFERENCES users (uid), day INT, kind INT, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
            CREATE TABLE days_1 PARTITION OF days FOR VALUES FROM (0) TO (10);
            CREATE TABLE days_2 PARTITION OF days FOR VALUES FROM (10) TO (20);
            CREATE UNIQUE INDEX days_kind ON days (uid, day) WHERE kind > 5;
            INSERT INTO days VALUES (1, 'guest', 1, 9), (2, 'target', 1, 9), (3, 'guest', 1, 1), (4, 'guest', 11, 9);
            """,
            moves: ["days.uid 2/1"],
            query: "SELECT id, uid FROM days ORDER BY id",
            rows: ["2 target", "3 target", "4 target"]
        ),
        moving(
            "rows that move to another partition",
            """
            CREATE TABLE shares (uid TEXT REFERENCES users (uid), x INT) PARTITION BY LIST (uid);
            CREATE TABLE shares_guest PARTITION OF shares FOR VALUES IN ('guest');
            CREATE TABLE shares_rest PARTITION OF shares DEFAULT;
            INSERT INTO shares VALUES ('guest', 1), ('target', 2);
            """,
            moves: ["shares.uid 1/0"],
            query: "SELECT x FROM shares_rest ORDER BY 1",
            rows: ["1", "2"]
        ),
        moving(
            "tables that inherit: their rows are not the parent's",
            """
            CREATE TABLE notes (uid TEXT REFERENCES users (uid), x INT, UNIQUE (uid, x));
            CREATE TABLE long_notes (more TEXT) INHERITS (notes);
            INSERT INTO notes VALUES ('guest', 1), ('target', 2);
            INSERT INTO long_notes VALUES ('guest', 2, 'kept'), ('other', 3, 'o');
            """,
            moves: ["notes.uid 1/0", "long_notes.uid 1/0"],
            query: "SELECT uid, x FROM notes ORDER BY x, uid",
            rows: ["target 1", "target 2", "target 2", "other 3"]
        ),
        moving(
            "schemas on the way of names and off it, and names that ours hide",
            """
            CREATE SCHEMA app; CREATE SCHEMA "My App";
            CREATE TABLE app.todos (uid TEXT REFERENCES users (uid));
            CREATE TABLE app.sessions (id INT PRIMARY KEY, uid TEXT REFERENCES users (uid));
            CREATE TABLE "My App"."To Do" (session INT REFERENCES app.sessions, actor TEXT);
            INSERT INTO app.todos VALUES ('guest'); INSERT INTO app.sessions VALUES (1, 'guest');
            INSERT INTO "My App"."To Do" VALUES (1, 'guest');
            """,
            moves: ["app.sessions.uid 1/0", "app.todos.uid 1/0", "My App.To Do.actor 1/0"],
            query: "SELECT uid, (SELECT actor FROM \"My App\".\"To Do\") FROM app.sessions",
            rows: ["target target"],
            tables: [.init(table: "My App.To Do", column: "actor")]
        ),
        moving(
            "names that differ in capitals alone, called with their schema",
            """
            CREATE TABLE todos (uid TEXT REFERENCES users (uid), "UID" TEXT);
            CREATE TABLE "Todos" (uid TEXT REFERENCES users (uid), x INT);
            CREATE TABLE log (actor TEXT);
            INSERT INTO todos VALUES ('guest', 'guest'); INSERT INTO "Todos" VALUES ('guest', 1); INSERT INTO log VALUES ('guest');
            """,
            moves: ["Todos.uid 1/0", "todos.uid 1/0", "log.actor 1/0"],
            query: "SELECT t.uid, t.\"UID\", o.uid, l.actor FROM todos t, \"Todos\" o, log l",
            rows: ["target guest target target"],
            tables: [.init(table: "public.log", column: "actor")]
        ),
        moving(
            "NULLS NOT DISTINCT",
            """
            CREATE TABLE items (id INT PRIMARY KEY, uid TEXT REFERENCES users (uid), x INT, UNIQUE NULLS NOT DISTINCT (uid, x));
            INSERT INTO items VALUES (1, 'guest', NULL), (2, 'target', NULL), (3, 'guest', 1);
            """,
            moves: ["items.uid 1/1"],
            query: "SELECT id, uid FROM items ORDER BY id",
            rows: ["2 target", "3 target"]
        ),
        moving(
            "an exclusion constraint",
            """
            CREATE EXTENSION btree_gist;
            CREATE TABLE stays (id INT PRIMARY KEY, uid TEXT REFERENCES users (uid), days INT4RANGE,
                EXCLUDE USING gist (uid WITH =, days WITH &&));
            INSERT INTO stays VALUES (1, 'guest', '[1,5)'), (2, 'target', '[4,9)'), (3, 'guest', '[9,12)'), (4, 'other', '[1,9)');
            """,
            moves: ["stays.uid 1/1"],
            query: "SELECT id, uid FROM stays ORDER BY id",
            rows: ["2 target", "3 target", "4 other"]
        ),
        moving(
            "a unique constraint that waits, and an index of another collation",
            """
            CREATE COLLATION same_in_capitals (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
            CREATE TABLE items (id INT PRIMARY KEY, uid TEXT REFERENCES users (uid), x INT, name TEXT,
                UNIQUE (uid, x) DEFERRABLE INITIALLY DEFERRED);
            CREATE UNIQUE INDEX items_name ON items (uid, name COLLATE same_in_capitals);
            INSERT INTO items VALUES (1, 'guest', 1, 'a'), (2, 'target', 1, 'b'), (3, 'guest', 2, 'B'), (4, 'guest', 3, 'c');
            """,
            moves: ["items.uid 1/2"],
            query: "SELECT id, uid FROM items ORDER BY id",
            rows: ["2 target", "4 target"]
        ),
        moving(
            "keys of all types",
            """
            CREATE TABLE boxes (id UUID, at TIMESTAMPTZ, n NUMERIC, is_open BOOLEAN, f DOUBLE PRECISION, uid VARCHAR(20) UNIQUE REFERENCES users (uid),
                PRIMARY KEY (id, at, n, is_open, f));
            CREATE TABLE things (id INT, bid UUID, bat TIMESTAMPTZ, bn NUMERIC, bo BOOLEAN, bf DOUBLE PRECISION,
                FOREIGN KEY (bid, bat, bn, bo, bf) REFERENCES boxes);
            INSERT INTO boxes VALUES ('00000000-0000-0000-0000-000000000001', '2026-01-01 10:00:00.123456+02', 1.50, true, 0.1, 'guest'),
                ('00000000-0000-0000-0000-000000000002', '2026-01-02', 12345678901234567890, false, 1e300, 'target');
            INSERT INTO things SELECT 1, id, at, n, is_open, f FROM boxes WHERE uid = 'guest';
            """,
            moves: ["boxes.uid 0/1", "things.bid, bat, bn, bo, bf 1/0"],
            query: "SELECT b.uid FROM things JOIN boxes b ON b.id = bid AND b.n = bn",
            rows: ["target"]
        ),
        moving(
            "a trigger that needs keys to wait until the end",
            """
            CREATE TABLE posts (id INT PRIMARY KEY, uid TEXT REFERENCES users (uid));
            CREATE TABLE heads (id INT PRIMARY KEY);
            CREATE TABLE history (head INT REFERENCES heads (id) DEFERRABLE INITIALLY DEFERRED);
            INSERT INTO posts VALUES (1, 'guest');
            """
                + trigger(
                    "BEFORE DELETE ON users",
                    "INSERT INTO history VALUES (7); INSERT INTO heads VALUES (7); RETURN OLD"
                ),
            moves: ["posts.uid 1/0"],
            query: "SELECT id, head FROM heads, history",
            rows: ["7 7"]
        ),
        moving(
            "a table of another role that is named, and one of a superuser's",
            """
            CREATE TABLE todos (id INT PRIMARY KEY, uid TEXT REFERENCES users (uid)); ALTER TABLE todos OWNER TO app;
            GRANT SELECT, UPDATE, DELETE ON todos TO plain;
            CREATE TABLE notes (uid TEXT REFERENCES users (uid)); GRANT SELECT, UPDATE, DELETE ON notes TO plain;
            INSERT INTO todos VALUES (1, 'guest'); INSERT INTO notes VALUES ('guest');
            """,
            moves: ["notes.uid 1/0", "todos.uid 1/0"],
            query: "SELECT t.uid, n.uid FROM todos t, notes n",
            rows: ["target target"],
            isPlain: true,
            tables: [.init(table: "todos", column: "uid")]
        ),
    ]

    static let failing: [MoveTests.Case] = [
        failing(
            "a column of the type uuid that is named",
            "CREATE TABLE things (owner UUID);",
            blockedBy: "things",
            reason: "of the type uuid",
            tables: [.init(table: "things", column: "owner")]
        ),
        failing(
            "a column of the type bytea that is named",
            "CREATE TABLE things (owner BYTEA);",
            blockedBy: "things",
            reason: "of the type bytea",
            tables: [.init(table: "things", column: "owner")]
        ),
        failing(
            "a column that is too short",
            "CREATE TABLE things (uid VARCHAR(5) REFERENCES users (uid)); INSERT INTO things VALUES ('guest');",
            blockedBy: "things",
            reason: "does not fit"
        ),
        failing(
            "a partition that is named",
            "CREATE TABLE days (uid TEXT) PARTITION BY LIST (uid); CREATE TABLE days_1 PARTITION OF days DEFAULT;",
            blockedBy: "days_1",
            reason: "not a plain table (partition)",
            tables: [.init(table: "days_1", column: "uid")]
        ),
        failing(
            "two keys of one table that can neither wait nor follow",
            """
            CREATE TABLE a (uid TEXT REFERENCES users (uid), x INT, PRIMARY KEY (uid, x));
            CREATE TABLE b (one TEXT, two TEXT, x INT, FOREIGN KEY (one, x) REFERENCES a, FOREIGN KEY (two, x) REFERENCES a);
            INSERT INTO a VALUES ('guest', 1); INSERT INTO b VALUES ('guest', 'guest', 1);
            """,
            blockedBy: "b",
            reason: "make it DEFERRABLE"
        ),
        failing(
            "a key that waits, and that a trigger breaks",
            """
            CREATE TABLE posts (id INT PRIMARY KEY, uid TEXT REFERENCES users (uid));
            CREATE TABLE tails (head INT REFERENCES posts (id) DEFERRABLE INITIALLY DEFERRED);
            INSERT INTO posts VALUES (1, 'guest');
            """ + trigger("AFTER UPDATE ON posts", "INSERT INTO tails VALUES (7)"),
            blockedBy: "tails",
            reason: "tails_head_fkey"
        ),
        failing(
            "a constraint trigger that raises at the end",
            """
            CREATE TABLE posts (id INT PRIMARY KEY, uid TEXT REFERENCES users (uid)); INSERT INTO posts VALUES (1, 'guest');
            """
                + trigger(
                    "AFTER UPDATE ON posts DEFERRABLE INITIALLY DEFERRED",
                    "RAISE EXCEPTION 'in the end' USING TABLE = 'posts'",
                    kind: "CONSTRAINT TRIGGER"
                ),
            blockedBy: "posts",
            reason: "in the end"
        ),
        failing(
            "a trigger that never ends",
            """
            CREATE TABLE posts (id INT PRIMARY KEY, uid TEXT REFERENCES users (uid)); INSERT INTO posts VALUES (1, 'guest');
            """ + trigger("AFTER UPDATE ON posts", "UPDATE posts SET uid = uid"),
            blockedBy: "posts",
            reason: "stack depth"
        ),
        failing(
            "a table of another role, whose triggers would run with our rights",
            """
            CREATE TABLE todos (uid TEXT REFERENCES users (uid)); ALTER TABLE todos OWNER TO app;
            GRANT SELECT, UPDATE, DELETE ON todos TO plain;
            """,
            blockedBy: "todos",
            reason: "belongs to the role app",
            isPlain: true
        ),
        failing(
            "a table of another role that hangs on one of ours",
            """
            CREATE TABLE posts (id INT PRIMARY KEY, uid TEXT REFERENCES users (uid)); ALTER TABLE posts OWNER TO plain;
            CREATE TABLE likes (post INT REFERENCES posts); ALTER TABLE likes OWNER TO app; GRANT ALL ON likes TO plain;
            """,
            blockedBy: "likes",
            reason: "belongs to the role app",
            isPlain: true
        ),
        failing(
            "a table that our role may only read",
            "CREATE TABLE todos (uid TEXT REFERENCES users (uid)); GRANT SELECT ON todos TO plain;",
            blockedBy: "todos",
            reason: "lacks the privileges UPDATE, DELETE",
            isPlain: true
        ),
        failing(
            "a table in a schema that is closed to our role",
            "CREATE SCHEMA app; CREATE TABLE app.todos (uid TEXT REFERENCES users (uid));",
            blockedBy: "app.todos",
            reason: "USAGE of its schema, SELECT, UPDATE, DELETE",
            isPlain: true
        ),
        failing(
            "a table with a row security policy",
            """
            CREATE TABLE todos (uid TEXT REFERENCES users (uid)); ALTER TABLE todos OWNER TO plain;
            ALTER TABLE todos ENABLE ROW LEVEL SECURITY; ALTER TABLE todos FORCE ROW LEVEL SECURITY;
            """,
            blockedBy: "todos",
            reason: "row security policy",
            isPlain: true
        ),
    ]
}
