import JSON
import Server
import Testing

/// Only the administrator's key changes the sign-in methods of an account in `administrators`.
@Suite("Accounts of administrators")
struct ProtectedAdministratorTests {
    private static let key = String(repeating: "k", count: 40)
    private static let refused = "OPERATION_NOT_ALLOWED"

    private static func setAdministrator(_ uid: String, _ server: TestServer, _ isOne: Bool = true) throws {
        try server.withOperator { try $0.setAdministrator(isOne, uid) }
    }

    private static func ask(_ server: TestServer, _ idToken: String, _ type: String, _ email: String) throws -> Answer {
        try server.call(
            "accounts:sendOobCode",
            [
                "requestType": .string(type), "idToken": .string(idToken), "email": .string(email),
                "newEmail": .string(email),
            ]
        )
    }

    /// Requests a change of address and reads the code.
    private static func changeCode(_ server: TestServer, _ user: Tokens, _ email: String) throws -> String {
        let known = try server.messages().count
        #expect(try ask(server, user.idToken, "VERIFY_AND_CHANGE_EMAIL", email).status == 200)
        return try server.message(after: known).oobCode
    }

    private static func apply(_ server: TestServer, _ code: String) throws -> Answer {
        try server.call("accounts:update", ["oobCode": .string(code)])
    }

    private static func expectRefused(_ answer: Answer, _ what: String) {
        #expect(answer.status == 400 && answer.message.hasPrefix("\(refused) : "), "\(what): \(answer.text)")
        #expect(answer.message.contains("administrator"), "\(what): \(answer.text)")
    }

    @Test(arguments: ServerMode.allCases, [0, 20])
    func `an administrator's stolen token adds no sign-in method for a thief`(mode: ServerMode, minutes: Int64)
        async throws
    {
        try await mode.run { server, desk in
            let ann = try server.signIn("ann@example.com")
            _ = try Tokens(
                server.signIn(provider: ServerMode.provider, token: desk.token("ann", server), idToken: ann.idToken)
            )
            try Self.setAdministrator(ann.uid, server)
            server.clock.advance(seconds: minutes * 60)
            let code = try server.askForLink("thief@example.org").oobCode
            let token = ann.idToken
            func update(_ name: String, _ value: JSONValue) throws -> Answer {
                var body = JSONObject()
                body.append("idToken", .string(token))
                body.append(name, value)
                return try server.call("accounts:update", .object(body))
            }
            let before = try server.accountState()
            let thiefs = try desk.token("thief", server)
            let answers = [
                try Self.ask(server, token, "VERIFY_AND_CHANGE_EMAIL", "thief@example.org"),
                try Self.ask(server, token, "VERIFY_EMAIL", "ann@example.com"),
                try Self.ask(server, token, "EMAIL_SIGNIN", "thief@example.org"),
                try update("email", "thief@example.org"),
                try update("deleteAttribute", ["EMAIL"]),
                try update("deleteProvider", ["password"]),
                try update("deleteProvider", [.string(ServerMode.provider)]),
                try server.signIn(provider: ServerMode.provider, token: thiefs, idToken: token),
                try server.call("accounts:delete", ["idToken": .string(token)]),
            ]
            for (index, answer) in answers.enumerated() { Self.expectRefused(answer, "\(index)") }
            let redeemed = try server.redeem(code, "thief@example.org", idToken: token)
            if minutes == 0 {
                Self.expectRefused(redeemed, "link")
            } else {
                #expect(redeemed.code == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            }
            #expect(try server.accountState() == before)
            // The administrator signs in as before, by each method, and changes the profile.
            #expect(try update("displayName", "Ann").status == 200)
            let asked = try server.askForLink("ann@example.com", idToken: token)
            #expect(try server.redeem(asked.oobCode, "ann@example.com", idToken: token)["localId"] == ann.uid)
            #expect(
                try server.signIn(provider: ServerMode.provider, token: desk.token("ann", server))["localId"] == ann.uid
            )
        }
    }

    @Test func `codes and tickets from before a user became an administrator do nothing, and work again afterwards`()
        async throws
    {
        try await TestServer.runInProduction { server in
            let ann = try server.signIn("ann@example.com")
            let first = try Self.changeCode(server, ann, "thief@example.org")
            let byCode = try server.askForLink("code@example.org", idToken: ann.idToken)
            let byLink = try server.askForLink("link@example.org", idToken: ann.idToken)
            let byApproval = try server.askForLink("page@example.org", idToken: ann.idToken)
            try server.waitUntilMailsAreFinished()
            #expect(try server.redeemTicket(byApproval.ticket).code == "TICKET_PENDING")
            try Self.setAdministrator(ann.uid, server)

            Self.expectRefused(try Self.apply(server, first), "code of a change")
            let refused = try server.answerLink(first, "confirm")
            #expect(refused.status == 403 && refused.text.contains("This account cannot be changed here"))
            Self.expectRefused(try server.redeemTicket(byCode.ticket, code: byCode.mail.digits), "sign-in code")
            Self.expectRefused(try server.redeem(byLink.oobCode, "link@example.org", idToken: ann.idToken), "link")
            let digits = "&confirmation=\(byApproval.confirmation)"
            #expect(try server.answerLink(byApproval.oobCode, "approve", digits).status == 200)
            Self.expectRefused(try server.redeemTicket(byApproval.ticket), "approval")
            #expect(try server.user(ann.idToken)["email"] == "ann@example.com")

            try Self.setAdministrator(ann.uid, server, false)
            #expect(try Self.apply(server, first)["email"] == "thief@example.org")
        }
    }

    @Test func `a notice of before takes nothing from an administrator, and its page has no button`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let known = try server.allMessages().count
            let google = ProviderPerson(subject: "ann-at-google")
            #expect(try server.signIn(google, idToken: ann.idToken).status == 200)
            let notice = try server.anyMessage(after: known)
            #expect(try server.open(notice.link).text.contains("<button"))
            try Self.setAdministrator(ann.uid, server)
            for page in [try server.open(notice.link), try server.answerLink(notice.oobCode, "revert")] {
                #expect(page.status == 403 && page.text.contains("This account cannot be changed here"))
                #expect(!page.text.contains("<button"))
            }
            #expect(try server.lookup(ann.idToken).status == 200)
            try Self.setAdministrator(ann.uid, server, false)
            #expect(try server.answerLink(notice.oobCode, "revert").status == 200)
        }
    }

    @Test func `an earlier recovery link does nothing to an administrator`() async throws {
        try await TestServer.runInProduction { server in
            let ann = try server.signIn("old@example.com"), known = try server.messages().count
            #expect(try Self.apply(server, Self.changeCode(server, ann, "ann@example.com")).status == 200)
            let notice = try server.message(after: known + 1)
            #expect(notice.to == "old@example.com" && notice.parameter("mode") == "recoverEmail")
            try Self.setAdministrator(ann.uid, server)
            Self.expectRefused(try Self.apply(server, notice.oobCode), "recovery")
            let opened = try server.open(notice.link), pressed = try server.answerLink(notice.oobCode, "confirm")
            for page in [opened, pressed] {
                #expect(page.status == 403 && page.text.contains("This account cannot be changed here"))
            }
            #expect(try server.user(ann.idToken)["email"] == "ann@example.com")
        }
    }

    @Test(arguments: ServerMode.allCases)
    func `a trusted provider's word about an administrator's address needs confirmation`(mode: ServerMode) async throws
    {
        try await mode.run { server, desk in
            let ann = try server.signIn("ann@example.com")
            try Self.setAdministrator(ann.uid, server)
            func signIn(_ idToken: String? = nil, _ onConflict: String? = nil) throws -> Answer {
                let token = try desk.token("other", email: "ann@example.com", server)
                return try server.signIn(
                    provider: ServerMode.provider,
                    token: token,
                    idToken: idToken,
                    onConflict: onConflict
                )
            }
            let answer = try signIn()
            #expect(answer.status == 200 && answer.json["needConfirmation"] == true, "\(answer.text)")
            #expect(!answer.keys.contains("idToken"))
            #expect(try signIn(server.guest().idToken, "merge").code == "EMAIL_EXISTS")
            #expect(try server.user(ann.idToken).providers == ["password"])
            try Self.setAdministrator(ann.uid, server, false)
            #expect(try signIn()["localId"] == ann.uid, "removed from the list, it is an account as any other")
        }
    }

    @Test func `an administrator's unproven address does not sign in before the key verifies it`() async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": Self.key]) { server in
            let made = try server.admin("accounts", ["email": "ann@example.com"], as: Self.key)
            let uid = made["localId"]
            try Self.setAdministrator(uid, server)
            let asked = try server.askForLink("ann@example.com")
            Self.expectRefused(try server.redeem(asked.oobCode, "ann@example.com"), "link")
            let verified = try server.admin(
                "accounts:update",
                ["localId": .string(uid), "emailVerified": true],
                as: Self.key
            )
            #expect(verified.status == 200)
            #expect(try server.redeem(asked.oobCode, "ann@example.com")["localId"] == uid)
        }
    }

    @Test func `no sign-in takes over an administrator's account whose address a mail confirmed`() async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": Self.key]) { server in
            let ann = try server.signIn("ann@example.com")
            #expect(try Self.apply(server, Self.changeCode(server, ann, "other@example.org")).status == 200)
            try server.waitUntilMailsAreFinished()
            try Self.setAdministrator(ann.uid, server)
            let asked = try server.askForLink("other@example.org")
            Self.expectRefused(try server.redeem(asked.oobCode, "other@example.org"), "takeover")
            #expect(try server.user(ann.idToken)["email"] == "other@example.org")
            // With the account's own session this is not a takeover, and neither is it once the key has verified the
            // address.
            #expect(try server.redeem(asked.oobCode, "other@example.org", idToken: ann.idToken)["localId"] == ann.uid)
            #expect(try server.signIn("other@example.org").uid == ann.uid)
        }
        try await TestServer.runInProduction(["ADMIN_KEY": Self.key]) { server in
            let ann = try server.signIn("ann@example.com")
            #expect(try Self.apply(server, Self.changeCode(server, ann, "other@example.org")).status == 200)
            try server.waitUntilMailsAreFinished()
            try Self.setAdministrator(ann.uid, server)
            let verified: JSONValue = ["localId": .string(ann.uid), "emailVerified": true]
            #expect(try server.admin("accounts:update", verified, as: Self.key).status == 200)
            #expect(try server.signIn("other@example.org").uid == ann.uid)
            #expect(try server.lookup(ann.idToken).status == 200, "nothing ended")
        }
    }

    @Test func `an administrator's ID token changes no administrator's account`() async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": Self.key]) { server in
            let ann = try server.signIn("ann@example.com"), bob = try server.signIn("bob@example.com")
            let user = try server.signIn("user@example.com")
            for uid in [ann.uid, bob.uid] { try Self.setAdministrator(uid, server) }
            func link(_ type: String, _ email: String, _ more: JSONValue = [:]) -> (String, JSONValue) {
                var body = JSONObject()
                body.append("requestType", .string(type))
                body.append("email", .string(email))
                body.append("returnOobLink", true)
                for (name, value) in more.object?.members ?? [] { body[name] = value }
                return ("accounts:sendOobCode", .object(body))
            }
            let before = try server.accountState()
            for target in [ann, bob] {
                let email = target.uid == ann.uid ? "ann@example.com" : "bob@example.com"
                let calls: [(String, JSONValue)] = [
                    link("EMAIL_SIGNIN", email), link("VERIFY_EMAIL", email),
                    link("VERIFY_AND_CHANGE_EMAIL", email, ["newEmail": "thief@example.org"]),
                    link("EMAIL_SIGNIN", "thief@example.org", ["idToken": .string(target.idToken)]),
                    (
                        "accounts:sendOobCode",
                        [
                            "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(target.idToken),
                            "newEmail": "thief@example.org",
                        ]
                    ),
                    ("accounts:update", ["localId": .string(target.uid), "email": "thief@example.org"]),
                    ("accounts:update", ["localId": .string(target.uid), "disableUser": true]),
                    ("accounts:update", ["localId": .string(target.uid), "displayName": "x"]),
                    ("accounts:delete", ["localId": .string(target.uid)]),
                ]
                for (call, body) in calls {
                    Self.expectRefused(try server.admin(call, body, as: ann.idToken), "\(call) \(body)")
                }
                let deleted = try server.admin(
                    "accounts:batchDelete",
                    ["localIds": [.string(target.uid)], "force": true],
                    as: ann.idToken
                )
                let reason = deleted.json["errors"]?.array?.first?["message"]?.string
                #expect(reason?.hasPrefix(Self.refused) == true, "\(deleted.text)")
                // A call with a long body goes by the administrators that the node read a moment ago.
                try server.eventually("the node knows the administrator") {
                    try server.admin("accounts:batchCreate", ["users": []], as: ann.idToken).status != 401
                }
                let imported = try server.admin(
                    "accounts:batchCreate",
                    [
                        "users": [["localId": .string(target.uid), "email": "thief@example.org"]],
                        "allowOverwrite": true,
                    ],
                    as: ann.idToken
                )
                let fault = imported.json["error"]?.array?.first?["message"]?.string
                #expect(fault?.hasPrefix(Self.refused) == true, "\(imported.text)")
            }
            #expect(try server.accountState() == before)
            // The ID token still changes other users, and the key changes administrators.
            let change: JSONValue = ["localId": .string(user.uid), "displayName": "x"]
            #expect(try server.admin("accounts:update", change, as: ann.idToken).status == 200)
            let (call, body) = link("EMAIL_SIGNIN", "user@example.com")
            #expect(try server.admin(call, body, as: ann.idToken).status == 200)
            for (call, body): (String, JSONValue) in [
                link("EMAIL_SIGNIN", "bob@example.com"),
                ("accounts:update", ["localId": .string(bob.uid), "email": "bob2@example.com", "emailVerified": true]),
                ("accounts:delete", ["localId": .string(bob.uid)]),
            ] {
                #expect(try server.admin(call, body, as: Self.key).status == 200, "\(call)")
            }
            #expect(try server.administrators() == [ann.uid])
        }
    }

    @Test func `a sign-in link that an administrator's ID token made opens no account that became an administrator's`()
        async throws
    {
        try await TestServer.runInProduction(["ADMIN_KEY": Self.key]) { server in
            let ann = try server.signIn("ann@example.com"), bob = try server.signIn("bob@example.com")
            try Self.setAdministrator(ann.uid, server)
            func code(_ bearer: String) throws -> String {
                let body: JSONValue = [
                    "requestType": "EMAIL_SIGNIN", "email": "bob@example.com", "returnOobLink": true,
                ]
                let answer = try server.admin("accounts:sendOobCode", body, as: bearer)
                #expect(answer.status == 200, "\(answer.text)")
                return answer["oobCode"]
            }
            let byToken = try code(ann.idToken), byKey = try code(Self.key)
            try Self.setAdministrator(bob.uid, server)
            Self.expectRefused(try server.redeem(byToken, "bob@example.com"), "link by a token")
            #expect(try server.redeem(byKey, "bob@example.com")["localId"] == bob.uid)
            try Self.setAdministrator(bob.uid, server, false)
            #expect(try server.redeem(byToken, "bob@example.com")["localId"] == bob.uid)
        }
    }

    @Test func `the key's code for an administrator works, and one for a user who became an administrator does not`()
        async throws
    {
        try await TestServer.runInProduction(["ADMIN_KEY": Self.key]) { server in
            let ann = try server.signIn("ann@example.com")
            func code(_ newEmail: String) throws -> String {
                let answer = try server.admin(
                    "accounts:sendOobCode",
                    [
                        "requestType": "VERIFY_AND_CHANGE_EMAIL", "email": "ann@example.com",
                        "newEmail": .string(newEmail), "returnOobLink": true,
                    ],
                    as: Self.key
                )
                #expect(answer.status == 200, "\(answer.text)")
                return answer["oobCode"]
            }
            let before = try code("thief@example.org")
            try Self.setAdministrator(ann.uid, server)
            let after = try code("ann2@example.com")
            Self.expectRefused(try Self.apply(server, before), "made before")
            #expect(try Self.apply(server, after)["email"] == "ann2@example.com")
            try server.waitUntilMailsAreFinished()
            #expect(try server.signIn("ann2@example.com").uid == ann.uid, "the key vouches for the address")
        }
    }

    @Test func `development's owner and the command line change an administrator`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            try Self.setAdministrator(ann.uid, server)
            let change: JSONValue = ["email": "ann2@example.com", "emailVerified": true]
            #expect(try server.change(ann.uid, change).status == 200)
            try server.waitUntilMailsAreFinished()
            #expect(try server.signIn("ann2@example.com").uid == ann.uid)
            try server.withOperator { try $0.eraseUser(ann.uid) }
            #expect(try server.administrators() == [])
        }
    }

    @Test func `a guest in administrators is neither linked nor merged away`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest(), ann = try server.signIn("ann@example.com")
            try Self.setAdministrator(guest.uid, server)
            let link = try server.askForLink("new@example.com").oobCode
            Self.expectRefused(try server.redeem(link, "new@example.com", idToken: guest.idToken), "link")
            let merged = try server.call(
                "accounts:merge",
                ["idToken": .string(ann.idToken), "anonymousIdToken": .string(guest.idToken)]
            )
            #expect(merged.code == "NOT_ANONYMOUS", "an administrator is no guest: \(merged.text)")
            // A guest can be merged into an administrator's account like into any other.
            try Self.setAdministrator(ann.uid, server)
            let other = try server.guest()
            let taken = try server.call(
                "accounts:merge",
                ["idToken": .string(ann.idToken), "anonymousIdToken": .string(other.idToken)]
            )
            #expect(taken.status == 200, "\(taken.text)")
        }
    }
}
