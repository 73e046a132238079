import Accounts
import Database
import Foundation
import JSON
import PostgreSQLHarness
import Server
import Testing

@Suite("Merges")
struct MergeTests {
    private static func merge(_ account: Tokens, _ guest: Tokens, dryRun: Bool? = nil) -> JSONValue {
        var body = JSONObject()
        body.append("idToken", .string(account.idToken))
        body.append("anonymousIdToken", .string(guest.idToken))
        if let dryRun { body.append("dryRun", .bool(dryRun)) }
        return .object(body)
    }

    @Test(arguments: MergePath.allCases)
    func `what a guest made moves to the account, by every way, and repeating the call answers the same`(
        path: MergePath
    )
        async throws
    {
        try await TestServer.run { server in
            let account = try server.signIn("ann@example.com")
            _ = try server.document("PUT", "numbers/favourite", #"{"n":17}"#, account.idToken)
            let guest = try server.guest()
            let refreshed = try server.refresh(guest.refreshToken)
            for (place, content) in [("numbers/favourite", #"{"n":4}"#), ("todos/a", "{}"), ("todos/b", "{}")] {
                #expect(try server.document("PUT", place, content, guest.idToken).status == 201)
            }
            _ = try server.call("accounts:update", ["idToken": .string(guest.idToken), "displayName": "Ann"])
            let username = try server.send(
                "POST",
                "/v1/accounts:setUsername",
                headers: ["Authorization: Bearer \(guest.idToken)"],
                body: Array(#"{"username":"Ann_1"}"#.utf8)
            )
            #expect(username.status == 200, "\(username.text)")
            server.log.clear()

            let (call, body, answer) = try path.merge(guest, into: account, "ann@example.com", server)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["localId"] == account.uid)
            if path != .call {
                #expect(answer.json["merged"]?.bool == true)
                #expect(answer.json["isNewUser"]?.bool == false)
                #expect(try server.lookup(answer["idToken"]).status == 200)
            }
            let report = try #require(path.report(answer))
            let merged: JSONValue = [
                "mergeId": report["mergeId"] ?? nil, "anonymousLocalId": .string(guest.uid),
                "localId": .string(account.uid), "dryRun": false, "mergedAt": report["mergedAt"] ?? nil,
                "documents": [
                    "moved": 2,
                    "collections": [
                        ["collection": "numbers", "policy": "keepExisting", "moved": 0, "conflicts": 1],
                        ["collection": "todos", "policy": "keepExisting", "moved": 2, "conflicts": 0],
                    ], "conflicts": [["collection": "numbers", "id": "favourite", "outcome": "keptExisting"]],
                ], "tables": [], "username": ["outcome": "moved", "username": "Ann_1"],
                "profile": ["moved": ["displayName"]],
            ]
            #expect(report == merged)
            #expect(
                try server.allDocuments(account.idToken) == [
                    "numbers/favourite": ["n": 17], "todos/a": [:], "todos/b": [:],
                ]
            )
            #expect(try server.user(account.idToken)["displayName"]?.string == "Ann")

            // The guest no longer exists, for any of its tokens.
            for token in [guest.idToken, refreshed["id_token"]] {
                #expect(try server.lookup(token).code == "USER_NOT_FOUND")
                #expect(try server.document("PUT", "todos/c", "{}", token).status == 400)
            }
            for token in [guest.refreshToken, refreshed["refresh_token"]] {
                #expect(try server.refresh(token).code == "TOKEN_EXPIRED")
            }
            let lines = server.log.all.filter { $0.contains("user.merged") }
            #expect(lines.count == 1)
            for part in [#""uid":"\#(guest.uid)""#, #""is_anon":true"#, #""outcome":"done""#] {
                #expect(lines.first?.contains(part) == true, "\(part)")
            }

            func repeats(_ server: TestServer) throws {
                let again = try server.call(call, body)
                #expect(again.status == 200, "\(again.text)")
                #expect(path.report(again).map { $0.serialized() } == report.serialized())
                #expect(again["refreshToken"] == answer["refreshToken"])
                #expect(again["localId"] == account.uid)
            }
            try repeats(server)
            #expect(server.log.all.count { $0.contains("user.merged") } == 1)
            try server.restarted { restarted in
                try repeats(restarted)
                restarted.clock.advance(seconds: 3700)
                #expect(try restarted.call(call, body).status == 400, "not for ever")
            }
        }
    }

    /// Merges that are refused.
    enum Refused: String, CaseIterable, Sendable {
        case permanentGuest, administratorsUser, unlinkedUser, intoAnonymous, oneselfPermanent, oneselfAnonymous
        case deletedTarget, deletedGuest, disabledTarget, disabledGuest, signedOutTarget, expiredGuestToken, heldGuest

        var code: String {
            switch self {
            case .permanentGuest, .administratorsUser, .unlinkedUser, .oneselfPermanent: "NOT_ANONYMOUS"
            case .intoAnonymous, .oneselfAnonymous: "NOT_PERMANENT"
            case .deletedTarget, .deletedGuest: "USER_NOT_FOUND"
            case .disabledTarget, .disabledGuest: "USER_DISABLED"
            case .signedOutTarget, .expiredGuestToken: "TOKEN_EXPIRED"
            case .heldGuest: "MERGE_IN_PROGRESS"
            }
        }

        /// Prepares the two users to merge.
        func stage(_ server: TestServer) throws -> (target: Tokens, guest: Tokens) {
            let ann = try server.signIn("ann@example.com")
            let guest = try server.guest()
            _ = try server.document("PUT", "c/d", "{}", guest.idToken)
            func set(_ column: SQLColumn, of uid: String) throws {
                try server.withDatabase { try $0.execute(column.statement(uid)) }
            }
            switch self {
            case .permanentGuest: return (ann, try server.signIn("bob@example.com"))
            case .administratorsUser:
                try set(.neverAnonymous, of: guest.uid)
                return (ann, guest)
            case .unlinkedUser:
                let linked = try Tokens(
                    server.redeem(
                        server.askForLink("bob@example.com").oobCode,
                        "bob@example.com",
                        idToken: guest.idToken
                    )
                )
                let unlinked = try server.call(
                    "accounts:update",
                    ["idToken": .string(linked.idToken), "deleteProvider": ["password"]]
                )
                #expect(unlinked.status == 200)
                return (ann, linked)
            case .intoAnonymous: return (try server.guest(), guest)
            case .oneselfPermanent: return (ann, ann)
            case .oneselfAnonymous: return (guest, guest)
            case .deletedTarget, .deletedGuest:
                let gone = self == .deletedTarget ? ann : guest
                _ = try server.call("accounts:delete", ["idToken": .string(gone.idToken)])
            case .disabledTarget: try set(.disabled, of: ann.uid)
            case .disabledGuest: try set(.disabled, of: guest.uid)
            case .heldGuest: try set(.held, of: guest.uid)
            case .signedOutTarget: _ = try server.call("accounts:signOut", ["refreshToken": .string(ann.refreshToken)])
            case .expiredGuestToken:
                server.clock.advance(seconds: 3700)
                return (try server.signIn("ann@example.com"), guest)
            }
            return (ann, guest)
        }
    }

    /// States that no call can produce yet.
    enum SQLColumn {
        case neverAnonymous, disabled, held

        func statement(_ uid: String) -> SQL {
            switch self {
            case .neverAnonymous: "UPDATE users SET anonymous_since = NULL WHERE uid = \(uid)"
            case .disabled: "UPDATE users SET disabled_at = 1 WHERE uid = \(uid)"
            case .held: "UPDATE users SET merge_id = 'another' WHERE uid = \(uid)"
            }
        }
    }

    @Test(arguments: Refused.allCases)
    func `a merge that may not be is refused, and changes nothing`(refused: Refused) async throws {
        try await TestServer.run { server in
            let (target, guest) = try refused.stage(server)
            let before = try server.dump()
            for dryRun in [nil, true, false] {
                let answer = try server.call("accounts:merge", Self.merge(target, guest, dryRun: dryRun))
                #expect(answer.code == refused.code, "\(answer.text)")
            }
            #expect(try server.dump() == before)
        }
    }

    @Test func `a sign-in that would merge away who is no guest keeps link, ticket and both users`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let bob = try server.signIn("bob@example.com")
            let asked = try server.askForLink("ann@example.com", idToken: bob.idToken)
            try server.waitUntilMailsAreFinished()
            let link: JSONValue = [
                "email": "ann@example.com", "oobCode": .string(asked.oobCode), "idToken": .string(bob.idToken),
                "onConflict": "merge",
            ]
            let ticket: JSONValue = [
                "ticket": .string(asked.ticket), "code": .string(asked.mail.digits), "onConflict": "merge",
            ]
            let before = try server.dump()
            #expect(try server.call("accounts:signInWithEmailLink", link).code == "NOT_ANONYMOUS")
            #expect(try server.call("accounts:signInWithTicket", ticket).code == "NOT_ANONYMOUS")
            #expect(try server.dump() == before)
            #expect(try server.redeem(asked.oobCode, "ann@example.com")["localId"] == ann.uid)
        }
    }

    @Test func `both tokens are asked for, and both must be good`() async throws {
        try await TestServer.run { server in
            let account = try server.signIn("ann@example.com")
            let guest = try server.guest()
            for (body, code) in [
                ([:], "MISSING_ID_TOKEN"), (["anonymousIdToken": .string(guest.idToken)], "MISSING_ID_TOKEN"),
                (["idToken": .string(account.idToken)], "MISSING_ANONYMOUS_ID_TOKEN"),
                (["idToken": "a.b.c", "anonymousIdToken": .string(guest.idToken)], "INVALID_ID_TOKEN"),
                (["idToken": .string(account.idToken), "anonymousIdToken": "a.b.c"], "INVALID_ID_TOKEN"),
            ] as [(JSONValue, String)] {
                #expect(try server.call("accounts:merge", body).code == code)
            }
            #expect(try server.lookup(guest.idToken).status == 200)
        }
    }

    @Test func `a dry run tells what the merge then does, and changes nothing`() async throws {
        let file = """
            { merge: { documents: { default: "newest", collections: {
                notes: { policy: "deepMerge", winner: "anonymous" }, "a.b": { policy: "keepBoth" } } } } }
            """
        try await TestServer.run(file: file) { server in
            let account = try server.signIn("ann@example.com")
            let guest = try server.guest()
            for tokens in [account, guest] {
                for place in ["notes/n", "a.b/n", "other/n"] {
                    _ = try server.document("PUT", place, #"{"of":"\#(tokens.uid)"}"#, tokens.idToken)
                }
            }
            let before = try server.dump()
            let dry = try server.call("accounts:merge", Self.merge(account, guest, dryRun: true))
            #expect(try server.dump() == before)
            #expect(!server.log.contains("user.merged"))
            #expect(try server.document("PUT", "notes/n", #"{"of":"\#(guest.uid)"}"#, guest.idToken).status == 200)
            let real = try server.call("accounts:merge", Self.merge(account, guest))
            var told = try #require(dry.json["report"]?.object)
            var done = try #require(real.json["report"]?.object)
            #expect(told["dryRun"]?.bool == true)
            #expect(done["dryRun"]?.bool == false)
            #expect(
                done["documents"]?["conflicts"]?.array?.map { $0["outcome"] } == [
                    "keptBoth", "merged", "keptAnonymous",
                ]
            )
            for name in ["dryRun", "mergeId", "mergedAt"] {
                told[name] = nil
                done[name] = nil
            }
            #expect(told == done)
            let after = try server.call("accounts:merge", Self.merge(account, guest, dryRun: true))
            #expect(after.json["report"] == real.json["report"], "what has been done is no trial any more")
        }
    }

    @Test(arguments: [MergePath.link, .code, .approval])
    func `a sign-in can report what a merge would do, and changes nothing`(path: MergePath) async throws {
        try await TestServer.run { server in
            let email = "ann@example.com"
            let account = try server.signIn(email)
            let guest = try server.guest()
            for place in ["notes/a", "notes/b"] { _ = try server.document("PUT", place, "{}", guest.idToken) }
            _ = try server.document("PUT", "notes/b", #"{"of":"ann"}"#, account.idToken)
            let (call, body, first) = try path.merge(guest, into: account, email, server, onConflict: "report")
            let before = try server.dump()
            let second = try server.call(call, body)
            #expect(try server.dump() == before)
            #expect(!server.log.contains("user.merged"))
            var reports: [JSONObject] = []
            for answer in [first, second] {
                #expect(answer.status == 400)
                #expect(answer.code == "EMAIL_EXISTS")
                reports.append(try #require(answer.json["error"]?["mergeReport"]?.object))
            }
            var merging = try #require(body.object)
            merging["onConflict"] = "merge"
            let real = try server.call(call, .object(merging))
            #expect(real.json["localId"] == .string(account.uid))
            reports.append(try #require(path.report(real)?.object))
            #expect(reports.map { $0["dryRun"]?.bool } == [true, true, false])
            #expect(reports[0]["documents"]?["moved"]?.int64 == 1)
            #expect(reports[0]["documents"]?["conflicts"]?.array?.count == 1)
            for index in reports.indices {
                for name in ["dryRun", "mergeId", "mergedAt"] { reports[index][name] = nil }
            }
            #expect(reports.allSatisfy { $0 == reports[0] }, "the merge does what was reported")
        }
    }

    @Test func `a report of a conflict with a user who is no guest is refused`() async throws {
        try await TestServer.run { server in
            _ = try server.signIn("ann@example.com")
            let bob = try server.signIn("bob@example.com")
            let asked = try server.askForLink("ann@example.com")
            let answer = try server.call(
                "accounts:signInWithEmailLink",
                [
                    "email": "ann@example.com", "oobCode": .string(asked.oobCode), "idToken": .string(bob.idToken),
                    "onConflict": "report",
                ]
            )
            #expect(answer.code == "NOT_ANONYMOUS")
            #expect(answer.json["error"]?["mergeReport"] == nil)
        }
    }

    @Test func `a hundred merges of one guest at once are one, and answer one report`() async throws {
        try await TestServer.run { server in
            let account = try server.signIn("ann@example.com")
            let guest = try server.guest()
            for id in ["a", "b"] { _ = try server.document("PUT", "c/\(id)", "{}", guest.idToken) }
            let answers = try server.callAtOnce(
                Array(repeating: ("accounts:merge", Self.merge(account, guest)), count: 100)
            )
            #expect(Set(answers.map(\.text)).count == 1)
            #expect(answers.first?.json["report"]?["documents"]?["moved"]?.int64 == 2)
            #expect(try server.dump().count { $0.hasPrefix("merges|") } == 1)
            #expect(server.log.all.count { $0.contains("user.merged") } == 1)
        }
    }

    @Test func `of merges into two accounts at once one wins, and the other has changed nothing`() async throws {
        try await TestServer.run { server in
            let accounts = [try server.signIn("ann@example.com"), try server.signIn("bob@example.com")]
            for round in 0..<10 {
                let guest = try server.guest()
                _ = try server.document("PUT", "c/\(round)", "{}", guest.idToken)
                let calls = (0..<8).map { ("accounts:merge", Self.merge(accounts[$0 % 2], guest)) }
                let answers = try server.callAtOnce(calls)
                let winners = Set(answers.filter { $0.status == 200 }.map { $0["localId"] })
                #expect(winners.count == 1)
                #expect(answers.filter { $0.status != 200 }.allSatisfy { $0.code == "USER_NOT_FOUND" })
                let holders = try accounts.filter { try server.allDocuments($0.idToken)["c/\(round)"] != nil }
                #expect(Set(holders.map(\.uid)) == winners)
            }
        }
    }

    /// Other calls on the guest at the same moment.
    enum Beside: CaseIterable, Sendable { case writes, deletion, signOut, linking }

    @Test(arguments: Beside.allCases)
    func `a merge beside anything else of the guest comes before or after it`(beside: Beside) async throws {
        try await TestServer.run { server in
            let account = try server.signIn("ann@example.com")
            for round in 0..<10 {
                let guest = try server.guest()
                let email = "new\(round)@example.com"
                let token = JSONValue.string(guest.idToken)
                _ = try server.document("PUT", "round\(round)/made", "{}", guest.idToken)
                var calls = [("accounts:merge", Self.merge(account, guest))]
                switch beside {
                case .writes: break
                case .deletion: calls.append(("accounts:delete", ["idToken": token]))
                case .signOut: calls.append(("accounts:signOut", ["refreshToken": .string(guest.refreshToken)]))
                case .linking:
                    let asked = try server.askForLink(email)
                    calls.append(
                        (
                            "accounts:signInWithEmailLink",
                            ["email": .string(email), "oobCode": .string(asked.oobCode), "idToken": token]
                        )
                    )
                }
                if round % 2 == 1 { calls.reverse() }
                let (answers, writes) = try server.atOnce(calls, writesOf: beside == .writes ? 20 : 0, guest, round)
                let merge = answers[round % 2 == 1 ? answers.count - 1 : 0]
                let documents = try server.allDocuments(account.idToken).keys.filter { $0.hasPrefix("round\(round)/") }
                #expect(documents.contains("round\(round)/made") == (merge.status == 200), "\(merge.text)")
                switch beside {
                case .writes:
                    #expect(merge.status == 200)
                    for (id, answer) in writes.enumerated() {
                        #expect(answer.status == 201 || answer.code == "USER_NOT_FOUND", "\(answer.text)")
                        #expect(documents.contains("round\(round)/\(id)") == (answer.status == 201), "a write was lost")
                    }
                case .deletion:
                    #expect(answers.count { $0.status == 200 } == 1)
                    #expect(answers.contains { $0.code == "USER_NOT_FOUND" })
                case .signOut:
                    let signOut = answers[round % 2 == 1 ? 0 : 1]
                    #expect(signOut.json["reset"]?.bool == (merge.status != 200), "\(signOut.text)")
                    if merge.status != 200 { #expect(merge.code == "USER_NOT_FOUND") }
                case .linking:
                    let link = answers[round % 2 == 1 ? 0 : 1]
                    // If the guest was linked first, it is permanent and its sessions have ended.
                    #expect(merge.status == 200 ? link.code == "USER_NOT_FOUND" : link["localId"] == guest.uid)
                    if merge.status != 200 { #expect(merge.code == "TOKEN_EXPIRED") }
                }
            }
            let dump = try server.dump()
            #expect(
                dump.filter { $0.hasPrefix("documents|") }.count == (try server.allDocuments(account.idToken)).count
                    + dumped(dump, not: account.uid)
            )
        }
    }

    /// Counts the documents of other users.
    private func dumped(_ dump: [String], not uid: String) -> Int {
        dump.count { $0.hasPrefix("documents|") && !$0.contains(uid) }
    }

    @Test func `a table whose rows cannot follow makes the merge fail whole, and the client does not learn its name`()
        async throws
    {
        try await TestServer.run { server in
            let account = try server.signIn("ann@example.com")
            let guest = try server.guest()
            _ = try server.document("PUT", "c/d", "{}", guest.idToken)
            try server.withDatabase { transaction in
                try transaction.execute(
                    """
                    CREATE TABLE strict_notes (
                        id BIGINT PRIMARY KEY, owner TEXT REFERENCES users (uid) DEFERRABLE INITIALLY DEFERRED)
                    """
                )
                try transaction.execute("INSERT INTO strict_notes VALUES (1, \(guest.uid))")
                try transaction.refuse("UPDATE ON strict_notes")
            }
            let before = try server.dump()
            let failed = try server.call("accounts:merge", Self.merge(account, guest))
            #expect(failed.status == 409)
            #expect(failed.code == "MERGE_FAILED")
            #expect(!failed.text.contains("strict_notes"))
            #expect(try server.dump() == before)
            #expect(server.log.contains("merge.failed"))
            #expect(server.log.contains("strict_notes"))
            try server.withDatabase { _ = try $0.execute("DELETE FROM strict_notes") }
            #expect(try server.call("accounts:merge", Self.merge(account, guest)).status == 200)
        }
    }

    @Test(arguments: [3, 1001])
    func `who listens hears of it: the guest's devices that they are merged, the account's what came`(count: Int)
        async throws
    {
        try await TestServer.run { server in
            let account = try server.signIn("ann@example.com")
            let guest = try server.guest()
            _ = try server.document("PUT", "c/own", "{}", account.idToken)
            for start in stride(from: 0, to: count, by: 500) {
                let writes = (start..<min(start + 500, count)).map { number -> JSONValue in
                    ["collection": "c", "id": .string("\(number)"), "set": [:]]
                }
                let body = (["writes": .array(writes)] as JSONValue).serialized()
                #expect(try server.document("PATCH", "", bytes: body, guest.idToken).status == 200)
            }
            let ofGuest = try EventStream(server, guest.idToken)
            let ofAccount = try EventStream(server, account.idToken)
            try ofGuest.ready()
            try ofAccount.ready()
            #expect(try server.call("accounts:merge", Self.merge(account, guest)).status == 200)
            let end = try ofGuest.end()
            #expect(end["reason"] == "user.merged")
            #expect(end["mergedInto"] == account.uid)
            if count > 1000 {
                let reset = try #require(try ofAccount.next())
                #expect(reset.name == "reset")
                #expect(reset.id == Int64(1 + count))
            } else {
                let heard = try (0..<count).map { _ in try ofAccount.change() }
                #expect(heard.map(\.id) == [2, 3, 4])
                #expect(heard.map { $0["id"] } == ["0", "1", "2"])
            }
            let hint = try #require(try ofAccount.next())
            #expect(hint.name == "account" && hint["type"] == "merged", "\(hint)")
            // The stream continues without a gap.
            _ = try server.document("PUT", "c/later", "{}", account.idToken)
            #expect(try ofAccount.change().id == Int64(2 + count))
        }
    }

    @Test func `the page says nothing of accounts where no guest asked, or the address is unknown`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let guest = try server.guest()
            for (asked, says) in [
                (try server.askForLink("ann@example.com", idToken: guest.idToken), true),
                (try server.askForLink("ann@example.com"), false),
                (try server.askForLink("new@example.com", idToken: guest.idToken), false),
                (try server.askForLink("ann@example.com", idToken: ann.idToken), false),
            ] {
                #expect(try server.open(asked.mail.link).text.contains("already has an account") == says)
                _ = try server.redeemTicket(asked.ticket)
                #expect(try server.open(asked.mail.link).text.contains("already has an account") == says)
            }
        }
    }

    @Test(arguments: [
        (#"{ merge: { documents: { default: "best" } } }"#, "merge.documents.default: must be one of"),
        (#"{ merge: { documents: { collections: { c: "newest" } } } }"#, "collections.c: a collection takes policy"),
        (
            #"{ merge: { documents: { collections: { c: { policy: "all" } } } } }"#,
            "collections.c.policy: must be one of"
        ),
        (
            #"{ merge: { documents: { collections: { c: { policy: "deepMerge", winner: "me" } } } } }"#,
            "c.winner: must be"
        ),
        (#"{ merge: { documents: { collections: { c: { winner: "existing" } } } } }"#, "only deepMerge has a winner"),
        (#"{ merge: { documents: { collections: { "ö": { policy: "newest" } } } } }"#, "a collection's name has"),
        (#"{ merge: { documents: { collections: { c: { police: "newest" } } } } }"#, "a collection takes policy"),
        (#"{ merge: { document: {} , sql: 1 } }"#, "merge.sql: unknown setting"),
    ])
    func `a policy that is none stops the start`(file: String, problem: String) throws {
        try TestServer.inFolder { folder in
            let path = folder.appendingPathComponent("c.json5")
            try file.write(to: path, atomically: true, encoding: .utf8)
            #expect {
                try Configuration.load(file: path.path, environment: [:])
            } throws: { error in
                "\(error)".contains(problem)
            }
        }
    }
}

extension TestServer {
    /// Sends calls at once, with writes of a guest among them.
    fileprivate func atOnce(
        _ calls: [(name: String, body: JSONValue)],
        writesOf count: Int,
        _ guest: Tokens,
        _ round: Int
    ) throws -> (calls: [Answer], writes: [Answer]) {
        var requests = calls.map {
            Self.request("POST", "/v1/\($0.name)?key=k", headers: [], body: $0.body.serialized())
        }
        let writes = (0..<count).map {
            Self.request(
                "PUT",
                "/v1/documents/round\(round)/\($0)",
                headers: ["Authorization: Bearer \(guest.idToken)"],
                body: Array("{}".utf8)
            )
        }
        // The calls are sent in the middle of the writes.
        requests = writes.prefix(count / 2) + requests + writes.dropFirst(count / 2)
        let connections = try requests.map { _ in try HTTPConnection(port: port) }
        for (connection, request) in zip(connections, requests) { try connection.send(request) }
        let answers = try connections.map { try $0.answer() }
        let middle = count / 2
        return (
            Array(answers[middle..<(middle + calls.count)]),
            Array(answers[..<middle] + answers[(middle + calls.count)...])
        )
    }
}
