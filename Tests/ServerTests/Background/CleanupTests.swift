import AccountDatabase
import Accounts
import Database
import PostgreSQLHarness
import Testing

@testable import Server

@Suite("Clean-up of guests")
struct CleanupTests {
    /// The steps of a story.
    enum Step: Sendable {
        case guest(String), permanent(String), link(String), use(String)
        case on(days: Int64? = nil, since: CleanupSetting.Start? = nil), off
        case ask(String, TicketMailState = .sent, ended: Bool = false)
        case hold(String), release(String)
        /// Time that passes without a sweep.
        case hours(Int64), days(Int64)
        /// A sweep, and the users that exist afterwards.
        case sweep([String])
    }

    struct Story: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [Step]

        init(_ name: String, _ steps: Step...) {
            self.name = name
            self.steps = steps
        }

        var testDescription: String { name }
    }

    static let stories = [
        Story("off, nobody goes", .guest("a"), .days(1000), .sweep(["a"])),
        Story(
            "on, a guest goes 30 days after its creation",
            .on(),
            .guest("a"),
            .days(29),
            .hours(23),
            .sweep(["a"]),
            .hours(1),
            .sweep([])
        ),
        Story(
            "who was there before goes 30 days after switching on",
            .guest("a"),
            .days(100),
            .on(),
            .sweep(["a"]),
            .days(29),
            .hours(23),
            .sweep(["a"]),
            .hours(1),
            .sweep([])
        ),
        Story(
            "off leaves the scheduled ones scheduled",
            .on(),
            .guest("a"),
            .off,
            .guest("b"),
            .days(30),
            .sweep(["b"])
        ),
        Story(
            "off leaves those scheduled that no sweep has come to",
            .guest("a"),
            .on(),
            .off,
            .guest("b"),
            .days(30),
            .sweep(["b"])
        ),
        Story(
            "on again schedules who came in between, and nobody else anew",
            .guest("a"),
            .on(),
            .sweep(["a"]),
            .days(10),
            .off,
            .guest("b"),
            .days(10),
            .on(),
            .sweep(["a", "b"]),
            .days(10),
            .sweep(["b"]),
            .days(19),
            .sweep(["b"]),
            .days(1),
            .sweep([])
        ),
        Story(
            "on, off and on before any sweep: each has the time of its own switching on",
            .guest("a"),
            .on(),
            .days(10),
            .off,
            .guest("b"),
            .days(10),
            .on(),
            .days(10),
            .sweep(["b"]),
            .days(20),
            .sweep([])
        ),
        Story(
            "on when it is on changes nothing",
            .guest("a"),
            .on(),
            .days(20),
            .on(),
            .days(10),
            .sweep([])
        ),
        Story(
            "linking unschedules for good",
            .on(),
            .guest("a"),
            .link("a"),
            .days(60),
            .sweep(["a"]),
            .off,
            .on(),
            .days(60),
            .sweep(["a"])
        ),
        Story(
            "linking before the sweep comes to it does too",
            .guest("a"),
            .on(),
            .link("a"),
            .days(60),
            .sweep(["a"])
        ),
        Story("who never was a guest stays", .permanent("a"), .on(), .permanent("b"), .days(60), .sweep(["a", "b"])),
        Story(
            "other days count for those who come later",
            .on(),
            .guest("a"),
            .on(days: 10),
            .guest("b"),
            .days(10),
            .sweep(["a"]),
            .days(20),
            .sweep([])
        ),
        Story(
            "since last use, a guest that was used stays for as long again",
            .on(since: .lastUse),
            .guest("a"),
            .guest("b"),
            .days(29),
            .use("a"),
            .days(1),
            .sweep(["a"]),
            .days(28),
            .sweep(["a"]),
            .days(1),
            .sweep([])
        ),
        Story(
            "since last use, it may be used again and again",
            .on(since: .lastUse),
            .guest("a"),
            .days(20),
            .use("a"),
            .days(20),
            .sweep(["a"]),
            .use("a"),
            .days(20),
            .sweep(["a"]),
            .days(10),
            .sweep([])
        ),
        Story(
            "since creation, use does not help",
            .on(since: .creation),
            .guest("a"),
            .days(29),
            .use("a"),
            .days(1),
            .sweep([])
        ),
        Story(
            "a live ticket keeps a guest, and only while it lives",
            .on(),
            .guest("a"),
            .guest("b"),
            .days(30),
            .ask("a"),
            .sweep(["a"]),
            .hours(1),
            .sweep([])
        ),
        Story(
            "a ticket whose mail waits keeps a guest",
            .on(),
            .guest("a"),
            .days(29),
            .hours(23),
            .ask("a", .queued),
            .hours(5),
            .sweep(["a"])
        ),
        Story("a ticket that is over keeps nobody", .on(), .guest("a"), .days(30), .ask("a", ended: true), .sweep([])),
        Story(
            "a merge keeps a guest",
            .on(),
            .guest("a"),
            .hold("a"),
            .days(60),
            .sweep(["a"]),
            .release("a"),
            .sweep(["a"]),
            .hours(1),
            .sweep([])
        ),
    ]

    @Test(arguments: stories)
    func `clean-up deletes guests without use, and keeps those who are needed`(story: Story) async throws {
        let meadow = try Meadow()
        for step in story.steps { try await take(step, meadow) }
    }

    private func take(_ step: Step, _ meadow: Meadow) async throws {
        switch step {
        case .guest(let uid): try await meadow.guests([uid])
        case .permanent(let uid): try await meadow.permanent(uid)
        case .link(let uid): try await meadow.link(uid)
        case .use(let uid): try await meadow.database.write { try $0.touchUser(uid) }
        case .on(let days, let since): try await meadow.turn(true, days: days, since: since)
        case .off: try await meadow.turn(false)
        case .ask(let uid, let mail, let ended): try await meadow.ask(uid, mail, ended: ended)
        case .hold(let uid): try await meadow.run("UPDATE users SET merge_id = 'm' WHERE uid = \(uid)")
        case .release(let uid): try await meadow.run("UPDATE users SET merge_id = NULL WHERE uid = \(uid)")
        case .hours(let hours): meadow.advance(hours * Meadow.hour)
        case .days(let days): meadow.advance(days * Meadow.day)
        case .sweep(let living):
            _ = try await meadow.sweep()
            #expect(try meadow.living() == living)
        }
    }

    @Test
    func `a guest that was being created when it was switched on is removed too, and no guest created while it is off`()
        async throws
    {
        let meadow = try Meadow()
        try await meadow.turn(true)
        #expect(try await meadow.sweep().totals == Sweeper.Totals())
        // As a node leaves them if its transaction began before clean-up was turned on and ended after the first sweep.
        try await meadow.guests(["late"])
        try await meadow.run("UPDATE users SET cleanup_at = NULL")
        #expect(try await meadow.sweep().totals.batches.scheduled == 1)
        try await meadow.turn(false)
        try await meadow.guests(["off"])
        _ = try await meadow.sweep()
        meadow.advance(2 * Meadow.hour)
        _ = try await meadow.sweep()
        #expect(try meadow.count("settings WHERE name = 'cleanup-guests-pending'") == 0)
        meadow.advance(30 * Meadow.day)
        #expect(try await meadow.sweep().gone == ["late"])
        #expect(try meadow.living() == ["off"])
    }

    @Test func `guests that are being created are waited for no longer than that can take`() async throws {
        let meadow = try Meadow()
        try await meadow.turn(true)
        _ = try await meadow.sweep()
        #expect(try meadow.count("settings WHERE name = 'cleanup-guests-pending'") == 1)
        meadow.advance(61_000)
        _ = try await meadow.sweep()
        #expect(try meadow.count("settings WHERE name = 'cleanup-guests-pending'") == 0)
    }

    @Test(.disabled(if: TestDatabase.isFile, "a file has no limit for a statement"))
    func `a guest with too many rows for one statement does not keep other guests from removal`() async throws {
        let meadow = try Meadow(statementTimeout: 3_000)
        try await meadow.turn(true)
        try await meadow.guests((0..<40).map { "g\($0)" })
        try await meadow.run(
            """
            CREATE FUNCTION linger() RETURNS TRIGGER LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_sleep(CASE old.uid WHEN 'g30' THEN 9 ELSE 0.05 END); RETURN old; END $$
            """,
            "CREATE TRIGGER linger BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION linger()"
        )
        meadow.advance(30 * Meadow.day)
        let totals = try await meadow.sweep().totals
        #expect(totals.removed == 39)
        #expect(totals.batches.blocked == ["more rows than go in the time of a statement": 1])
        #expect(try meadow.living() == ["g30"])
    }

    @Test func `a user that ever had a credential is never removed, whatever else is wrong`() async throws {
        let meadow = try Meadow()
        try await meadow.guests(["a", "b"])
        try await meadow.permanent("c")
        try await meadow.link("a")
        // As a bug elsewhere would leave them.
        try await meadow.run("UPDATE users SET cleanup_at = 1")
        #expect(try await meadow.sweep().gone == ["b"])
        let doomed = try ["a", "c"].map { uid in
            let number = try meadow.database.readNow {
                try $0.first("SELECT id FROM users WHERE uid = \(uid)") { try $0.integer(0) }
            }
            return DueGuest(number: try #require(number), uid: uid, documents: 0, lastUsedAt: 0, isBusy: false)
        }
        #expect(try await meadow.database.write { try $0.deleteGuests(doomed) } == [])
        #expect(try meadow.living() == ["a", "c"])
        try meadow.checkUIDs()
    }

    @Test func `all that is a guest's goes with it, and nothing of others`() async throws {
        let meadow = try Meadow()
        try await meadow.turn(true)
        try await meadow.guests(["a", "b"])
        meadow.advance(Meadow.day)
        try await meadow.guests(["c"])
        try await meadow.database.write { transaction in
            for uid in ["a", "c"] {
                try transaction.setUsername(try #require(Username("name-\(uid)")), of: uid)
                try transaction.execute(
                    """
                    INSERT INTO documents (uid, collection, name, content, bytes, version, created_at, updated_at)
                    VALUES (\(uid), 'c', 'n', '{}', 2, 1, 1, 1)
                    """
                )
            }
            // A session of a merged user who had the number before, whose device must still learn about the merge.
            try transaction.execute(
                """
                INSERT INTO sessions (sid, uid, user_number, provider, generation, generation_at, auth_time, created_at,
                    last_used_at) SELECT 'old', 'before', id, 'anonymous', 1, 1, 1, 1, 1 FROM users WHERE uid = 'a'
                """
            )
        }
        meadow.advance(29 * Meadow.day)
        #expect(try await meadow.sweep().gone == ["a", "b"])
        #expect(try meadow.count("documents") == 1)
        #expect(try meadow.count("usernames WHERE uid = 'c'") == 1)
        #expect(try meadow.count("usernames") == 1)
        let sessions = try meadow.database.readNow {
            try $0.all("SELECT sid FROM sessions ORDER BY sid") { try $0.text(0) }
        }
        #expect(sessions == ["old", "sid-c"])
        #expect(try meadow.count("audit_log WHERE event = 'user.deleted' AND detail = 'clean-up'") == 2)
        let former = try #require(try meadow.database.readNow { try $0.formerUser("a") })
        #expect(former.goneAt - former.createdAt == 30 * Meadow.day + 1)
        #expect(former.mergedInto == nil)
    }

    @Test func `a batch takes no more than was asked for, of guests and of documents`() async throws {
        let meadow = try Meadow()
        try await meadow.turn(true)
        try await meadow.guests((0..<9).map { "g\($0)" })
        try await meadow.run("UPDATE users SET document_count = 6 WHERE uid < 'g4'")
        meadow.advance(30 * Meadow.day)
        var order = SweepOrder(worker: "w", guests: 3)
        var sizes: [Int] = []
        for documents: Int64 in [12, 1, 12, 12, 12] {
            order.documents = documents
            let batch = try await meadow.database.write { [order] in try meadow.flows.sweep(order, in: $0) }
            sizes.append(batch.removed.count)
            #expect(batch.hasMore == (sizes.count < 5))
        }
        #expect(sizes == [2, 1, 3, 3, 0], "one guest always goes, whatever it has")
    }

    @Test func `two sweepers at once remove all guests, and none twice`() async throws {
        let meadow = try Meadow()
        try await meadow.turn(true)
        let uids = (0..<3000).map { "g\($0)" }
        try await meadow.guests(uids)
        meadow.advance(30 * Meadow.day)
        let other = try meadow.openAgain()
        defer { other.close() }
        let gone = Lines()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (name, database) in [("a", meadow.database), ("b", other)] {
                group.addTask {
                    while try database.readNow({ try $0.needsSweep() }) {
                        let totals = try await meadow.sweeper(name, on: database).sweep { uids in
                            for uid in uids { gone.add(uid) }
                        }
                        if totals == nil { try await Task.sleep(for: .milliseconds(2)) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(gone.all.count == uids.count)
        #expect(Set(gone.all) == Set(uids))
        try meadow.checkUIDs()
        #expect(try meadow.count("sessions") == 0)
        #expect(try meadow.count("leases WHERE leased_until > \(meadow.database.now)") == 0)
    }

    @Test func `what a killed sweeper left is taken up once its lease has run out`() async throws {
        let meadow = try Meadow()
        let uids = (0..<50).map { "g\($0)" }
        try await meadow.guests(uids)
        try await meadow.turn(true)
        // Killed while it schedules guests, and again while it deletes them.
        let order = SweepOrder(worker: "killed", guests: 20)
        let first = try await meadow.database.write { try meadow.flows.sweep(order, in: $0) }
        #expect(first.scheduled == 20)
        #expect(try await meadow.sweeper("b").sweep { _ in } == nil)
        meadow.advance(SharedWork.lease)
        #expect(try await meadow.sweep().totals.batches.scheduled == 30)
        meadow.advance(30 * Meadow.day)
        let second = try await meadow.database.write { try meadow.flows.sweep(order, in: $0) }
        #expect(second.removed.count == 20)
        try meadow.checkUIDs()
        meadow.advance(SharedWork.lease - 1)
        #expect(try await meadow.sweeper("b").sweep { _ in } == nil)
        meadow.advance(1)
        #expect(try await meadow.sweep().totals.removed == 30)
        #expect(try meadow.living() == [])
    }

    @Test func `a sweeper that is stopped between batches leaves the rest, and lets the next one in`() async throws {
        let meadow = try Meadow()
        try await meadow.turn(true)
        try await meadow.guests((0..<1000).map { "g\($0)" })
        meadow.advance(30 * Meadow.day)
        let stopped = Task {
            try await meadow.sweeper().sweep { _ in unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
        }
        let removed = try #require(try await stopped.value).removed
        #expect(removed > 0 && removed < 1000)
        try meadow.checkUIDs()
        #expect(try await meadow.sweep().totals.removed == 1000 - removed)
    }

    // MARK: The operator's own tables

    @Test func `a guest whom a row keeps stays, its table is named, and a day later it goes if it can`() async throws {
        let meadow = try Meadow()
        try await meadow.turn(true)
        try await meadow.guests((0..<600).map { "g\($0)" })
        try await meadow.run(
            "CREATE TABLE orders (id BIGINT PRIMARY KEY, buyer TEXT REFERENCES users (uid))",
            "CREATE TABLE bans (number BIGINT REFERENCES Users ON DELETE RESTRICT)",
            "CREATE TABLE notes (uid TEXT REFERENCES users (uid) ON DELETE CASCADE)",
            "INSERT INTO orders VALUES (1, 'g3'), (2, 'g3'), (3, 'g500')",
            "INSERT INTO bans SELECT id FROM users WHERE uid = 'g7'",
            "INSERT INTO notes VALUES ('g9')"
        )
        meadow.advance(30 * Meadow.day)
        #expect(try meadow.preview().now == 597)
        #expect(try meadow.preview().blocked == ["orders": 2, "bans": 1])
        let named = try meadow.database.readNow { try $0.blockedGuests(limit: 1) }
        #expect(named == ["orders": ["g3"], "bans": ["g7"]])
        let totals = try await meadow.sweep().totals
        #expect(totals.removed == 597)
        #expect(totals.batches.blocked == ["orders": 2, "bans": 1])
        #expect(try meadow.living() == ["g3", "g500", "g7"])
        #expect(try meadow.count("notes") == 0)
        try await meadow.run("DELETE FROM bans")
        #expect(try await meadow.sweep().totals == Sweeper.Totals(), "not again and again")
        meadow.advance(Meadow.day)
        #expect(try await meadow.sweep().gone == ["g7"])
    }

    /// Things that keep a guest and only show when it is deleted.
    enum Keeper: CaseIterable {
        case key, deferredKey, trigger, rollback

        /// The name in the totals.
        var name: String { [.key, .deferredKey].contains(self) ? "shares" : "a trigger" }

        /// Keeps g300, or its row in `todos`.
        func keep(_ transaction: Transaction) throws {
            switch self {
            case .trigger, .rollback:
                let isOfGuest: SQL = "old.uid = 'g300'"
                try transaction.refuse("DELETE ON users", when: isOfGuest, isRollingBack: self == .rollback)
            case .key, .deferredKey:
                let when: SQL = self == .key ? "" : "DEFERRABLE INITIALLY DEFERRED"
                try transaction.execute("CREATE TABLE shares (todo INTEGER REFERENCES todos (id) \(when))")
                try transaction.execute("INSERT INTO shares VALUES (1)")
            }
        }
    }

    @Test(arguments: Keeper.allCases)
    func `a guest that cannot be deleted does not keep other guests from removal`(keeper: Keeper) async throws {
        let meadow = try Meadow()
        try await meadow.turn(true)
        try await meadow.guests((0..<600).map { "g\($0)" })
        try await meadow.run(
            "CREATE TABLE todos (id INTEGER PRIMARY KEY, uid TEXT REFERENCES users (uid) ON DELETE CASCADE)",
            "INSERT INTO todos VALUES (1, 'g300'), (2, 'g301')"
        )
        try await meadow.database.write { try keeper.keep($0) }
        meadow.advance(30 * Meadow.day)
        let totals = try await meadow.sweep().totals
        #expect(totals.removed == 599)
        #expect(totals.batches.blocked == [keeper.name: 1])
        #expect(try meadow.living() == ["g300"])
        #expect(try meadow.count("sessions") == 1)
    }

    // MARK: Preview

    @Test(arguments: CleanupSetting.Start.allCases)
    func `the preview counts whom the sweep then removes`(since: CleanupSetting.Start) async throws {
        let meadow = try Meadow()
        try await meadow.run("CREATE TABLE orders (buyer TEXT REFERENCES users (uid))")
        try await meadow.turn(true, days: 20, since: since)
        for round in 0..<40 {
            let uids = (0..<3).map { "g\(round)-\($0)" }
            try await meadow.guests(uids)
            if round % 3 == 0 { try await meadow.link(uids[0]) }
            if round % 4 == 0 { try await meadow.run("INSERT INTO orders VALUES (\(uids[1]))") }
            meadow.advance(Meadow.day)
            if round % 5 == 0 { try await meadow.database.write { try $0.touchUser(uids[2]) } }
        }
        for uid in ["g1-0", "g2-0"] { try await meadow.ask(uid) }
        try await meadow.run("UPDATE users SET merge_id = 'm' WHERE uid = 'g1-2'")
        let preview = try meadow.preview()
        #expect(preview.guests == 120 - 14)
        #expect(preview.now > 0 && preview.now < preview.inSevenDays && preview.inSevenDays < preview.inThirtyDays)
        var gone = try await meadow.sweep().gone.count
        #expect(Int64(gone) == preview.now)
        try await meadow.run("UPDATE users SET merge_id = NULL")
        meadow.advance(7 * Meadow.day)
        gone += try await meadow.sweep().gone.count
        #expect(Int64(gone) == preview.inSevenDays)
        meadow.advance(23 * Meadow.day)
        gone += try await meadow.sweep().gone.count
        #expect(Int64(gone) == preview.inThirtyDays)
    }

    @Test func `while it is off, the preview tells what switching on would do`() async throws {
        let meadow = try Meadow()
        try await meadow.turn(true)
        try await meadow.guests(["a", "b"])
        meadow.advance(25 * Meadow.day)
        try await meadow.turn(false)
        try await meadow.guests(["c", "d", "e"])
        let preview = try meadow.preview()
        #expect(preview.guests == 5 && preview.scheduled == 2)
        #expect([preview.now, preview.inSevenDays, preview.inThirtyDays] == [0, 2, 5])
        try await meadow.turn(true)
        meadow.advance(7 * Meadow.day)
        #expect(try await meadow.sweep().gone == ["a", "b"])
        meadow.advance(23 * Meadow.day)
        #expect(try await meadow.sweep().gone == ["c", "d", "e"])
    }
}
