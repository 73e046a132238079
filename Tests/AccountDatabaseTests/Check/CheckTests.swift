import DatabaseHarness
import PostgreSQLHarness
import Testing

@testable import AccountDatabase
@testable import Database

/// The checks of `latchkey database check`, on both engines.
@Suite("Checks of whole databases", .enabled(if: TestDatabase.isEnginesTurn)) struct CheckTests {
    /// A broken rule, and the statements that break it.
    struct Damage: Sendable, CustomTestStringConvertible {
        let rule: String
        let script: String
        let examples: [String]
        /// Other rules that are necessarily broken too.
        var others: Set<String> = []

        var testDescription: String { rule }

        init(_ rule: String, _ script: String, _ examples: [String], and others: Set<String> = []) {
            self.rule = rule
            self.script = script
            self.examples = examples
            self.others = others
        }
    }

    static let damages = [
        Damage("user-twice", "INSERT INTO former_users (uid, created_at, gone_at) VALUES ('ann', 1, 2)", ["ann"]),
        Damage("user-lost", "INSERT INTO audit_log (at, event, uid) VALUES (1, 'x', 'who'), (2, 'y', 'who')", ["who"]),
        Damage("successor-unknown", "UPDATE former_users SET merged_into = 'who' WHERE uid = 'late'", ["late"]),
        Damage(
            "successor-circle",
            "UPDATE former_users SET merged_into = 'early' WHERE uid = 'late'",
            ["early", "late"]
        ),
        Damage("successor-circle", "UPDATE former_users SET merged_into = 'late' WHERE uid = 'late'", ["late"]),
        Damage(
            "merge-not-done",
            "UPDATE former_users SET merged_into = NULL WHERE uid = 'merged'",
            ["m1"],
            and: ["session-without-owner"]
        ),
        Damage("merge-not-done", "UPDATE former_users SET merged_into = 'late' WHERE uid = 'merged'", ["m1"]),
        Damage(
            "merge-without-guest",
            "UPDATE users SET merge_id = NULL WHERE uid = 'guest'",
            ["m2"]
        ),
        Damage(
            "guest-held",
            "UPDATE merges SET state = 'cancelled' WHERE merge = 'm2'; UPDATE webhook_deliveries SET state = 'delivered'",
            ["guest"]
        ),
        Damage(
            "question-open",
            "UPDATE merges SET state = 'cancelled' WHERE merge = 'm2'; UPDATE users SET merge_id = NULL",
            ["w1"]
        ),
        Damage("session-alive", "UPDATE sessions SET ended_at = NULL", ["merged"]),
        Damage("session-without-owner", "UPDATE sessions SET uid = 'deleted' WHERE sid = 's2'", ["deleted"]),
        Damage("session-not-found", "UPDATE sessions SET user_number = 0", ["ann"]),
        Damage("code-without-ticket", "DELETE FROM tickets", ["1"]),
        Damage("documents-miscounted", "UPDATE users SET document_count = 3 WHERE uid = 'ann'", ["ann"]),
        Damage("documents-miscounted", "UPDATE users SET document_bytes = 1 WHERE uid = 'guest'", ["guest"]),
        Damage("version-ahead", "UPDATE documents SET version = 4 WHERE id = 2", ["2"]),
        Damage("change-ahead", "UPDATE changes SET number = 4 WHERE id = 2", ["2"]),
        Damage("administrator-unknown", "UPDATE settings SET value = 'ann deleted'", ["deleted"]),
        Damage("identities-without-owner", "UPDATE identities SET uid = 'who'", ["who"]),
        Damage(
            "documents-without-owner",
            "UPDATE documents SET uid = 'merged' WHERE id = 1",
            ["merged"],
            and: ["documents-miscounted"]
        ),
        Damage("changes-without-owner", "UPDATE changes SET uid = 'who'", ["who", "who"]),
        Damage("usernames-without-owner", "UPDATE usernames SET uid = 'deleted'", ["deleted"]),
    ]

    @Test(arguments: TestDatabase.Engine.allCases)
    func `a sound database has nothing to be found`(engine: TestDatabase.Engine) throws {
        let place = try Place(engine)
        try place.tamper(Place.world)
        let snapshot = try place.snapshot()
        defer { snapshot.close() }
        #expect(try snapshot.transaction.check() == [])
        let rows = try snapshot.transaction.countRows()
        #expect(Set(rows.map(\.table)) == Set(OwnTables.copied))
        #expect(rows.allSatisfy { $0.rows > 0 })
    }

    @Test(arguments: TestDatabase.Engine.allCases, damages)
    func `what must not be is found`(engine: TestDatabase.Engine, damage: Damage) throws {
        let place = try Place(engine)
        try place.tamper(Place.world)
        try place.tamper(damage.script)
        let snapshot = try place.snapshot()
        defer { snapshot.close() }
        let findings = try snapshot.transaction.check()
        #expect(Set(findings.map(\.rule)) == damage.others.union([damage.rule]))
        let finding = try #require(findings.first { $0.rule == damage.rule })
        #expect(finding.examples == damage.examples)
        #expect(finding.count == Int64(damage.examples.count))
    }

    @Test func `every rule is broken by a test`() throws {
        let place = try Place(.sqlite)
        let snapshot = try place.snapshot()
        defer { snapshot.close() }
        var rules: Set = ["administrator-unknown"]
        _ = try snapshot.transaction.check { rules.insert($0) }
        #expect(rules == Set(Self.damages.map(\.rule)))
    }

    @Test(arguments: TestDatabase.Engine.allCases)
    func `of many findings a few are shown and all are counted`(engine: TestDatabase.Engine) throws {
        let place = try Place(engine)
        let rows = (1...25).map { "('x\($0)', 1, 2, 'nobody')" }.joined(separator: ", ")
        try place.tamper("INSERT INTO former_users (uid, created_at, gone_at, merged_into) VALUES \(rows)")
        let snapshot = try place.snapshot()
        defer { snapshot.close() }
        let finding = try #require(try snapshot.transaction.check().first)
        #expect(finding.count == 25)
        #expect(finding.examples.count == 10)
    }

    @Test(arguments: TestDatabase.Engine.allCases)
    func `a look is at one moment, whatever is written meanwhile`(engine: TestDatabase.Engine) throws {
        let place = try Place(engine)
        let snapshot = try place.snapshot()
        defer { snapshot.close() }
        try place.tamper(Place.world)
        #expect(try snapshot.transaction.countRows().allSatisfy { $0.table == "schema_migrations" || $0.rows == 0 })
    }

    @Test(arguments: TestDatabase.Engine.allCases)
    func `a look changes nothing and wants exactly this program's schema`(engine: TestDatabase.Engine) throws {
        let place = try Place(engine)
        let snapshot = try place.snapshot()
        #expect(throws: DatabaseError.self) {
            try snapshot.transaction.set("a", to: "b")
            // An engine across a network sends a change with the next query.
            _ = try snapshot.transaction.setting("a")
        }
        snapshot.close()

        try place.tamper("DELETE FROM schema_migrations WHERE number = 3")
        #expect(throws: DatabaseError.self) { try place.snapshot() }
        try place.tamper(
            "INSERT INTO schema_migrations (number, name, checksum, applied_at) VALUES (99, 'later', 'x', 1)"
        )
        #expect(throws: DatabaseError.self) { try place.snapshot() }
        #expect(throws: DatabaseError.self) { try Place(engine, isEmpty: true).snapshot() }
    }

    @Test(arguments: TestDatabase.Engine.allCases)
    func `a look that has ended is over for good`(engine: TestDatabase.Engine) throws {
        let place = try Place(engine)
        for _ in 0..<50 {
            let snapshot = try place.snapshot()
            snapshot.close()
            snapshot.close()
            #expect(throws: DatabaseError.self) { try snapshot.wasOvertaken() }
            #expect(throws: DatabaseError.self) { try snapshot.transaction.countRows() }
        }
    }
}
