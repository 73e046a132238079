import AccountDatabase
import Accounts
import Database
import JSON
import Server
import Testing

/// The old mailbox of an account that was taken over, and an operator who decides who keeps the account.
@Suite("Contested accounts")
struct ContestTests {
    /// An account that an attacker planted, whose victim has taken it over.
    struct TakenOver {
        let victim: Tokens
        /// The recovery code in the attacker's mailbox.
        let recovery: Mail

        init(_ server: TestServer) throws {
            let attacker = try server.signIn("attacker@example.com")
            recovery = try server.changeAddress(attacker.idToken, to: "victim@example.com")
            victim = try server.signIn("victim@example.com")
        }

        /// Contests the account from the old mailbox.
        func contest(_ server: TestServer) throws {
            let answer = try server.apply(recovery)
            #expect(answer.status == 200 && answer.json["contested"] == true, "\(answer.text)")
        }
    }

    @Test(arguments: ["page", "call"])
    func `the old mailbox of an attacker does not take the account back from the victim`(by channel: String)
        async throws
    {
        try await TestServer.runInProduction { server in
            let taken = try TakenOver(server)
            let victim = taken.victim
            if channel == "page" {
                #expect(try server.open(taken.recovery.link).text.contains("Lock the account"))
                let page = try server.answerLink(taken.recovery.oobCode, "confirm")
                #expect(page.status == 200 && page.text.contains("Account locked"))
            } else {
                let answer = try server.apply(taken.recovery)
                #expect(answer.status == 200)
                #expect(answer.keys == ["kind", "localId", "contested"])
            }
            #expect(try server.lookup(victim.idToken).code == "USER_DISABLED")
            #expect(try server.refresh(victim.refreshToken).code == "USER_DISABLED")
            let asked = try server.askForLink("victim@example.com")
            #expect(try server.redeem(asked.oobCode, "victim@example.com").code == "USER_DISABLED")
            #expect(try server.signIn("attacker@example.com").uid != victim.uid, "the old address opens nothing")
            #expect(try server.apply(taken.recovery).code == "INVALID_OOB_CODE")
            try server.withOperator { desk in
                let user = try desk.user(victim.uid)
                #expect(user.email == "victim@example.com" && user.emailVerified && user.isDisabled)
                #expect(user.contestedBy == "attacker@example.com" && user.contestedAt != nil)
            }
            #expect(try server.auditedEvents(of: victim.uid).last == "user.contested")
            #expect(server.log.contains("user.contested"))
        }
    }

    @Test func `a hook hears of a contest, without an address`() async throws {
        try await HookTests.run(["user.contested"]) { server, receivers in
            let taken = try TakenOver(server)
            try taken.contest(server)
            try server.eventually("the hook hears") { !receivers[0].messages.isEmpty }
            let message = try #require(receivers[0].messages.first)
            #expect(message.event == "user.contested" && message["uid"] == taken.victim.uid)
            #expect(!String(decoding: message.body, as: UTF8.self).contains("@"))
        }
    }

    @Test func `a contested account refuses every sign-in method, its other codes and merges`()
        async throws
    {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            let taken = try TakenOver(server)
            let foo = ProviderPerson(provider: "foo.com", subject: "victim")
            let linked = try Tokens(server.signIn(foo, idToken: taken.victim.idToken))
            let change = try server.askForMail(linked.idToken, changingTo: "later@example.com")
            let made = try server.owner(
                "/accounts:sendOobCode",
                ["requestType": "VERIFY_EMAIL", "email": "victim@example.com", "returnOobLink": true]
            )
            let code = made["oobCode"]
            func apply() throws -> Answer { try server.call("accounts:update", ["oobCode": .string(code)]) }
            try taken.contest(server)
            #expect(try server.signIn(foo).code == "USER_DISABLED")
            #expect(try server.customSignIn(#"{"uid":"\#(linked.uid)"}"#).code == "USER_DISABLED")
            #expect(try apply().code == "USER_DISABLED")
            #expect(try server.answerLink(code, "confirm").status == 403)
            #expect(try server.apply(change).code == "INVALID_OOB_CODE", "the session that asked for it has ended")
            let guest = try server.guest()
            let asked = try server.askForLink("victim@example.com")
            let merged = try server.call(
                "accounts:signInWithEmailLink",
                [
                    "email": "victim@example.com", "oobCode": .string(asked.oobCode),
                    "idToken": .string(guest.idToken), "onConflict": "merge",
                ]
            )
            #expect(merged.code == "USER_DISABLED")
            #expect(try server.lookup(guest.idToken).status == 200, "the guest keeps everything")
            #expect(try server.find(uid: linked.uid)["disabled"] == true)

            try server.withOperator { desk in
                let email = try desk.resolve(linked.uid, keepsOldAddress: false)
                #expect(email == "victim@example.com")
            }
            #expect(try apply().status == 200, "a code of after the takeover is good again")
            #expect(try server.apply(change).code == "INVALID_OOB_CODE")
        }
    }

    /// The actions that end a contest in favor of the current address.
    enum End: CaseIterable, Sendable {
        case resolve, operatorEnables, administratorEnables
    }

    @Test(arguments: End.allCases)
    func `where the new address keeps the account the old mailbox has no second try`(end: End) async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            // Two changes, so that two old mailboxes have a recovery code.
            let attacker = try server.signIn("attacker@example.com")
            let first = try server.changeAddress(attacker.idToken, to: "second@example.com")
            let second = try server.changeAddress(attacker.idToken, to: "victim@example.com")
            let victim = try server.signIn("victim@example.com")
            #expect(try server.apply(second).status == 200)
            #expect(try server.apply(first).code == "USER_DISABLED", "one contest at a time")
            switch end {
            case .resolve: try server.withOperator { _ = try $0.resolve(victim.uid, keepsOldAddress: false) }
            case .operatorEnables: try server.withOperator { try $0.setDisabled(false, victim.uid) }
            case .administratorEnables:
                #expect(try server.change(victim.uid, ["disableUser": false]).status == 200)
            }
            #expect(try server.apply(first).code == "INVALID_OOB_CODE")
            #expect(try server.signIn("victim@example.com").uid == victim.uid)
            #expect(try server.auditedEvents(of: victim.uid).contains("user.resolved"))
        }
    }

    @Test func `an account that only confirmed the old address gives it up to the one that keeps it`() async throws {
        try await TestServer.runInProduction { server in
            let owner = try server.signIn("owner@example.com"), other = try server.signIn("other@example.com")
            let recovery = try server.changeAddress(owner.idToken, to: "thief@example.com")
            _ = try server.signIn("thief@example.com")
            _ = try server.changeAddress(other.idToken, to: "owner@example.com")
            #expect(try server.apply(recovery).json["contested"] == true)
            try server.withOperator { _ = try $0.resolve(owner.uid, keepsOldAddress: true) }
            #expect(try server.signIn("owner@example.com").uid == owner.uid)
        }
    }

    @Test func `where the old address keeps the account everything of the new one ends`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            let owner = try server.signIn("owner@example.com")
            let recovery = try server.changeAddress(owner.idToken, to: "thief@example.com")
            let thief = try server.signIn("thief@example.com")
            let theirs = ProviderPerson(provider: "foo.com", subject: "thief")
            #expect(try server.signIn(theirs, idToken: thief.idToken).status == 200)
            #expect(try server.apply(recovery).json["contested"] == true)
            // Meanwhile the owner has signed in to another account.
            let meanwhile = try server.signIn("owner@example.com")
            #expect(meanwhile.uid != owner.uid)
            try server.withOperator { desk in
                let error = #expect(throws: Operator.Failure.self) {
                    try desk.resolve(owner.uid, keepsOldAddress: true)
                }
                #expect(error?.description.contains(meanwhile.uid) == true)
                try desk.eraseUser(meanwhile.uid)
                #expect(try desk.resolve(owner.uid, keepsOldAddress: true) == "owner@example.com")
                #expect(throws: Operator.Failure.self) { try desk.resolve(owner.uid, keepsOldAddress: true) }
                #expect(throws: Operator.Failure.self) { try desk.resolve("nobody", keepsOldAddress: false) }
            }
            #expect(try server.signIn("owner@example.com").uid == owner.uid)
            #expect(try server.lookup(thief.idToken).code == "TOKEN_EXPIRED")
            #expect(try Tokens(server.signIn(theirs)).uid != owner.uid)
            #expect(try server.signIn("thief@example.com").uid != owner.uid)
        }
    }

    @Test func `resolving a contest does not enable an account that an administrator has disabled`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            let taken = try TakenOver(server)
            try taken.contest(server)
            let uid = taken.victim.uid
            try server.withOperator { desk in
                try desk.setDisabled(true, uid)
                _ = try desk.resolve(uid, keepsOldAddress: false)
                #expect(try desk.user(uid).isDisabled)
            }
        }
    }

    @Test func `the recovery link of 72 hours hands the account back while no takeover has happened`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            let ann = try server.signIn("ann@example.com")
            let recovery = try server.changeAddress(ann.idToken, to: "thief@example.com")
            #expect(recovery.text.contains("3 days"))
            server.clock.advance(seconds: 72 * 3600 - 60)
            #expect(try server.apply(recovery)["email"] == "ann@example.com")
            #expect(try server.signIn("ann@example.com").uid == ann.uid)
            let again = try server.changeAddress(server.signIn("ann@example.com").idToken, to: "thief@example.com")
            server.clock.advance(seconds: 72 * 3600 + 1)
            #expect(try server.apply(again).code == "EXPIRED_OOB_CODE")
        }
    }

    @Test func `files and batches keep a contested account contested`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            let taken = try TakenOver(server)
            try taken.contest(server)
            let uid = taken.victim.uid
            var bytes: [UInt8] = []
            try server.withOperator { _ = try $0.exportUsers(write: { bytes += $0 }, progress: { _ in }) }
            let exported = try JSONValue.parse(bytes)["users"]?.array?.first { $0["localId"] == .string(uid) }
            #expect(exported?["disabled"] == true)
            let row: JSONValue = ["localId": .string(uid), "email": "victim@example.com", "emailVerified": true]
            let answer = try server.admin("accounts:batchCreate", ["users": [row], "allowOverwrite": true])
            #expect(answer.status == 200 && answer.json["error"] == nil, "\(answer.text)")
            try server.withOperator { desk in
                let user = try desk.user(uid)
                #expect(user.contestedAt != nil)
            }
            let deleted = try server.admin("accounts:batchDelete", ["localIds": [.string(uid)]])
            #expect(deleted.json["errors"]?.array?.count == 1, "only by force")
        }
    }

    @Test func `clean-up ignores a contested account`() async throws {
        try await TestServer.run { server in
            let guests = try [server.guest(), server.guest()]
            let uid = guests[0].uid
            let due = try server.withDatabase { transaction in
                try transaction.execute("UPDATE users SET cleanup_at = 1")
                try transaction.execute("UPDATE users SET contested_at = 1, contested_email = 'e' WHERE uid = \(uid)")
                return try transaction.dueGuests(limit: 9).map(\.uid)
            }
            #expect(due == [guests[1].uid])
        }
    }

    /// The actions of a person on the e-mails about an account.
    enum Step: CaseIterable, Sendable {
        case confirm, deny, recover
    }

    private static let orders: [[Step]] = [
        [.confirm, .deny, .recover], [.confirm, .recover, .deny], [.deny, .confirm, .recover],
        [.deny, .recover, .confirm], [.recover, .confirm, .deny], [.recover, .deny, .confirm],
    ]

    /// An account with one completed change and another one requested.
    private struct Pending {
        let uid: String
        let recovery: Mail
        let change: Mail
        let addresses: [String]
        /// The number of e-mails before the steps.
        let mails: Int

        init(_ server: TestServer, _ name: String) throws {
            addresses = ["\(name)-first@example.com", "\(name)-second@example.com", "\(name)-third@example.com"]
            let tokens = try server.signIn(addresses[0])
            uid = tokens.uid
            recovery = try server.changeAddress(tokens.idToken, to: addresses[1])
            change = try server.askForMail(tokens.idToken, changingTo: addresses[2])
            mails = try server.messages().count
        }

        func request(_ step: Step) -> (target: String, body: [UInt8]) {
            switch step {
            case .confirm: ("/auth/action", Array("oobCode=\(change.oobCode)&action=confirm".utf8))
            case .deny: ("/auth/action", Array("oobCode=\(change.oobCode)&action=deny".utf8))
            case .recover: ("/auth/action", Array("oobCode=\(recovery.oobCode)&action=confirm".utf8))
            }
        }

        /// Checks that at most one of confirming and denying happened, that recovering did, and that the account
        /// exists.
        func check(_ outcomes: [Step: Int], _ server: TestServer, _ what: String) throws {
            let done = outcomes.filter { $0.value == 200 }.map(\.key)
            if done.contains(.confirm) { _ = try server.message(after: mails) }
            #expect(done.contains(.recover), "\(what)")
            #expect(!(done.contains(.confirm) && done.contains(.deny)), "\(what)")
            for (step, status) in outcomes where status != 200 { #expect(status == 410, "\(what): \(step)") }
            #expect(try server.signIn(addresses[0]).uid == uid, "\(what): recovering wins")
            for address in addresses[1...] { #expect(try server.signIn(address).uid != uid, "\(what)") }
        }
    }

    @Test func `confirm, deny and recover have one outcome in every order`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            for (index, order) in Self.orders.enumerated() {
                let pending = try Pending(server, "o\(index)")
                var outcomes: [Step: Int] = [:]
                for step in order { outcomes[step] = try server.sendAtOnce([pending.request(step)])[0].status }
                try pending.check(outcomes, server, "\(order)")
                if order[0] != .recover { #expect(outcomes[order[0]] == 200, "the first one counts") }
            }
        }
    }

    @Test func `confirm, deny and recover at the same moment have one outcome each and never lose the account`()
        async throws
    {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            for round in 0..<4 {
                let pending = try Pending(server, "r\(round)")
                let order = Self.orders[round]
                let answers = try server.sendAtOnce(order.map(pending.request))
                try pending.check(
                    Dictionary(uniqueKeysWithValues: zip(order, answers.map(\.status))),
                    server,
                    "\(round)"
                )
            }
        }
    }

    @Test func `a takeover and a recovery at the same moment leave the account with one of the two`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            for round in 0..<4 {
                let (old, new) = ("old\(round)@example.com", "new\(round)@example.com")
                let first = try server.signIn(old)
                let recovery = try server.changeAddress(first.idToken, to: new)
                let asked = try server.askForLink(new)
                let answers = try server.callAtOnce([
                    ("accounts:signInWithEmailLink", ["email": .string(new), "oobCode": .string(asked.oobCode)]),
                    ("accounts:update", ["oobCode": .string(recovery.oobCode)]),
                ])
                #expect(answers.allSatisfy { $0.status == 200 })
                let isContested = answers[1].json["contested"] == true
                if isContested {
                    #expect(answers[0]["localId"] == first.uid)
                    try server.withOperator { desk in
                        let user = try desk.user(first.uid)
                        #expect(user.email == new)
                    }
                } else {
                    #expect(answers[0]["localId"] != first.uid, "the new address is one of another account")
                    #expect(try server.signIn(old).uid == first.uid)
                }
            }
        }
    }
}
