import Accounts
import DatabaseHarness
import Foundation
import PostgreSQLHarness
import Testing

@testable import AccountDatabase
@testable import Database

/// Merges over schemas of all kinds: either the right rows move, or nothing changes.
@Suite("Row moves") struct MoveTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let schema: String
        var assets = AssetSettings()
        /// `table.column moved/dropped`.
        var moves: [String] = []
        /// A query and its expected rows after the merge.
        var query = "SELECT 1"
        var rows = ["1"]
        /// The table that makes the merge fail.
        var blockedBy: String?
        /// Part of the reason.
        var reason = ""
        /// The only engine that supports the case.
        var only: TestDatabase.Engine?
        /// Whether the product's role is not a superuser.
        var isPlain = false
        var testDescription: String { name }
    }

    static func settings(_ adjust: (inout AssetSettings) -> Void) -> AssetSettings {
        var settings = AssetSettings()
        adjust(&settings)
        return settings
    }

    /// Text that compares equal regardless of case.
    private static let (citext, loose) = (
        either("", "CREATE EXTENSION citext;"), either("TEXT COLLATE NOCASE", "CITEXT")
    )
    private static let keepingLog = either(
        """
        CREATE TRIGGER moved AFTER UPDATE OF uid ON posts
            BEGIN INSERT OR IGNORE INTO history (what) VALUES ('moved to ' || new.uid); END;
        CREATE TRIGGER gone AFTER DELETE ON posts BEGIN INSERT INTO history (what) VALUES ('gone ' || old.id); END;
        """,
        trigger(
            "AFTER UPDATE OF uid ON posts",
            "INSERT INTO history (what) VALUES ('moved to ' || new.uid) ON CONFLICT DO NOTHING"
        ) + trigger("AFTER DELETE ON posts", "INSERT INTO history (what) VALUES ('gone ' || old.id)")
    )
    /// Binary data, as each engine writes it.
    private static let (blob, x, end) = (either("BLOB", "BYTEA"), either("x'", "'\\x"), either(" WITHOUT ROWID", ""))

    static let moving = (common + PostgreSQLCases.moving).filter { $0.only == nil || $0.only == .current }

    private static let common: [Case] = [
        Case(
            name: "a plain foreign key",
            schema: """
                CREATE TABLE todos (id INTEGER PRIMARY KEY, uid TEXT NOT NULL REFERENCES users (uid) ON DELETE CASCADE, what TEXT);
                CREATE INDEX todos_uid ON todos (uid);
                INSERT INTO todos VALUES (1, 'guest', 'a'), (2, 'target', 'b'), (3, 'other', 'c'), (4, 'guest', 'd');
                """,
            moves: ["todos.uid 2/0"],
            query: "SELECT id, uid FROM todos ORDER BY id",
            rows: ["1 target", "2 target", "3 other", "4 target"]
        ),
        Case(
            name: "a key without any action, to the number of the user",
            schema: """
                CREATE TABLE notes (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES users, what TEXT);
                INSERT INTO notes SELECT 1, id, 'a' FROM users WHERE uid = 'guest';
                INSERT INTO notes SELECT 2, id, 'b' FROM users WHERE uid = 'other';
                """,
            moves: ["notes.owner 1/0"],
            query: "SELECT n.id, u.uid FROM notes n JOIN users u ON u.id = n.owner ORDER BY 1",
            rows: ["1 target", "2 other"]
        ),
        Case(
            name: "a composite key to users with both of its columns",
            schema: """
                CREATE UNIQUE INDEX users_both ON users (uid, id);
                CREATE TABLE doubles (uid TEXT, number INTEGER, FOREIGN KEY (uid, number) REFERENCES users (uid, id) ON DELETE CASCADE\(either("", " DEFERRABLE")));
                INSERT INTO doubles SELECT uid, id FROM users;
                """,
            moves: ["doubles.uid 1/0", "doubles.number 1/0"],
            query: "SELECT count(*), count(DISTINCT uid) FROM doubles",
            rows: ["3 2"]
        ),
        Case(
            name: "unique (uid, x)",
            schema: """
                CREATE TABLE items (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid), x TEXT, n INT, UNIQUE (uid, x));
                INSERT INTO items VALUES (1, 'guest', 'a', 1), (2, 'guest', 'b', 2), (3, 'target', 'b', 3), (4, 'other', 'a', 4),
                    (5, 'guest', NULL, 5), (6, 'target', NULL, 6);
                """,
            moves: ["items.uid 2/1"],
            query: "SELECT id, uid, n FROM items ORDER BY id",
            rows: ["1 target 1", "3 target 3", "4 other 4", "5 target 5", "6 target 6"]
        ),
        Case(
            name: "profiles (uid UNIQUE) with what hangs on them by a single-column key",
            schema: """
                CREATE TABLE profiles (id INTEGER PRIMARY KEY, uid TEXT UNIQUE REFERENCES users (uid) ON DELETE CASCADE);
                CREATE TABLE photos (id INTEGER PRIMARY KEY, profile INTEGER NOT NULL REFERENCES profiles ON DELETE CASCADE);
                INSERT INTO profiles VALUES (10, 'guest'), (20, 'target'), (30, 'other');
                INSERT INTO photos VALUES (1, 10), (2, 10), (3, 20), (4, 30);
                """,
            moves: ["profiles.uid 0/1", "photos.profile 2/0"],
            query: "SELECT id, profile FROM photos ORDER BY id",
            rows: ["1 20", "2 20", "3 20", "4 30"]
        ),
        Case(
            name: "profiles (uid PRIMARY KEY) that only the guest has",
            schema: """
                CREATE TABLE profiles (uid TEXT PRIMARY KEY REFERENCES users (uid) ON DELETE CASCADE, bio TEXT);
                INSERT INTO profiles VALUES ('guest', 'hi'), ('other', 'ho');
                """,
            moves: ["profiles.uid 1/0"],
            query: "SELECT uid, bio FROM profiles ORDER BY 1",
            rows: ["other ho", "target hi"]
        ),
        Case(
            name: "a tree of the guest's own",
            schema: """
                CREATE TABLE nodes (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid) ON DELETE CASCADE,
                    parent INTEGER REFERENCES nodes (id) ON DELETE CASCADE, name TEXT, UNIQUE (uid, parent, name));
                INSERT INTO nodes VALUES (1, 'guest', NULL, 'a'), (2, 'guest', 1, 'b'), (3, 'guest', 2, 'c'), (9, 'target', NULL, 'a');
                """,
            moves: ["nodes.uid 3/0"],
            query: "SELECT id, uid, parent FROM nodes ORDER BY id",
            rows: ["1 target -", "2 target 1", "3 target 2", "9 target -"]
        ),
        Case(
            name: "a tree that meets the target's, level by level",
            schema: """
                CREATE TABLE nodes (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid) ON DELETE CASCADE,
                    parent INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE, name TEXT, UNIQUE (uid, name), UNIQUE (parent, name));
                INSERT INTO nodes VALUES (1, 'guest', 1, 'root'), (2, 'guest', 1, 'b'), (3, 'guest', 2, 'c'), (4, 'guest', 2, 'd'),
                    (5, 'target', 5, 'root'), (6, 'target', 5, 'b'), (7, 'target', 6, 'c');
                """,
            moves: either("nodes.uid 1/1, nodes.parent 1/2", "nodes.uid 1/0, nodes.parent 1/3").components(
                separatedBy: ", "
            ),
            query: "SELECT id, uid, parent, name FROM nodes ORDER BY id",
            rows: ["4 target 6 d", "5 target 5 root", "6 target 5 b", "7 target 6 c"]
        ),
        Case(
            name: "a tree by a composite key to itself",
            schema: """
                CREATE TABLE nodes (uid TEXT REFERENCES users (uid), id INT, parent INT, PRIMARY KEY (uid, id),
                    FOREIGN KEY (uid, parent) REFERENCES nodes (uid, id) ON DELETE CASCADE ON UPDATE CASCADE)\(either(" WITHOUT ROWID", ""));
                INSERT INTO nodes VALUES ('guest', 1, NULL), ('guest', 2, 1), ('guest', 3, 2), ('target', 1, NULL), ('target', 4, 1);
                """,
            moves: ["nodes.uid 2/1", "nodes.uid, parent 1/0"],
            query: "SELECT uid, id, parent FROM nodes ORDER BY id",
            rows: ["target 1 -", "target 2 1", "target 3 2", "target 4 1"]
        ),
        Case(
            name: "composite keys, the inner table without a key to users",
            schema: """
                CREATE TABLE lists (uid TEXT REFERENCES users (uid) ON DELETE CASCADE, x INT, PRIMARY KEY (uid, x));
                CREATE TABLE entries (id INTEGER PRIMARY KEY, uid TEXT, x INT, FOREIGN KEY (uid, x) REFERENCES lists (uid, x) ON DELETE CASCADE);
                INSERT INTO lists VALUES ('guest', 1), ('guest', 2), ('target', 2), ('other', 1);
                INSERT INTO entries VALUES (1, 'guest', 1), (2, 'guest', 2), (3, 'target', 2), (4, 'other', 1), (5, 'guest', NULL);
                """,
            moves: ["lists.uid 1/1", "entries.uid 3/0", "entries.uid, x 1/0"],
            query: "SELECT id, uid, x FROM entries ORDER BY id",
            rows: ["1 target 1", "2 target 2", "3 target 2", "4 other 1", "5 target -"]
        ),
        Case(
            name: "composite keys with ON UPDATE CASCADE, and one with SET NULL that shall not",
            schema: """
                CREATE TABLE lists (uid TEXT REFERENCES users (uid) ON DELETE CASCADE, x INT, PRIMARY KEY (uid, x));
                CREATE TABLE entries (id INTEGER PRIMARY KEY, uid TEXT, x INT, FOREIGN KEY (uid, x) REFERENCES lists ON UPDATE CASCADE);
                CREATE TABLE pins (id INTEGER PRIMARY KEY, uid TEXT, x INT, FOREIGN KEY (uid, x) REFERENCES lists ON UPDATE SET NULL);
                INSERT INTO lists VALUES ('guest', 1);
                INSERT INTO entries VALUES (1, 'guest', 1), (2, 'guest', 1);
                INSERT INTO pins VALUES (1, 'guest', 1);
                """,
            moves: ["lists.uid 1/0", "entries.uid 2/0", "pins.uid 1/0"],
            query: "SELECT uid, x FROM entries UNION ALL SELECT uid, x FROM pins",
            rows: ["target 1", "target 1", "target 1"]
        ),
        Case(
            name: "a composite key whose row meets another under a second constraint",
            schema: """
                CREATE TABLE pages (uid TEXT REFERENCES users (uid), n INT, slug TEXT, PRIMARY KEY (uid, n), UNIQUE (uid, slug));
                CREATE TABLE links (id INTEGER PRIMARY KEY, uid TEXT, n INT, FOREIGN KEY (uid, n) REFERENCES pages ON DELETE CASCADE);
                INSERT INTO pages VALUES ('guest', 1, 'home'), ('guest', 2, 'about'), ('target', 7, 'home');
                INSERT INTO links VALUES (1, 'guest', 1), (2, 'guest', 2), (3, 'target', 7);
                """,
            moves: ["pages.uid 1/1", "links.uid 2/0", "links.uid, n 1/0"],
            query: "SELECT id, uid, n FROM links ORDER BY id",
            rows: ["1 target 7", "2 target 2", "3 target 7"]
        ),
        Case(
            name: "three levels, each with a name of its own",
            schema: """
                CREATE TABLE shops (id INTEGER PRIMARY KEY, uid TEXT UNIQUE REFERENCES users (uid) ON DELETE CASCADE);
                CREATE TABLE shelves (id INTEGER PRIMARY KEY, shop INT REFERENCES shops ON DELETE CASCADE, name TEXT, UNIQUE (shop, name));
                CREATE TABLE goods (id INTEGER PRIMARY KEY, shelf INT REFERENCES shelves ON DELETE CASCADE, name TEXT, UNIQUE (shelf, name));
                CREATE TABLE sales (id INTEGER PRIMARY KEY, good INT NOT NULL REFERENCES goods ON DELETE RESTRICT);
                INSERT INTO shops VALUES (1, 'guest'), (2, 'target');
                INSERT INTO shelves VALUES (10, 1, 'fruit'), (11, 1, 'tea'), (20, 2, 'fruit');
                INSERT INTO goods VALUES (100, 10, 'apple'), (101, 10, 'pear'), (102, 11, 'assam'), (200, 20, 'apple');
                INSERT INTO sales VALUES (1, 100), (2, 101), (3, 102), (4, 200);
                """,
            moves: ["shops.uid 0/1", "shelves.shop 1/1", "goods.shelf 1/1", "sales.good 1/0"],
            query: """
                SELECT x.id, s.uid, h.name, g.id FROM sales x JOIN goods g ON g.id = x.good JOIN shelves h ON h.id = g.shelf
                JOIN shops s ON s.id = h.shop ORDER BY 1
                """,
            rows: ["1 target fruit 200", "2 target fruit 101", "3 target tea 102", "4 target fruit 200"]
        ),
        Case(
            name: "two columns to users",
            schema: """
                CREATE TABLE messages (id INTEGER PRIMARY KEY, sender TEXT REFERENCES users (uid), recipient TEXT REFERENCES users (uid));
                INSERT INTO messages VALUES (1, 'guest', 'other'), (2, 'other', 'guest'), (3, 'guest', 'guest'), (4, 'target', 'guest');
                """,
            moves: ["messages.sender 2/0", "messages.recipient 3/0"],
            query: "SELECT id, sender, recipient FROM messages ORDER BY id",
            rows: ["1 target other", "2 other target", "3 target target", "4 target target"]
        ),
        Case(
            name: "two columns to users under one primary key",
            schema: """
                CREATE TABLE friends (a TEXT REFERENCES users (uid) ON DELETE CASCADE, b TEXT REFERENCES users (uid) ON DELETE CASCADE,
                    PRIMARY KEY (a, b))\(either(" WITHOUT ROWID", ""));
                INSERT INTO friends VALUES ('guest', 'other'), ('target', 'other'), ('guest', 'target'), ('target', 'guest'), ('other', 'guest');
                """,
            moves: ["friends.a 1/1", "friends.b 1/1"],
            query: "SELECT a, b FROM friends ORDER BY 1, 2",
            rows: ["other target", "target other", "target target"]
        ),
        Case(
            name: "deferred constraints",
            schema: """
                CREATE TABLE carts (id INTEGER PRIMARY KEY, uid TEXT UNIQUE REFERENCES users (uid) DEFERRABLE INITIALLY DEFERRED,
                    last INT\(either(" REFERENCES lines (id) DEFERRABLE INITIALLY DEFERRED", "")));
                CREATE TABLE lines (id INTEGER PRIMARY KEY, cart INT NOT NULL REFERENCES carts (id) DEFERRABLE INITIALLY DEFERRED);
                \(either("", "ALTER TABLE carts ADD FOREIGN KEY (last) REFERENCES lines (id) DEFERRABLE INITIALLY DEFERRED;"))
                BEGIN; INSERT INTO carts VALUES (1, 'guest', 11), (2, 'target', 20); INSERT INTO lines VALUES (10, 1), (11, 1), (20, 2); COMMIT;
                """,
            moves: ["carts.uid 0/1", "lines.cart 2/0"],
            query: "SELECT id, cart FROM lines ORDER BY id",
            rows: ["10 2", "11 2", "20 2"]
        ),
        Case(
            name: "mutual references by composite keys",
            schema: """
                CREATE TABLE teams (uid TEXT REFERENCES users (uid), id INT, captain INT, PRIMARY KEY (uid, id)
                    \(either(", FOREIGN KEY (uid, captain) REFERENCES players (uid, id) DEFERRABLE INITIALLY DEFERRED", "")));
                CREATE TABLE players (uid TEXT, id INT, team INT, PRIMARY KEY (uid, id),
                    FOREIGN KEY (uid, team) REFERENCES teams (uid, id) ON DELETE CASCADE);
                \(either("", "ALTER TABLE teams ADD FOREIGN KEY (uid, captain) REFERENCES players (uid, id) DEFERRABLE INITIALLY DEFERRED;"))
                BEGIN; INSERT INTO teams VALUES ('guest', 1, 5); INSERT INTO players VALUES ('guest', 5, 1), ('guest', 6, 1); COMMIT;
                """,
            moves: ["teams.uid 1/0", "players.uid 2/0"],
            query: "SELECT t.uid, t.captain, p.uid, p.id FROM teams t JOIN players p ON p.team = t.id ORDER BY p.id",
            rows: ["target 5 target 5", "target 5 target 6"]
        ),
        Case(
            name: "WITHOUT ROWID under a blob as key",
            schema: """
                CREATE TABLE boxes (id \(blob) PRIMARY KEY, uid TEXT REFERENCES users (uid), name TEXT, UNIQUE (uid, name))\(end);
                CREATE TABLE things (id REAL PRIMARY KEY, box \(blob) REFERENCES boxes ON DELETE CASCADE)\(end);
                INSERT INTO boxes VALUES (\(x)6100ff', 'guest', 'a'), (\(x)', 'target', 'a'), (\(x)63', 'guest', 'c');
                INSERT INTO things VALUES (1.5, \(x)6100ff'), (2.5, \(x)'), (3.5, \(x)63');
                """,
            moves: ["boxes.uid 1/1", "things.box 1/0"],
            query: either(
                "SELECT id, hex(box) FROM things ORDER BY id",
                "SELECT id, encode(box, 'hex') FROM things ORDER BY id"
            ),
            rows: ["1.5 ", "2.5 ", "3.5 63"]
        ),
        Case(
            name: "strict tables",
            schema: """
                CREATE TABLE strict_items (id INTEGER PRIMARY KEY, uid TEXT NOT NULL REFERENCES users (uid), x ANY, UNIQUE (uid, x)) STRICT;
                INSERT INTO strict_items VALUES (1, 'guest', 1), (2, 'guest', '1'), (3, 'target', 1), (4, 'guest', 1.5);
                """,
            moves: ["strict_items.uid 2/1"],
            query: "SELECT id, uid FROM strict_items ORDER BY id",
            rows: ["2 target", "3 target", "4 target"],
            only: .sqlite
        ),
        Case(
            name: "names that must be quoted",
            schema: """
                CREATE TABLE "we""ird; DROP TABLE users --" ("select" INTEGER PRIMARY KEY, "u'i""d" TEXT REFERENCES Users (UID), "größe %s" TEXT,
                    UNIQUE ("u'i""d", "größe %s"));
                CREATE TABLE "order" ("group" INT REFERENCES
                    \(either("\"WE\"\"ird; DROP TABLE users --\" (\"SELECT\")", "\"we\"\"ird; DROP TABLE users --\" (\"select\")"))
                    ON DELETE CASCADE);
                INSERT INTO "we""ird; DROP TABLE users --" VALUES (1, 'guest', 'a'), (2, 'target', 'a'), (3, 'guest', 'b');
                INSERT INTO "order" VALUES (1), (2), (3);
                """,
            moves: ["we\"ird; DROP TABLE users --.u'i\"d 1/1", "order.group 1/0"],
            query: "SELECT \"group\" FROM \"order\" ORDER BY 1",
            rows: ["2", "2", "3"]
        ),
        Case(
            name: "collations that make different texts one",
            schema: """
                \(citext)
                CREATE TABLE tags (id INTEGER PRIMARY KEY, uid \(loose) REFERENCES users (uid), tag \(loose), UNIQUE (uid, tag));
                CREATE TABLE uses (id INTEGER PRIMARY KEY, tag INT REFERENCES tags ON DELETE CASCADE);
                INSERT INTO users (uid, valid_since, created_at, last_login_at, last_refresh_at) VALUES ('GUEST', 1, 1, 1, 1);
                INSERT INTO tags VALUES (1, 'guest', 'Red'), (2, 'target', 'rED'), (3, 'guest', 'blue'), (4, 'GUEST', 'green');
                INSERT INTO uses VALUES (1, 1), (2, 2), (3, 4);
                """,
            moves: ["tags.uid 1/1", "uses.tag 1/0"],
            query: "SELECT id, uid, tag FROM tags ORDER BY id",
            rows: ["2 target rED", "3 target blue", "4 GUEST green"]
        ),
        Case(
            name: "a key of another collation than what refers to it",
            schema: """
                \(citext)
                CREATE TABLE words (word \(loose) PRIMARY KEY, uid TEXT REFERENCES users (uid), place INT, UNIQUE (uid, place));
                CREATE TABLE notes (id INTEGER PRIMARY KEY, word \(either("TEXT", "CITEXT")) REFERENCES words ON DELETE CASCADE);
                INSERT INTO words VALUES ('Tea', 'guest', 1), ('Milk', 'target', 1);
                INSERT INTO notes VALUES (1, 'TEA'), (2, 'tea'), (3, 'milk');
                """,
            moves: ["words.uid 0/1", "notes.word 2/0"],
            query: "SELECT id, word FROM notes ORDER BY id",
            rows: ["1 Milk", "2 Milk", "3 milk"]
        ),
        Case(
            name: "a partial unique index",
            schema: """
                CREATE TABLE plans (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid) ON DELETE CASCADE, active INT);
                CREATE UNIQUE INDEX one_active ON plans (uid) WHERE active = 1;
                CREATE TABLE bills (id INTEGER PRIMARY KEY, plan INT REFERENCES plans ON DELETE CASCADE);
                INSERT INTO plans VALUES (1, 'guest', 1), (2, 'guest', 0), (3, 'target', 1), (4, 'other', 1);
                INSERT INTO bills VALUES (1, 1), (2, 2), (3, 3);
                """,
            moves: ["plans.uid 1/1", "bills.plan 1/0"],
            query: "SELECT b.id, b.plan, p.uid FROM bills b JOIN plans p ON p.id = b.plan ORDER BY 1",
            rows: ["1 3 target", "2 2 target", "3 3 target"]
        ),
        Case(
            name: "a unique index on an expression",
            schema: """
                CREATE TABLE labels (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid), label TEXT);
                CREATE UNIQUE INDEX "by 'label'" ON labels (uid, lower(label));
                INSERT INTO labels VALUES (1, 'guest', 'A'), (2, 'target', 'a'), (3, 'guest', 'B'), (4, 'target', 'c');
                """,
            moves: ["labels.uid 1/1"],
            query: "SELECT id, uid FROM labels ORDER BY id",
            rows: ["2 target", "3 target", "4 target"]
        ),
        Case(
            name: "generated columns, one of them unique, one the key itself",
            schema: """
                CREATE TABLE handles (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid), name TEXT,
                    handle TEXT GENERATED ALWAYS AS (uid || '/' || name) STORED UNIQUE,
                    copy TEXT GENERATED ALWAYS AS (uid) STORED REFERENCES users (uid) ON DELETE CASCADE);
                INSERT INTO handles (id, uid, name) VALUES (1, 'guest', 'x'), (2, 'target', 'x'), (3, 'guest', 'y');
                """,
            moves: ["handles.uid 1/1"],
            query: "SELECT id, handle, copy FROM handles ORDER BY id",
            rows: ["2 target/x target", "3 target/y target"]
        ),
        Case(
            name: "a constraint that would replace the target's row",
            schema: """
                CREATE TABLE prefs (uid TEXT REFERENCES users (uid), name TEXT, value TEXT, UNIQUE (uid, name) ON CONFLICT REPLACE);
                CREATE TABLE marks (uid TEXT PRIMARY KEY ON CONFLICT IGNORE REFERENCES users (uid), mark INT);
                INSERT INTO prefs VALUES ('guest', 'theme', 'dark'), ('target', 'theme', 'light'), ('guest', 'font', 'big');
                INSERT INTO marks VALUES ('guest', 1), ('target', 2);
                """,
            moves: ["marks.uid 0/1", "prefs.uid 1/1"],
            query: "SELECT name, value FROM prefs UNION ALL SELECT uid, mark FROM marks ORDER BY 1",
            rows: ["font big", "target 2", "theme light"],
            only: .sqlite
        ),
        Case(
            name: "triggers that keep a log",
            schema: """
                CREATE TABLE posts (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid), slug TEXT, UNIQUE (uid, slug));
                CREATE TABLE history (id \(either("INTEGER", "SERIAL")) PRIMARY KEY, what TEXT UNIQUE);
                \(keepingLog)
                INSERT INTO posts VALUES (1, 'guest', 'a'), (2, 'guest', 'b'), (3, 'target', 'b'), (4, 'guest', 'c');
                """,
            moves: ["posts.uid 2/1"],
            query: "SELECT what FROM history ORDER BY id",
            rows: ["gone 2", "moved to target"]
        ),
        Case(
            name: "columns named like the row's number",
            schema: """
                CREATE TABLE odd (rowid TEXT, oid TEXT, uid TEXT UNIQUE REFERENCES users (uid), _rowid_x INT);
                CREATE TABLE even (rowid TEXT UNIQUE, uid TEXT UNIQUE REFERENCES users (uid));
                CREATE TABLE far (ref TEXT REFERENCES even (rowid) ON DELETE CASCADE);
                INSERT INTO odd VALUES ('a', 'b', 'guest', 1), ('a', 'b', 'target', 2);
                INSERT INTO even VALUES ('a', 'guest'), ('b', 'target');
                INSERT INTO far VALUES ('a'), ('b');
                """,
            moves: ["even.uid 0/1", "odd.uid 0/1", "far.ref 1/0"],
            query: "SELECT ref FROM far",
            rows: ["b", "b"]
        ),
        Case(
            name: "policy: fail, where nothing collides",
            schema: """
                CREATE TABLE items (uid TEXT REFERENCES users (uid), x INT, UNIQUE (uid, x));
                INSERT INTO items VALUES ('guest', 1), ('target', 2);
                """,
            assets: settings { $0.policy = .fail },
            moves: ["items.uid 1/0"],
            query: "SELECT uid, x FROM items ORDER BY x",
            rows: ["target 1", "target 2"]
        ),
        Case(
            name: "a table that is named, without any foreign key, and one with a policy of its own",
            schema: """
                CREATE TABLE Log (id INTEGER PRIMARY KEY, Actor TEXT);
                CREATE TABLE items (uid TEXT REFERENCES users (uid), x INT, UNIQUE (uid, x));
                INSERT INTO Log VALUES (1, 'guest'), (2, 'other');
                INSERT INTO items VALUES ('guest', 1), ('target', 1);
                """,
            assets: settings {
                $0.policy = .fail
                $0.tables = [
                    .init(table: "log", column: "actor"), .init(table: "items", column: "uid", policy: .keepExisting),
                ]
            },
            moves: ["items.uid 0/1", either("Log.Actor 1/0", "log.actor 1/0")],
            query: "SELECT id, Actor FROM Log ORDER BY id",
            rows: ["1 target", "2 other"]
        ),
        Case(
            name: "a constraint on what is generated, under ON CONFLICT REPLACE",
            schema: """
                CREATE TABLE days (id INTEGER PRIMARY KEY, uid TEXT NOT NULL REFERENCES users (uid) ON DELETE CASCADE, at TEXT,
                    day TEXT AS (substr(at, 1, 10)), UNIQUE (uid, day) ON CONFLICT REPLACE);
                CREATE TABLE meals (id INTEGER PRIMARY KEY, day INTEGER REFERENCES days ON DELETE CASCADE);
                INSERT INTO days VALUES (1, 'guest', '2026-01-01 10:00'), (2, 'target', '2026-01-01 11:00');
                INSERT INTO meals VALUES (2, 2);
                """,
            moves: ["days.uid 0/1"],
            query: "SELECT days.id, uid, meals.id FROM days JOIN meals ON days.id = meals.day",
            rows: ["2 target 2"],
            only: .sqlite
        ),
        Case(
            name: "the number of the row is the user's",
            schema: """
                CREATE TABLE profiles (id INTEGER PRIMARY KEY\(either(" ON CONFLICT REPLACE", "")) REFERENCES users ON DELETE CASCADE, x TEXT);
                CREATE TABLE photos (id INTEGER PRIMARY KEY, profile INTEGER REFERENCES profiles ON DELETE CASCADE);
                INSERT INTO profiles SELECT id, uid FROM users WHERE uid <> 'other';
                INSERT INTO photos SELECT id, id FROM profiles;
                """,
            moves: ["profiles.id 0/1", "photos.profile 1/0"],
            query: "SELECT x, count(*) FROM profiles JOIN photos ON profile = profiles.id GROUP BY x",
            rows: ["target 2"]
        ),
        Case(name: "no table of the operator's", schema: "CREATE TABLE unrelated (x INT);"),
    ]

    @Test(arguments: moving)
    func `rows follow`(_ example: Case) async throws {
        let world = try AssetWorld(example.schema, assets: example.assets, isPlain: example.isPlain)
        defer { world.remove() }
        let before = try world.everything().count
        let moves = try await world.merge()
        #expect(moves.map(\.text) == example.moves)
        #expect(try world.rows(example.query) == example.rows)
        #expect(try world.brokenReferences().isEmpty)
        #expect(try world.rows("SELECT uid FROM users WHERE uid = 'guest'").isEmpty)
        let dropped = moves.reduce(0) { $0 + Int($1.dropped) }
        if !example.schema.contains("TABLE history") {
            #expect(try world.everything().count == before - dropped - 1, "no row went uncounted")
        }
    }

    static let failing = (commonFailing + PostgreSQLCases.failing).filter { $0.only == nil || $0.only == .current }

    private static let commonFailing: [Case] = [
        Case(
            name: "a trigger that raises",
            schema: """
                CREATE TABLE frozen (uid TEXT REFERENCES users (uid) ON DELETE CASCADE);
                \(either("CREATE TRIGGER no BEFORE UPDATE ON frozen BEGIN SELECT RAISE(ABORT, 'frozen'); END;", trigger("BEFORE UPDATE ON frozen", "RAISE EXCEPTION 'frozen'")))
                INSERT INTO frozen VALUES ('guest'), ('target');
                """,
            blockedBy: "frozen"
        ),
        Case(
            name: "a trigger that ends the transaction",
            schema: """
                CREATE TABLE frozen (uid TEXT REFERENCES users (uid) ON DELETE CASCADE);
                \(either("CREATE TRIGGER no BEFORE UPDATE ON frozen BEGIN SELECT RAISE(ROLLBACK, 'frozen'); END;", trigger("BEFORE UPDATE ON frozen", "ROLLBACK")))
                INSERT INTO frozen VALUES ('guest'), ('target');
                """,
            blockedBy: "frozen"
        ),
        Case(
            name: "a trigger that fails half way",
            schema: """
                CREATE TABLE frozen (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid) ON DELETE CASCADE);
                \(either("CREATE TRIGGER no BEFORE UPDATE ON frozen WHEN old.id = 2 BEGIN SELECT RAISE(FAIL, 'frozen'); END;", trigger("BEFORE UPDATE ON frozen", "RAISE EXCEPTION 'frozen' USING ERRCODE = 'APP01'", when: "old.id = 2")))
                INSERT INTO frozen VALUES (1, 'guest'), (2, 'guest'), (3, 'guest');
                """,
            blockedBy: "frozen"
        ),
        Case(
            name: "a trigger that keeps the row as it is, in silence",
            schema: """
                CREATE TABLE frozen (uid TEXT REFERENCES users (uid) ON DELETE CASCADE);
                \(either("CREATE TRIGGER no BEFORE UPDATE ON frozen BEGIN SELECT RAISE(IGNORE); END;", trigger("BEFORE UPDATE ON frozen", "RETURN NULL")))
                INSERT INTO frozen VALUES ('guest');
                """,
            blockedBy: "frozen"
        ),
        Case(
            name: "a trigger that keeps a colliding row, in silence",
            schema: """
                CREATE TABLE kept (id INTEGER PRIMARY KEY, uid TEXT UNIQUE REFERENCES users (uid) ON DELETE CASCADE);
                CREATE TABLE on_it (kept INT REFERENCES kept ON DELETE CASCADE);
                \(either("CREATE TRIGGER no BEFORE DELETE ON kept BEGIN SELECT RAISE(IGNORE); END;", trigger("BEFORE DELETE ON kept", "RETURN NULL")))
                INSERT INTO kept VALUES (1, 'guest'), (2, 'target');
                INSERT INTO on_it VALUES (1);
                """,
            blockedBy: "kept"
        ),
        Case(
            name: "a trigger whose own insertion meets a unique constraint",
            schema: """
                CREATE TABLE posts (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid), active INT);
                CREATE UNIQUE INDEX posts_active ON posts (uid) WHERE active = 1;
                CREATE TABLE seen (uid TEXT UNIQUE);
                \(either("CREATE TRIGGER note AFTER UPDATE OF uid ON posts BEGIN INSERT INTO seen VALUES (new.uid); END;", trigger("AFTER UPDATE OF uid ON posts", "INSERT INTO seen VALUES (new.uid)")))
                INSERT INTO posts VALUES (1, 'guest', 0), (2, 'guest', 0);
                """,
            blockedBy: "posts"
        ),
        Case(
            name: "a trigger that calls what is not there",
            schema: """
                CREATE TABLE frozen (uid TEXT REFERENCES users (uid) ON DELETE CASCADE);
                \(either("CREATE TRIGGER no AFTER UPDATE ON frozen BEGIN INSERT INTO nowhere VALUES (1); END;", trigger("AFTER UPDATE ON frozen", "INSERT INTO nowhere VALUES (1)")))
                INSERT INTO frozen VALUES ('guest');
                """,
            blockedBy: "frozen"
        ),
        Case(
            name: "a CHECK",
            schema: """
                CREATE TABLE guests_only (uid TEXT REFERENCES users (uid) CHECK (uid <> 'target'));
                INSERT INTO guests_only VALUES ('guest');
                """,
            blockedBy: "guests_only"
        ),
        Case(
            name: "a CHECK beside a partial index, whose rows are no collisions",
            schema: """
                CREATE TABLE guests_only (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid) CHECK (uid <> 'target' OR id <> 2), active INT);
                CREATE UNIQUE INDEX one ON guests_only (uid) WHERE active = 1;
                INSERT INTO guests_only VALUES (1, 'guest', 1), (2, 'guest', 0), (3, 'target', 1);
                """,
            blockedBy: "guests_only"
        ),
        Case(
            name: "a column generated from something else",
            schema: """
                CREATE TABLE made (raw TEXT, uid TEXT GENERATED ALWAYS AS (lower(raw)) STORED REFERENCES users (uid) ON DELETE CASCADE);
                INSERT INTO made (raw) VALUES ('GUEST');
                """,
            blockedBy: "made"
        ),
        Case(
            name: "policy: fail",
            schema: """
                CREATE TABLE items (uid TEXT REFERENCES users (uid), x INT, UNIQUE (uid, x));
                INSERT INTO items VALUES ('guest', 1), ('target', 1), ('guest', 2);
                """,
            assets: settings { $0.policy = .fail },
            blockedBy: "items"
        ),
        Case(
            name: "policy: fail, of a table that hangs on one that collides",
            schema: """
                CREATE TABLE shops (id INTEGER PRIMARY KEY, uid TEXT UNIQUE REFERENCES users (uid) ON DELETE CASCADE);
                CREATE TABLE shelves (id INTEGER PRIMARY KEY, shop INT REFERENCES shops ON DELETE CASCADE, name TEXT, UNIQUE (shop, name));
                INSERT INTO shops VALUES (1, 'guest'), (2, 'target');
                INSERT INTO shelves VALUES (1, 1, 'a'), (2, 2, 'a');
                """,
            assets: settings { $0.tables = [.init(table: "shelves", column: "shop", policy: .fail)] },
            blockedBy: "shelves"
        ),
        Case(
            name: "policy: fail, under a partial index",
            schema: """
                CREATE TABLE plans (uid TEXT REFERENCES users (uid), active INT);
                CREATE UNIQUE INDEX one ON plans (uid) WHERE active = 1;
                INSERT INTO plans VALUES ('guest', 1), ('target', 1);
                """,
            assets: settings { $0.policy = .fail },
            blockedBy: "plans"
        ),
        Case(
            name: "a row that is referred to and collides under an expression, with nobody to take its place",
            schema: """
                CREATE TABLE marks (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid), x INT);
                CREATE UNIQUE INDEX odd ON marks (uid, (x % 10));
                CREATE TABLE on_it (mark INT REFERENCES marks ON DELETE CASCADE);
                INSERT INTO marks VALUES (1, 'guest', 11), (2, 'target', 1), (3, 'target', 2);
                INSERT INTO on_it VALUES (1);
                """,
            blockedBy: "marks"
        ),
        Case(
            name: "a reference to a column that no merge moves",
            schema: """
                CREATE UNIQUE INDEX users_pair ON users (uid, created_at);
                CREATE TABLE pairs (uid TEXT, made INT, FOREIGN KEY (uid, made) REFERENCES users (uid, created_at));
                UPDATE users SET created_at = 2 WHERE uid = 'guest';
                INSERT INTO pairs VALUES ('guest', 2);
                """,
            blockedBy: "pairs"
        ),
        Case(
            name: "a view that is named",
            schema: """
                CREATE TABLE base (uid TEXT);
                CREATE VIEW seen AS SELECT uid FROM base;
                """,
            assets: settings { $0.tables = [.init(table: "seen", column: "uid")] },
            blockedBy: "seen"
        ),
        Case(
            name: "a table that is named and not there",
            schema: "CREATE TABLE base (uid TEXT);",
            assets: settings { $0.tables = [.init(table: "bases", column: "uid")] },
            blockedBy: "bases"
        ),
        Case(
            name: "a column that is named and not there",
            schema: "CREATE TABLE base (uid TEXT);",
            assets: settings { $0.tables = [.init(table: "base", column: "user")] },
            blockedBy: "base"
        ),
    ]

    @Test(arguments: failing)
    func `a merge that a table does not allow changes nothing`(_ example: Case) async throws {
        let world = try AssetWorld(
            "CREATE TABLE aaa (uid TEXT REFERENCES users (uid)); INSERT INTO aaa VALUES ('guest');"
                + (example.isPlain ? "ALTER TABLE aaa OWNER TO plain;" : "") + example.schema,
            assets: example.assets,
            isPlain: example.isPlain
        )
        defer { world.remove() }
        let before = try world.everything()
        let error = await #expect(throws: MergeBlocked.self) { try await world.merge() }
        #expect(error?.table == example.blockedBy, "\(error?.reason ?? "")")
        #expect(error?.reason.isEmpty == false)
        #expect(example.reason.isEmpty || error?.reason.contains(example.reason) == true, "\(error?.reason ?? "")")
        #expect(try world.everything() == before)
        #expect(await world.isAlive())
        #expect(try world.brokenReferences().isEmpty)
    }

    @Test(.sqlite) func `a neighbour in the same commit survives a trigger that ends the transaction`() async throws {
        let world = try AssetWorld(
            """
            CREATE TABLE frozen (uid TEXT REFERENCES users (uid) ON DELETE CASCADE);
            CREATE TRIGGER no BEFORE UPDATE ON frozen BEGIN SELECT RAISE(ROLLBACK, 'frozen'); END;
            INSERT INTO frozen VALUES ('guest');
            """
        )
        defer { world.remove() }
        let blocker = Blocker(world.database)
        let answers = Answers<Bool>()
        for number in 0..<6 {
            world.database.write(
                "test",
                alone: number == 3,
                { transaction in
                    guard number == 3 else {
                        try transaction.set("n\(number)", to: "v")
                        return true
                    }
                    return try transaction.moveRows(from: "guest", to: "target").isEmpty
                },
                completion: answers.completion(number)
            )
        }
        blocker.release()
        let results = answers.wait(for: 6)
        #expect((0..<6).map { (try? results[$0]?.first?.get()) != nil } == [true, true, true, false, true, true])
        #expect(try world.rows("SELECT count(*) FROM settings WHERE name LIKE 'n%'") == ["5"])
    }

    @Test func `a table made while the server runs is found in time`() async throws {
        let world = try AssetWorld("")
        defer { world.remove() }
        #expect(try world.database.readNow { try $0.hasAssetTables() } == false)
        // The writer reads its own catalogue, which is empty.
        #expect(try await world.database.write { try $0.moveRows(from: "guest", to: "target") } == [])
        try world.script(
            """
            CREATE TABLE todos (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid) ON DELETE CASCADE);
            INSERT INTO todos VALUES (1, 'guest'), (2, 'target');
            """
        )
        #expect(try world.database.readNow { try $0.hasAssetTables() })
        #expect(try await world.merge().map(\.text) == ["todos.uid 1/0"])
        #expect(try world.rows("SELECT id, uid FROM todos ORDER BY id") == ["1 target", "2 target"])
    }

    @Test func `the list of our own tables is whole`() throws {
        let world = try AssetWorld("")
        defer { world.remove() }
        let tables = try world.rows(
            either(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
                "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            )
        )
        #expect(Set(tables) == OwnTables.all)
        #expect(try world.database.readNow { try $0.scanAssets(counting: true) }.columns.isEmpty)
    }

    @Test(arguments: [false, true])
    func `a hundred thousand rows move in seconds`(hasUniqueKey: Bool) async throws {
        // A long transaction makes PostgreSQL see conflicts with those of tests that run in parallel.
        let count = TestDatabase.Engine.current == .sqlite || isFullDepth ? 100_000 : 10_000
        let (moves, time) = try await Self.moved(count, hasUniqueKey: hasUniqueKey)
        let colliding = count / 100
        print("\(count) rows\(hasUniqueKey ? ", \(colliding) of them colliding and referred to" : ""): \(time)")
        #expect(
            moves
                == (hasUniqueKey
                    ? ["rows.uid \(count - colliding)/\(colliding)", "notes.row \(colliding)/0"]
                    : ["rows.uid \(count)/0"])
        )
        // The target is 2 s; other tests run in parallel, and sanitizers are slow.
        guard time >= .seconds(20 * patience) else { return }
        // On a slow machine everything takes long, but ten times the rows do not take much more than ten times as long.
        let tenth = try await Self.moved(count / 10, hasUniqueKey: hasUniqueKey).time
        #expect(time < tenth * 20)
    }

    /// Moves rows from the guest to the target, and returns the moves and their time.
    private static func moved(_ count: Int, hasUniqueKey: Bool) async throws -> (moves: [String], time: Duration) {
        let world = try AssetWorld(
            """
            CREATE TABLE rows (id \(either("INTEGER", "SERIAL")) PRIMARY KEY, uid TEXT NOT NULL REFERENCES users (uid) ON DELETE CASCADE, x INT, what TEXT);
            CREATE INDEX rows_uid ON rows (uid);
            CREATE TABLE notes (id \(either("INTEGER", "SERIAL")) PRIMARY KEY, row INT REFERENCES rows ON DELETE CASCADE);
            CREATE INDEX notes_row ON notes (row);
            \(hasUniqueKey ? "CREATE UNIQUE INDEX rows_x ON rows (uid, x);" : "")
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO rows (uid, x, what) SELECT 'guest', i, 'something to keep for somebody' FROM n;
            INSERT INTO rows (uid, x) SELECT 'target', x FROM rows WHERE x % 100 = 0;
            INSERT INTO notes (row) SELECT id FROM rows WHERE x % 50 = 0;
            """
        )
        defer { world.remove() }
        // Measured inside the transaction, because other tests can delay the task that waits for it.
        let (moves, time) = try await world.database.write(alone: true) { transaction in
            let start = ContinuousClock.now
            return (try AssetWorld.merge(in: transaction), ContinuousClock.now - start)
        }
        return (moves.map(\.text), time)
    }
}
