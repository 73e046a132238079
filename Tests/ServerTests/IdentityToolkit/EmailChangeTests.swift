import JSON
import Testing

@Suite("Change of address")
struct EmailChangeTests {
    private static func ask(
        _ server: TestServer,
        _ tokens: Tokens,
        _ type: String,
        _ newEmail: String = ""
    ) throws -> Answer {
        try server.call(
            "accounts:sendOobCode",
            ["requestType": .string(type), "idToken": .string(tokens.idToken), "newEmail": .string(newEmail)]
        )
    }

    private static func apply(_ server: TestServer, _ mail: Mail) throws -> Answer {
        try server.call("accounts:update", ["oobCode": .string(mail.oobCode)])
    }

    @Test(arguments: ["on", "off"])
    func `a change goes to the new address, is applied once, and the old address can take it back`(
        privacy: String
    ) async throws {
        try await TestServer.run(["EMAIL_PRIVACY": privacy]) { server in
            let ann = try server.signIn("ann@example.com")
            let elsewhere = try server.signIn("ann@example.com")
            let known = try server.messages().count
            let asked = try Self.ask(server, ann, "VERIFY_AND_CHANGE_EMAIL", "New@example.com")
            #expect(asked.status == 200)
            #expect(asked.keys == ["kind", "email"])
            #expect(asked["email"] == "ann@example.com")
            let change = try server.message(after: known)
            #expect(change.to == "new@example.com")
            let what = try server.call("accounts:resetPassword", ["oobCode": .string(change.oobCode)])
            #expect(what["requestType"] == "VERIFY_AND_CHANGE_EMAIL")
            #expect(what["email"] == "ann@example.com")
            #expect(what["newEmail"] == "new@example.com")
            #expect(try server.user(ann.idToken)["email"]?.string == "ann@example.com")

            let applied = try Self.apply(server, change)
            #expect(applied.status == 200)
            #expect(applied["email"] == "new@example.com")
            #expect(applied["newEmail"] == "new@example.com")
            #expect(applied.json["emailVerified"]?.bool == true)
            #expect(!applied.keys.contains("idToken"))
            #expect(try Self.apply(server, change).code == "INVALID_OOB_CODE")
            #expect(try server.user(ann.idToken)["email"]?.string == "new@example.com", "who asked stays signed in")
            #expect(try server.lookup(elsewhere.idToken).code == "TOKEN_EXPIRED")

            let notice = try server.message(after: known + 1)
            #expect(notice.to == "ann@example.com")
            #expect(notice.parameter("mode") == "recoverEmail")
            let recovered = try Self.apply(server, notice)
            #expect(recovered.status == 200)
            #expect(recovered["email"] == "ann@example.com")
            #expect(try server.lookup(ann.idToken).code == "TOKEN_EXPIRED", "everybody else is out")
            #expect(try server.refresh(ann.refreshToken).code == "TOKEN_EXPIRED")
            #expect(try server.signIn("ann@example.com").uid == ann.uid)
            #expect(try server.signIn("new@example.com").uid != ann.uid)
        }
    }

    @Test(arguments: [("deleteAttribute", "EMAIL"), ("deleteProvider", "password")])
    func `a removed proven address gets a notice, and can be restored`(
        member: String,
        value: String
    ) async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            let ann = try server.signIn("ann@example.com")
            let known = try server.messages().count
            let removal: JSONValue = [.string(value)]
            var body = JSONObject()
            body.append("idToken", .string(ann.idToken))
            body.append(member, removal)
            let removed = try server.call("accounts:update", .object(body))
            #expect(removed.status == 200)
            #expect(try server.user(ann.idToken)["email"] == nil)
            let notice = try server.message(after: known)
            #expect(notice.to == "ann@example.com" && notice.parameter("mode") == "recoverEmail")
            let asked = try server.askForLink("other@example.org")
            _ = try Tokens(server.redeem(asked.oobCode, "other@example.org", idToken: ann.idToken))
            #expect(try Self.apply(server, notice)["email"] == "ann@example.com")
            #expect(try server.signIn("ann@example.com").uid == ann.uid)
        }
    }

    @Test func `a recovered address is not changed again by codes of later changes`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            // A thief has Ann's session, and requests more than one change to addresses of their own.
            let stolen = try server.signIn("ann@example.com")
            var codes: [Mail] = []
            for address in ["kept@example.org", "one@example.org"] {
                let known = try server.messages().count
                #expect(try Self.ask(server, stolen, "VERIFY_AND_CHANGE_EMAIL", address).status == 200)
                codes.append(try server.message(after: known))
            }
            let known = try server.messages().count
            #expect(try Self.apply(server, codes[1]).status == 200)
            let toAnn = try server.message(after: known)
            #expect(toAnn.to == "ann@example.com")
            #expect(try Self.ask(server, stolen, "VERIFY_AND_CHANGE_EMAIL", "two@example.org").status == 200)
            #expect(try Self.apply(server, server.message(after: known + 1)).status == 200)
            let toThem = try server.message(after: known + 2)
            #expect(toThem.to == "one@example.org" && toThem.parameter("mode") == "recoverEmail")

            #expect(try Self.apply(server, toAnn)["email"] == "ann@example.com")
            #expect(try Self.apply(server, toThem).code == "INVALID_OOB_CODE")
            #expect(try Self.apply(server, codes[0]).code == "INVALID_OOB_CODE")
            #expect(try Self.apply(server, toAnn).code == "INVALID_OOB_CODE", "once, as ever")
            #expect(try server.signIn("ann@example.com").uid == stolen.uid)
        }
    }

    @Test func `recovering an address removes the providers that were linked since, and keeps those of before`()
        async throws
    {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            let ann = try server.signIn("ann@example.com")
            let own = ProviderPerson(provider: "google.com", subject: "ann")
            #expect(try server.signIn(own, idToken: ann.idToken).status == 200)
            let stolen = try server.signIn("ann@example.com")
            let known = try server.messages().count
            #expect(try Self.ask(server, stolen, "VERIFY_AND_CHANGE_EMAIL", "one@example.org").status == 200)
            #expect(try Self.apply(server, server.message(after: known)).status == 200)
            let back = try server.message(after: known + 1)
            let theirs = ProviderPerson(provider: "oidc.theirs", subject: "them")
            #expect(try server.signIn(theirs, idToken: stolen.idToken).status == 200)

            #expect(try Self.apply(server, back)["email"] == "ann@example.com")
            #expect(try server.signIn(own)["localId"] == ann.uid)
            #expect(try server.signIn(theirs)["localId"] != ann.uid)
        }
    }

    @Test func `with privacy a taken address is answered like a free one, and only its owner is told`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            _ = try server.signIn("bob@example.com")
            let ann = try server.signIn("ann@example.com")
            let known = try server.messages().count
            let taken = try Self.ask(server, ann, "VERIFY_AND_CHANGE_EMAIL", "bob@example.com")
            let free = try Self.ask(server, ann, "VERIFY_AND_CHANGE_EMAIL", "free@example.com")
            #expect(taken.status == 200)
            #expect(taken.text == free.text)
            let mails = [try server.message(after: known), try server.message(after: known + 1)]
            let toBob = try #require(mails.first { $0.to == "bob@example.com" })
            #expect(toBob.link.isEmpty, "it says that the address is in use, and leads nowhere")
            let toFree = try #require(mails.first { $0.to == "free@example.com" })
            #expect(!toFree.link.isEmpty)
        }
    }

    @Test func `an address that is taken meanwhile is refused when the link is used, and the link kept`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            let ann = try server.signIn("ann@example.com")
            let known = try server.messages().count
            _ = try Self.ask(server, ann, "VERIFY_AND_CHANGE_EMAIL", "new@example.com")
            let change = try server.message(after: known)
            let other = try server.signIn("new@example.com")
            for _ in 0..<2 {
                #expect(try Self.apply(server, change).code == "EMAIL_EXISTS")
                #expect(try server.answerLink(change.oobCode, "confirm").status == 409)
            }
            #expect(try server.user(ann.idToken)["email"]?.string == "ann@example.com")
            _ = try server.call("accounts:delete", ["idToken": .string(other.idToken)])
            #expect(try Self.apply(server, change).status == 200)
        }
    }

    @Test func `without privacy a taken address is told at once, and an unproven one may be set`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "off"]) { server in
            _ = try server.signIn("bob@example.com")
            let ann = try server.signIn("ann@example.com")
            #expect(try Self.ask(server, ann, "VERIFY_AND_CHANGE_EMAIL", "bob@example.com").code == "EMAIL_EXISTS")
            let token = JSONValue.string(ann.idToken)
            let taken = try server.call("accounts:update", ["idToken": token, "email": "bob@example.com"])
            #expect(taken.code == "EMAIL_EXISTS")
            #expect(try server.call("accounts:update", ["idToken": token, "email": "x"]).code == "INVALID_EMAIL")
            let known = try server.messages().count
            let set = try server.call("accounts:update", ["idToken": token, "email": "New@example.com"])
            #expect(set.status == 200)
            #expect(set["email"] == "new@example.com")
            #expect(set.json["emailVerified"]?.bool == false)
            #expect(try server.lookup(ann.idToken).code == "TOKEN_EXPIRED")
            let user = try server.user(set["idToken"])
            #expect(user["initialEmail"]?.string == "ann@example.com")
            let notice = try server.message(after: known)
            #expect(notice.to == "ann@example.com")
            #expect(try Self.apply(server, notice)["email"] == "ann@example.com")
        }
    }

    @Test func `a user who proves another account's unproven address takes over, and the recovery link contests`()
        async throws
    {
        try await TestServer.run(["EMAIL_PRIVACY": "off"]) { server in
            let attacker = try server.signIn("attacker@example.com")
            let known = try server.messages().count
            let set = try server.call(
                "accounts:update",
                ["idToken": .string(attacker.idToken), "email": "victim@example.com"]
            )
            #expect(set.status == 200)
            let wayBack = try server.message(after: known)
            #expect(wayBack.to == "attacker@example.com")

            let victim = try server.signIn("victim@example.com")
            #expect(victim.uid == attacker.uid, "the account carried the address already")
            #expect(try server.lookup(set["idToken"]).code == "TOKEN_EXPIRED")
            #expect(try server.user(victim.idToken)["email"]?.string == "victim@example.com")
            #expect(try Self.apply(server, wayBack).json["contested"] == true, "neither side gets it by itself")
        }
    }

    @Test func `an anonymous session that changes its own unproven address sends no e-mail`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "off"]) { server in
            let guest = try server.guest()
            var token = guest.idToken
            for email in ["a@example.com", "b@example.com", "c@example.com"] {
                let set = try server.call("accounts:update", ["idToken": .string(token), "email": .string(email)])
                #expect(set.status == 200)
                token = set["idToken"]
            }
            _ = try server.askForLink("marker@example.com")
            #expect(try server.messages().count == 1)
        }
    }

    @Test func `with privacy an unproven address cannot be set`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            let ann = try server.signIn("ann@example.com")
            _ = try server.signIn("bob@example.com")
            for email in ["bob@example.com", "free@example.com"] {
                let answer = try server.call(
                    "accounts:update",
                    ["idToken": .string(ann.idToken), "email": .string(email)]
                )
                #expect(answer.code == "OPERATION_NOT_ALLOWED")
            }
            #expect(try server.lookup(ann.idToken).status == 200)
        }
    }

    @Test func `an address is verified by the mail to it`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "off"]) { server in
            let guest = try server.guest()
            let set = try server.call(
                "accounts:update",
                ["idToken": .string(guest.idToken), "email": "ann@example.com"]
            )
            let asked = try server.call(
                "accounts:sendOobCode",
                ["requestType": "VERIFY_EMAIL", "idToken": .string(set["idToken"]), "email": "other@example.com"]
            )
            #expect(asked["email"] == "ann@example.com")
            let mail = try server.message(after: 0)
            #expect(mail.to == "ann@example.com")
            #expect(mail.parameter("mode") == "verifyEmail")
            let what = try server.call("accounts:resetPassword", ["oobCode": .string(mail.oobCode)])
            #expect(what["requestType"] == "VERIFY_EMAIL")
            #expect(what["email"] == "ann@example.com")
            let applied = try Self.apply(server, mail)
            #expect(applied.status == 200)
            #expect(applied.json["emailVerified"]?.bool == true)
            #expect(!applied.keys.contains("newEmail"))
            #expect(try server.user(set["idToken"])["emailVerified"]?.bool == true)
            #expect(try Self.apply(server, mail).code == "INVALID_OOB_CODE")
        }
    }

    @Test func `e-mailed codes expire, and every changed byte is detected`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            _ = try Self.ask(server, ann, "VERIFY_AND_CHANGE_EMAIL", "new@example.com")
            let mail = try server.message(after: 1)
            for forged in Forgery.all(of: mail.oobCode) {
                let answer = try server.call("accounts:update", ["oobCode": .string(forged.text)])
                #expect(answer.code == "INVALID_OOB_CODE", "\(forged.what)")
            }
            server.clock.advance(seconds: 24 * 3600 + 1)
            #expect(try Self.apply(server, mail).code == "EXPIRED_OOB_CODE")
            let what = try server.call("accounts:resetPassword", ["oobCode": .string(mail.oobCode)])
            #expect(what.code == "EXPIRED_OOB_CODE")
        }
    }

    @Test func `the codes of a deleted user are worth nothing`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            _ = try Self.ask(server, ann, "VERIFY_AND_CHANGE_EMAIL", "new@example.com")
            let mail = try server.message(after: 1)
            _ = try server.call("accounts:delete", ["idToken": .string(ann.idToken)])
            #expect(try Self.apply(server, mail).code == "INVALID_OOB_CODE")
        }
    }

    @Test func `a confirmed address leads on to an allowed URL, and only there`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            _ = try server.call(
                "accounts:sendOobCode",
                [
                    "requestType": "VERIFY_EMAIL", "idToken": .string(ann.idToken),
                    "continueUrl": "https://app.example.com/settings",
                ]
            )
            let mail = try server.message(after: 1)
            let page = try server.open(mail.link)
            #expect(page.status == 200, "a GET confirms nothing")
            let done = try server.answerLink(mail.oobCode, "confirm", "&continueUrl=https%3A%2F%2Fevil.example")
            #expect(done.status == 303)
            #expect(done.header("location") == "https://app.example.com/settings")
            #expect(done.header("referrer-policy") == "no-referrer")
        }
    }
}
