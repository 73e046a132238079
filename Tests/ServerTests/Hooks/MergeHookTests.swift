import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import PostgreSQLHarness
import Server
import Testing

@Suite("Merges with hooks")
struct MergeHookTests {
    /// Gives a test time to act while a hook does not answer until the test releases it.
    private static let patient: TestServer.Adjustment = { $0.mergePatience = .seconds(60) }

    /// A guest and the account that owns the guest's address.
    struct Pair {
        let guest: Tokens
        let owner: Tokens

        init(_ server: TestServer) throws {
            owner = try server.signIn("ann@example.com")
            guest = try server.guest()
        }

        func merge(_ server: TestServer, isDryRun: Bool = false) throws -> Answer {
            try server.call("accounts:merge", members(isDryRun: isDryRun))
        }

        func members(isDryRun: Bool = false) -> JSONValue {
            [
                "idToken": .string(owner.idToken), "anonymousIdToken": .string(guest.idToken),
                "dryRun": .bool(isDryRun),
            ]
        }
    }

    struct Trouble: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let manner: HookReceiver.Manner
        /// Part of the message that the client receives.
        let says: String
    }

    static let troubles = [
        Trouble(
            testDescription: "a refusal with a reason",
            manner: .refuse(status: 409, body: #"{"reason":"An order is\u0007 open."}"#),
            says: "MERGE_REFUSED : An order is open."
        ),
        Trouble(
            testDescription: "a bare refusal",
            manner: .refuse(status: 400, body: "no"),
            says: "MERGE_REFUSED : A service"
        ),
        Trouble(testDescription: "500", manner: .refuse(status: 500, body: "{}"), says: "did not answer"),
        Trouble(testDescription: "a redirect", manner: .redirect(to: "/hook"), says: "did not answer"),
        Trouble(testDescription: "silence", manner: .hang, says: "did not answer"),
        Trouble(testDescription: "a dripping body", manner: .drip, says: "did not answer"),
        Trouble(testDescription: "an answer beyond the limit", manner: .flood, says: "did not answer"),
    ]

    @Test(arguments: troubles)
    func `one refusal leaves both users as they were, and all hooks that were asked are notified`(_ trouble: Trouble)
        async throws
    {
        try await HookTests.run(["merge.prepare"], ["merge.prepare"], more: Self.metrics) { server, receivers in
            let pair = try Pair(server)
            receivers[0].behave(trouble.manner, to: "merge.prepare")
            let start = ContinuousClock.now
            let answer = try pair.merge(server)
            #expect(ContinuousClock.now - start < .seconds(25))
            #expect(answer.status == 409 && answer.code == "MERGE_REFUSED", "\(answer.text)")
            #expect(answer.text.contains(trouble.says), "\(answer.text)")
            try server.eventually("everyone hears the outcome") {
                receivers.allSatisfy { $0.messages("merge.cancel").count == 1 }
            }
            for receiver in receivers {
                let asked = receiver.messages("merge.prepare"), told = receiver.messages("merge.cancel")
                // The first refusal decides, so that the other hook may not even have been reached.
                #expect(asked.count == 1 || asked.isEmpty && receiver !== receivers[0])
                #expect(asked.allSatisfy { $0["mergeId"] == told[0]["mergeId"] && $0.id != told[0].id })
                #expect(told[0]["anonymousUid"] == pair.guest.uid && told[0]["uid"] == pair.owner.uid)
                #expect(receiver.messages("merge.commit").isEmpty)
            }
            for user in [pair.guest, pair.owner] { #expect(try server.lookup(user.idToken).status == 200) }
            // No guest stays suspended: the same merge may be tried again at once.
            receivers[0].behave(.accept(), to: "merge.prepare")
            #expect(try pair.merge(server).status == 200)
            #expect(try Self.counted(by: server) == ["cancelled": 1, "done": 1, "failed": 0])
        }
    }

    private static let metrics = #"metricsListen: "127.0.0.1:0","#

    /// Returns the numbers of merges by their result, as `/metrics` shows them.
    private static func counted(by server: TestServer) throws -> [String: Double] {
        let series = try server.metrics().series
        return ["cancelled", "done", "failed"].reduce(into: [:]) {
            $0[$1] = series["latchkey_merges_total{result=\"\($1)\"}"]
        }
    }

    @Test func `all agree, and are notified of the merge once`() async throws {
        try await HookTests.run(["merge.prepare"], ["merge.prepare"], ["user.created"]) { server, receivers in
            let pair = try Pair(server)
            let dry = try pair.merge(server, isDryRun: true)
            #expect(dry.status == 200 && receivers[0].messages.isEmpty, "a dry run asks nobody")
            let answer = try pair.merge(server)
            #expect(answer.status == 200, "\(answer.text)")
            let id = answer.json["report"]?["mergeId"]?.string
            #expect(try pair.merge(server).json["report"]?["mergeId"]?.string == id, "repeated, it answers the same")
            try server.eventually("everyone hears the outcome") {
                receivers[0..<2].allSatisfy { $0.messages("merge.commit").count == 1 }
            }
            for receiver in receivers[0..<2] {
                #expect(receiver.messages.map(\.event) == ["merge.prepare", "merge.commit"])
                #expect(receiver.messages.allSatisfy { $0["mergeId"] == id && $0["anonymousUid"] == pair.guest.uid })
            }
            #expect(receivers[2].messages.allSatisfy { $0.event == "user.created" })
        }
    }

    /// Checks that a merge happened completely or not at all, and that every hook that was asked receives one outcome
    /// of it.
    ///
    /// Advances the clock by the lease of an unfinished merge, and to the next attempt at a message.
    private func checkOutcome(
        _ answer: Answer,
        of pair: Pair,
        _ server: TestServer,
        _ receivers: [HookReceiver],
        _ what: String
    ) throws {
        func messages(_ event: String, _ receiver: HookReceiver) -> [HookReceiver.Message] {
            receiver.messages(event).filter { $0["anonymousUid"] == pair.guest.uid }
        }
        var isMerged = false
        var patience = 0
        try server.eventually("everyone hears how it ended: \(what)") {
            patience += 1
            if patience % 20 == 0 { server.clock.advance(seconds: 40) }
            isMerged = try server.call("accounts:lookup", ["idToken": .string(pair.guest.idToken)]).status != 200
            return receivers.allSatisfy { receiver in
                messages("merge.prepare", receiver).isEmpty
                    || !(messages("merge.commit", receiver) + messages("merge.cancel", receiver)).isEmpty
            }
        }
        #expect((answer.status == 200) == isMerged, "\(what): \(answer.text)")
        for receiver in receivers {
            let wrong = messages(isMerged ? "merge.cancel" : "merge.commit", receiver)
            #expect(wrong.isEmpty, "\(what)")
            let right = messages(isMerged ? "merge.commit" : "merge.cancel", receiver)
            #expect(Set(right.map(\.id)).count <= 1, "\(what)")
        }
        let kept = try server.documents(
            "GET",
            "/c/\(pair.guest.uid)",
            isMerged ? pair.owner.idToken : pair.guest.idToken
        )
        #expect(kept.status == 200, "\(what): \(kept.text)")
    }

    @Test func `whichever statement fails once, all of the merge happened or nothing, and everyone hears the same`()
        async throws
    {
        try await HookTests.run(["merge.prepare"], ["merge.prepare"]) { server, receivers in
            func pair() throws -> Pair {
                let pair = try Pair(server)
                try server.set("c/\(pair.guest.uid)", pair.guest.idToken)
                return pair
            }
            let clean = try pair()
            server.statements.clear()
            let answer = try clean.merge(server)
            #expect(answer.status == 200)
            try checkOutcome(answer, of: clean, server, receivers, "no fault")
            let statements = Set(server.statements.all).sorted()
            var failed = 0
            for statement in statements {
                let pair = try pair()
                server.faults.plan(statement)
                let answer = try pair.merge(server)
                if !server.faults.isStillPlanned() { failed += answer.status == 200 ? 0 : 1 }
                try checkOutcome(answer, of: pair, server, receivers, statement)
            }
            #expect(failed > 15, "of \(statements.count) statements")
        }
    }

    @Test func `whichever call fails, all of the merge happened or nothing, and everyone hears the same`() async throws
    {
        try await HookTests.run(["merge.prepare"], ["merge.prepare"]) { server, receivers in
            let manners: [HookReceiver.Manner] = [.refuse(status: 500, body: ""), .redirect(to: "/hook"), .flood]
            for (place, receiver) in receivers.enumerated() {
                for event in ["merge.prepare", "merge.commit", "merge.cancel"] {
                    for manner in manners {
                        let pair = try Pair(server)
                        try server.set("c/\(pair.guest.uid)", pair.guest.idToken)
                        receiver.behave(manner, to: event)
                        if event == "merge.cancel" { receivers[1 - place].behave(manner, to: "merge.prepare") }
                        let answer = try pair.merge(server)
                        #expect((answer.status == 200) == (event == "merge.commit"), "\(answer.text)")
                        for receiver in receivers {
                            for event in ["merge.prepare", "merge.commit", "merge.cancel"] {
                                receiver.behave(.accept(), to: event)
                            }
                        }
                        try checkOutcome(answer, of: pair, server, receivers, "\(event) at \(place): \(manner)")
                    }
                }
            }
        }
    }

    @Test func `without a hook that is asked, a merge is one transaction`() async throws {
        try await HookTests.run(["user.created", "user.deleted"]) { server, receivers in
            let pair = try Pair(server)
            server.statements.clear()
            #expect(try pair.merge(server).status == 200)
            #expect(!server.statements.contains("INSERT INTO merges (merge, uid, target_uid, state, leased_until"))
            #expect(!server.statements.contains("SET merge_id"))
            try server.eventually("the guest's creation is told") { receivers[0].messages.count == 2 }
            #expect(receivers[0].messages("user.deleted").isEmpty, "a guest who was merged is not gone")
        }
    }

    @Test func `a link that leads to a merge is spent by the merge and not by a refusal`() async throws {
        try await HookTests.run(["merge.prepare"]) { server, receivers in
            let pair = try Pair(server)
            let asked = try server.askForLink("ann@example.com")
            let redemption: JSONValue = [
                "email": "ann@example.com", "oobCode": .string(asked.oobCode),
                "idToken": .string(pair.guest.idToken), "onConflict": "merge",
            ]
            let words = #"{"reason":"Not now, kim@example.com."}"#
            receivers[0].behave(.refuse(status: 409, body: words), to: "merge.prepare")
            receivers[0].behave(.refuse(status: 409, body: words), to: "merge.cancel")
            #expect(try server.call("accounts:signInWithEmailLink", redemption).code == "MERGE_REFUSED")
            try server.eventually("it is logged") { server.log.contains("hook.not-delivered") }
            #expect(!server.log.contains("kim@"), "a hook's words stay out of the log")
            receivers[0].behave(.accept(), to: "merge.cancel")
            server.clock.advance(seconds: 60)
            receivers[0].behave(.accept(), to: "merge.prepare")
            let merged = try server.call("accounts:signInWithEmailLink", redemption)
            #expect(merged.status == 200 && merged["localId"] == pair.owner.uid, "\(merged.text)")
            #expect(merged.json["merged"] == true)
            try server.eventually("both outcomes") {
                !receivers[0].messages("merge.cancel").isEmpty && receivers[0].messages("merge.commit").count == 1
            }
            let merges = ["merge.cancel", "merge.commit"].map { receivers[0].messages($0)[0]["mergeId"] }
            #expect(merges[0] != merges[1])
        }
    }

    @Test func `a held guest reads and refreshes, and everything that would change it waits`() async throws {
        try await HookTests.run(["merge.prepare"], adjust: Self.patient) { server, receivers in
            let pair = try Pair(server)
            let bob = try server.signIn("bob@example.com")
            let own = try server.askForLink("new@example.com", idToken: pair.guest.idToken)
            receivers[0].behave(.hang)
            let merging = try HTTPConnection(port: server.port)
            try merging.send(
                TestServer.request("POST", "/v1/accounts:merge?key=k", headers: [], body: pair.members().serialized())
            )
            try server.eventually("the hook is asked") { receivers[0].messages.count == 1 }
            try server.waitUntilMailsAreFinished()
            let token = JSONValue.string(pair.guest.idToken)
            let changes: [(String, JSONValue)] = [
                ("accounts:merge", pair.members()),
                ("accounts:merge", ["idToken": .string(bob.idToken), "anonymousIdToken": token]),
                ("accounts:signOut", ["refreshToken": .string(pair.guest.refreshToken)]),
                ("accounts:delete", ["idToken": token]),
                ("accounts:update", ["idToken": token, "displayName": "Ann"]),
                (
                    "accounts:signInWithEmailLink",
                    ["email": "new@example.com", "oobCode": .string(own.oobCode), "idToken": token]
                ),
                ("accounts:signInWithTicket", ["ticket": .string(own.ticket), "code": .string(own.mail.digits)]),
            ]
            for (name, body) in changes {
                let answer = try server.call(name, body)
                #expect(answer.status == 409 && answer.code == "MERGE_IN_PROGRESS", "\(name): \(answer.text)")
            }
            #expect(try server.lookup(pair.guest.idToken).status == 200)
            #expect(try server.refresh(pair.guest.refreshToken).status == 200)
            receivers[0].behave(.accept())
            #expect(try merging.answer().status == 200)
            #expect(try server.lookup(pair.guest.idToken).code == "USER_NOT_FOUND")
            #expect(receivers[0].messages("merge.prepare").count == 1)
        }
    }

    @Test(arguments: [true, false])
    func `into an account that is disabled or gone when the hooks have agreed nothing is merged`(isDisabled: Bool)
        async throws
    {
        try await HookTests.run(["merge.prepare"], adjust: Self.patient) { server, receivers in
            let pair = try Pair(server)
            receivers[0].behave(.hang)
            let merging = try HTTPConnection(port: server.port)
            try merging.send(
                TestServer.request("POST", "/v1/accounts:merge?key=k", headers: [], body: pair.members().serialized())
            )
            try server.eventually("the hook is asked") { receivers[0].messages.count == 1 }
            let desk = try Operator(file: server.file, environment: server.environment)
            defer { desk.close() }
            #expect(throws: Operator.Failure.self) { try desk.eraseUser(pair.guest.uid) }
            if isDisabled { try desk.setDisabled(true, pair.owner.uid) } else { try desk.eraseUser(pair.owner.uid) }
            receivers[0].behave(.accept())
            let answer = try merging.answer()
            #expect(answer.status == 400, "\(answer.text)")
            #expect((isDisabled ? ["TOKEN_EXPIRED", "USER_DISABLED"] : ["USER_NOT_FOUND"]).contains(answer.code))
            try server.eventually("the hook hears of it") { receivers[0].messages("merge.cancel").count == 1 }
            #expect(receivers[0].messages("merge.commit").isEmpty)
            #expect(try server.call("accounts:delete", ["idToken": .string(pair.guest.idToken)]).status == 200)
        }
    }

    /// Starts a call that merges, and waits until the hook has been asked.
    private func beginMerge(
        _ server: TestServer,
        _ receiver: HookReceiver,
        _ call: String,
        _ body: JSONValue
    ) throws -> HTTPConnection {
        receiver.behave(.hang)
        let merging = try HTTPConnection(port: server.port)
        try merging.send(TestServer.request("POST", "/v1/\(call)?key=k", headers: [], body: body.serialized()))
        try server.eventually("the hook is asked") { receiver.messages("merge.prepare").count == 1 }
        return merging
    }

    @Test func `what the hooks agreed to for one account does not happen to another that took its address`()
        async throws
    {
        try await HookTests.run(["merge.prepare"], adjust: Self.patient) { server, receivers in
            let pair = try Pair(server)
            let asked = try server.askForLink("ann@example.com")
            let merging = try beginMerge(
                server,
                receivers[0],
                "accounts:signInWithEmailLink",
                [
                    "email": "ann@example.com", "oobCode": .string(asked.oobCode),
                    "idToken": .string(pair.guest.idToken), "onConflict": "merge",
                ]
            )
            // A deletion, and not an erasure, which would delete the link as well.
            #expect(try server.admin("accounts:delete", ["localId": .string(pair.owner.uid)]).status == 200)
            let other = try server.signIn("ann@example.com")
            #expect(other.uid != pair.owner.uid)
            receivers[0].behave(.accept())
            let answer = try merging.answer()
            #expect(answer.status == 409 && answer.code == "MERGE_REFUSED", "\(answer.text)")
            try server.eventually("the hook hears of it") { receivers[0].messages("merge.cancel").count == 1 }
            #expect(receivers[0].messages("merge.commit").isEmpty)
            #expect(try server.lookup(pair.guest.idToken).status == 200)
        }
    }

    @Test func `a call that goes on without its merge gives the guest back at once`() async throws {
        try await HookTests.run(["merge.prepare"], more: Self.metrics, adjust: Self.patient) { server, receivers in
            let pair = try Pair(server)
            let asked = try server.askForLink("ann@example.com", idToken: pair.guest.idToken)
            // The server compares no code before it has recorded that the e-mail was sent.
            try server.waitUntilMailsAreFinished()
            let merging = try beginMerge(
                server,
                receivers[0],
                "accounts:signInWithTicket",
                ["ticket": .string(asked.ticket), "code": .string(asked.mail.digits), "onConflict": "merge"]
            )
            // The asking session ends, so that its ticket signs in without it.
            try server.withDatabase { transaction in
                try transaction.endSessions(of: pair.guest.uid, except: nil, reason: .reused)
            }
            receivers[0].behave(.accept())
            let answer = try merging.answer()
            #expect(answer.status == 200 && answer["localId"] == pair.owner.uid, "\(answer.text)")
            #expect(answer.json["merged"] == nil)
            try server.eventually("the hook hears of it") { receivers[0].messages("merge.cancel").count == 1 }
            #expect(receivers[0].messages("merge.commit").isEmpty)
            let desk = try Operator(file: server.file, environment: server.environment)
            defer { desk.close() }
            try desk.eraseUser(pair.guest.uid)
            #expect(try Self.counted(by: server) == ["cancelled": 1, "done": 0, "failed": 0])
        }
    }

    @Test func `what the operator's tables do not allow is MERGE_FAILED with hooks too`() async throws {
        try await HookTests.run(["merge.prepare"], more: Self.metrics) { server, receivers in
            let pair = try Pair(server)
            try server.withDatabase { try $0.refuse("DELETE ON users") }
            let answer = try pair.merge(server)
            #expect(answer.status == 409 && answer.code == "MERGE_FAILED", "\(answer.text)")
            try server.eventually("the hook hears of it") { receivers[0].messages("merge.cancel").count == 1 }
            #expect(try Self.counted(by: server) == ["cancelled": 0, "done": 0, "failed": 1])
            for user in [pair.guest, pair.owner] { #expect(try server.lookup(user.idToken).status == 200) }
        }
    }
}
