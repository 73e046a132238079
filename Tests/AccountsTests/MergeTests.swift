import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import Testing
import Tokens

@Suite("Merges of documents")
struct MergeTests {
    /// Two documents of the same name, and the expected result.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let policy: DocumentMergePolicy
        var existing: String? = #"{"a":1}"#
        var anonymous: String? = #"{"a":2}"#
        /// Whether the guest's write is the later one.
        var guestIsLater = true
        /// What the account has under the name afterwards; the other documents are new.
        let kept: String
        var second: String?
        let outcome: MergeReport.Outcome?

        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "no conflict", policy: .keepExisting, existing: nil, kept: #"{"a":2}"#, outcome: nil),
        Case(name: "keepExisting", policy: .keepExisting, kept: #"{"a":1}"#, outcome: .keptExisting),
        Case(name: "keepAnonymous", policy: .keepAnonymous, kept: #"{"a":2}"#, outcome: .keptAnonymous),
        Case(name: "keepBoth", policy: .keepBoth, kept: #"{"a":1}"#, second: #"{"a":2}"#, outcome: .keptBoth),
        Case(name: "newest, the guest's", policy: .newest, kept: #"{"a":2}"#, outcome: .keptAnonymous),
        Case(
            name: "newest, the account's",
            policy: .newest,
            guestIsLater: false,
            kept: #"{"a":1}"#,
            outcome: .keptExisting
        ),
        Case(
            name: "deepMerge, both sides have something new",
            policy: .deepMerge(winner: .existing),
            existing: #"{"x":1.50,"in":{"p":1,"q":[1]},"both":"e"}"#,
            anonymous: #"{"new":12345678901234567890,"in":{"q":[2,3],"r":null},"both":"a"}"#,
            kept: #"{"x":1.50,"in":{"p":1,"q":[1],"r":null},"both":"e","new":12345678901234567890}"#,
            outcome: .merged
        ),
        Case(
            name: "deepMerge, the guest wins",
            policy: .deepMerge(winner: .anonymous),
            existing: #"{"x":1,"in":{"p":1,"q":[1]},"o":{"k":1}}"#,
            anonymous: #"{"in":{"q":[2]},"o":7}"#,
            kept: #"{"x":1,"in":{"p":1,"q":[2]},"o":7}"#,
            outcome: .merged
        ),
        Case(
            name: "deepMerge, names by their bytes",
            policy: .deepMerge(winner: .anonymous),
            existing: #"{"é":1}"#,
            anonymous: "{\"e\u{301}\":2}",
            kept: "{\"é\":1,\"e\u{301}\":2}",
            outcome: .merged
        ),
        Case(
            name: "deepMerge, nothing new",
            policy: .deepMerge(winner: .existing),
            existing: #"{"a":1,"b":2}"#,
            anonymous: #"{"b":3}"#,
            kept: #"{"a":1,"b":2}"#,
            outcome: .merged
        ),
    ]

    @Test(arguments: cases)
    func `a conflict is settled by the policy of its collection, and the report says how`(test: Case) async throws {
        let scene = try Scene { $0.documentMerges.collections["notes"] = test.policy }
        let ann = try await scene.account("ann@example.com")
        let guest = try await scene.guest()
        let writers = [(test.existing, ann), (test.anonymous, guest)]
        for (content, person) in test.guestIsLater ? writers : writers.reversed() {
            if let content { try await scene.set("n", in: "notes", to: content, by: person) }
        }
        try await scene.set("m", in: "other", to: "{}", by: guest)
        let before = try Usage(of: ann.uid, scene)
        let redemption = try await scene.redemption(of: "ann@example.com", by: guest, onConflict: .merge)
        let merged = try #require(try await scene.redeem(redemption).merged)

        let documents = try scene.documents(of: ann.uid)
        #expect(documents["notes/n"] == test.kept)
        #expect(documents["other/m"] == "{}")
        let new = documents.keys.filter { $0 != "notes/n" && $0 != "other/m" }.sorted()
        #expect(new.map { documents[$0] } == (test.second.map { [$0] } ?? []))
        #expect(try scene.documents(of: guest.uid).isEmpty)

        let isConflict = test.outcome != nil
        let newID: JSONValue? = new.first.map { .string(String($0.dropFirst("notes/".count))) }
        if let id = newID?.string { #expect(id.wholeMatch(of: /n-[A-Za-z0-9]{6}/) != nil, "\(id)") }
        var conflict = JSONObject()
        conflict["collection"] = "notes"
        conflict["id"] = "n"
        conflict["outcome"] = test.outcome.map { .string($0.rawValue) }
        conflict["newId"] = newID
        let expected: JSONValue = [
            "mergeId": .string(redemption.mergeID), "anonymousLocalId": .string(guest.uid), "localId": .string(ann.uid),
            "dryRun": false, "mergedAt": .string(Timestamp.rfc3339(milliseconds: scene.now)),
            "documents": [
                "moved": isConflict ? 1 : 2,
                "collections": [
                    [
                        "collection": "notes", "policy": .string(test.policy.name.rawValue),
                        "moved": isConflict ? 0 : 1,
                        "conflicts": isConflict ? 1 : 0,
                    ], ["collection": "other", "policy": "keepExisting", "moved": 1, "conflicts": 0],
                ], "conflicts": isConflict ? [.object(conflict)] : [],
            ], "tables": [], "username": ["outcome": "none"], "profile": ["moved": []],
        ]
        #expect(try JSONValue.parse(merged.report) == expected)

        let after = try Usage(of: ann.uid, scene)
        let changed = documents.filter { $0.key != "notes/n" || test.existing == nil || $0.value != test.existing }
        #expect(after.changes.map(\.name).sorted() == (before.changes.map(\.name) + changed.keys).sorted())
        try after.check()
    }

    @Test func `documents beyond a thousand raise the number without a change for each, and conflicts are counted`()
        async throws
    {
        let scene = try Scene { $0.documents.guestMaxCount = 10_000 }
        let ann = try await scene.account("ann@example.com")
        let guest = try await scene.guest()
        try await scene.run { flows, transaction in
            for person in [ann, guest] {
                for batch in 0..<11 {
                    let writes = try (0..<100).map {
                        let name = try DocumentName(
                            collection: "c",
                            id: "\(person == ann || $0 > 0 ? "" : "own")\(batch)-\($0)"
                        )
                        return DocumentWrite(name, .set(#"{"n":1}"#))
                    }
                    _ = try flows.write(writes, of: person.token, in: transaction)
                }
                guard person == guest else { continue }
                for batch in 11..<23 {
                    let writes = try (0..<100).map {
                        DocumentWrite(try DocumentName(collection: "c", id: "\(batch)-\($0)"), .set("{}"))
                    }
                    _ = try flows.write(writes, of: person.token, in: transaction)
                }
            }
        }
        let before = try Usage(of: ann.uid, scene)
        let redemption = try await scene.redemption(of: "ann@example.com", by: guest, onConflict: .merge)
        let report = try JSONValue.parse(try #require(try await scene.redeem(redemption).merged).report)
        #expect(report["documents"]?["moved"]?.int64 == 1211)
        #expect(report["documents"]?["collections"]?.array?.first?["conflicts"]?.int64 == 1089)
        #expect(report["documents"]?["conflicts"]?.array?.count == 1000)
        #expect(report["documents"]?["conflictsOmitted"]?.int64 == 89)
        let after = try Usage(of: ann.uid, scene)
        #expect(after.number == before.number + 1211)
        #expect(after.changes.count == before.changes.count, "listeners find a gap and list anew")
        try after.check()
    }

    @Test func `a new name is never longer than names may be, never taken, and the dry run tells it`() async throws {
        let scene = try Scene { $0.documentMerges.standard = .keepBoth }
        let ann = try await scene.account("ann@example.com")
        let guest = try await scene.guest()
        let long = String(repeating: "x", count: 128)
        for id in [long, String(long.dropLast()) + "y", "n"] {
            try await scene.set(id, in: "c", to: #"{"of":"ann"}"#, by: ann)
            try await scene.set(id, in: "c", to: #"{"of":"guest"}"#, by: guest)
        }
        let told = try await scene.dryRun(guest, into: ann)
        let names =
            try JSONValue.parse(told)["documents"]?["conflicts"]?.array?.compactMap { $0["newId"]?.string } ?? []
        #expect(names.count == 3)
        // The account already has a document with a name that one of them would get.
        try await scene.set(try #require(names.first), in: "c", to: #"{"of":"ann, too"}"#, by: ann)
        let merged = try await scene.merge(guest, into: ann)
        let other =
            try JSONValue.parse(merged)["documents"]?["conflicts"]?.array?.compactMap { $0["newId"]?.string } ?? []
        #expect(Set(other).intersection(names) == Set(names.dropFirst()))
        #expect(Set(other).count == 3)
        for name in other { try DocumentName.check(name) }
        #expect(try scene.documents(of: ann.uid).count == 7)
    }

    @Test func `a username and the profile move where the account has none, and the name is free otherwise`()
        async throws
    {
        let scene = try Scene()
        for isTaken in [false, true] {
            let email = isTaken ? "bob@example.com" : "ann@example.com"
            let account = try await scene.account(email)
            let guest = try await scene.guest()
            try await scene.run { flows, transaction in
                var names = [(guest.uid, "guest\(isTaken)")]
                if isTaken { names.append((account.uid, "own")) }
                for (uid, name) in names {
                    try transaction.execute(
                        "INSERT INTO usernames (uid, name, canonical, created_at) VALUES (\(uid), \(name), \(name), 0)"
                    )
                }
                for (uid, name) in names {
                    var user = try #require(try transaction.user(uid))
                    user.displayName = name
                    user.photoURL = uid == guest.uid ? "https://example.com/p.png" : nil
                    try transaction.update(user)
                }
            }
            let report = try JSONValue.parse(try await scene.merge(guest, into: account))
            let (user, names) = try scene.database.readNow { transaction in
                let names = try transaction.all("SELECT name FROM usernames WHERE uid = \(account.uid)") {
                    try $0.text(0)
                }
                return (try transaction.user(account.uid), names)
            }
            #expect(names == [isTaken ? "own" : "guestfalse"])
            #expect(user?.displayName == names.first)
            #expect(user?.photoURL == "https://example.com/p.png")
            let outcome = isTaken ? "dropped" : "moved"
            #expect(report["username"] == ["outcome": .string(outcome), "username": .string("guest\(isTaken)")])
            #expect(report["profile"]?["moved"]?.array == (isTaken ? ["photoUrl"] : ["displayName", "photoUrl"]))
        }
    }

    @Test func `however many documents move, the statements are the same`() async throws {
        var statements: [Int] = []
        for count in [100, 1000, 10_000] {
            let scene = try Scene {
                $0.documents.guestMaxCount = 10_000
                $0.documents.guestMaxTotalBytes = 10 << 20
            }
            let ann = try await scene.account("ann@example.com")
            let guest = try await scene.guest()
            try await scene.run { flows, transaction in
                for start in stride(from: 0, to: count, by: 100) {
                    let writes = try (0..<100).map {
                        let name = try DocumentName(collection: "c", id: "document-\(start + $0)")
                        return DocumentWrite(name, .set(#"{"text":"\#(String(repeating: "x", count: 200))"}"#))
                    }
                    _ = try flows.write(writes, of: guest.token, in: transaction)
                }
            }
            let clock = ContinuousClock()
            let start = clock.now
            let (run, error) = await scene.statements(failing: nil) { _ = try await scene.merge(guest, into: ann) }
            print("merge of \(count) documents: \(run) statements, \(clock.now - start)")
            #expect(error == nil)
            #expect(try scene.documents(of: ann.uid).count == count)
            statements.append(run)
        }
        // Beyond a thousand, the changes are recorded neither one by one nor in bulk.
        #expect(statements[0] == statements[1])
        #expect(statements[2] == statements[0] - 1)
        #expect(statements[0] <= 22)
    }
}

/// The counts that the database keeps of a user's documents, and the documents themselves.
struct Usage {
    let number: Int64
    let count: Int64
    let bytes: Int64
    let changes: [(number: Int64, name: String)]
    let versions: [Int64]
    let sizes: [Int64]

    init(of uid: String, _ scene: Scene) throws {
        self = try scene.database.readNow { try Usage(of: uid, in: $0) }
    }

    init(of uid: String, in transaction: Transaction) throws {
        let counts = try transaction.first(
            "SELECT change_number, document_count, document_bytes FROM users WHERE uid = \(uid)"
        ) { [try $0.integer(0), try $0.integer(1), try $0.integer(2)] }
        (number, count, bytes) = (counts?[0] ?? -1, counts?[1] ?? -1, counts?[2] ?? -1)
        changes = try transaction.all(
            "SELECT number, collection, name FROM changes WHERE uid = \(uid) ORDER BY number"
        ) { (try $0.integer(0), "\(try $0.text(1))/\(try $0.text(2))") }
        versions = try transaction.all("SELECT version FROM documents WHERE uid = \(uid)") { try $0.integer(0) }
        sizes = try transaction.all("SELECT bytes, content FROM documents WHERE uid = \(uid)") {
            try $0.integer(0) == Int64($0.text(1).utf8.count) ? try $0.integer(0) : -1
        }
        .filter { $0 >= 0 }
    }

    /// Compares the counts with the documents.
    func check() throws {
        #expect(count == Int64(versions.count))
        #expect(sizes.count == versions.count, "a document's size is wrong")
        #expect(bytes == sizes.reduce(0, +))
        #expect(Set(versions).count == versions.count, "a change number came twice")
        #expect(versions.allSatisfy { (1...max(1, number)).contains($0) })
        #expect(changes.allSatisfy { $0.number <= number })
    }
}

extension Scene {
    /// Merges by `accounts:merge`.
    ///
    /// - Returns: the report.
    func merge(_ guest: Person, into account: Person) async throws -> String {
        let request = MergeRequest(
            token: account.token,
            anonymousToken: guest.token,
            id: try TokenID.random().text,
            isDryRun: false
        )
        return try await run { try $0.merge(request, in: $1).report }
    }

    /// Returns the report of a dry run.
    func dryRun(_ guest: Person, into account: Person) async throws -> String {
        struct Told: Error { let report: String }
        let request = MergeRequest(
            token: account.token,
            anonymousToken: guest.token,
            id: try TokenID.random().text,
            isDryRun: true
        )
        do {
            try await run { throw Told(report: try $0.merge(request, in: $1).report) }
            return ""
        } catch let told as Told { return told.report }
    }
}
