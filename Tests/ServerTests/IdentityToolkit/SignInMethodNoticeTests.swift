import AccountDatabase
import Accounts
import Database
import JSON
import SMTPHarness
import Server
import Testing

/// A user's call that adds or removes a sign-in method is reported to the proven address, whose owner can revert it.
@Suite("Notices of changed sign-in methods")
struct SignInMethodNoticeTests {
    private static let browser = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    private static let google = ProviderPerson(subject: "ann-at-google")
    private static let thief = ProviderPerson(subject: "thief-at-google")

    // MARK: Steps

    /// Makes a call and waits for the notice that it sends.
    private static func notice(_ server: TestServer, _ call: () throws -> Answer) throws -> Mail {
        let known = try server.allMessages().count
        let answer = try call()
        try #require(answer.status == 200, "\(answer.text)")
        return try server.anyMessage(after: known)
    }

    private static func unlink(_ server: TestServer, _ idToken: String, _ provider: String = "google.com") throws
        -> Answer
    {
        try server.call("accounts:update", ["idToken": .string(idToken), "deleteProvider": [.string(provider)]])
    }

    private static func revert(_ server: TestServer, _ notice: Mail) throws -> Answer {
        try server.answerLink(notice.oobCode, "revert")
    }

    private static func recover(_ server: TestServer, _ notice: Mail) throws -> Answer {
        try server.answerLink(notice.oobCode, "confirm")
    }

    /// Makes Ann, who signs in by an e-mail link and has linked Google.
    private static func annAtGoogle(_ server: TestServer) throws -> Tokens {
        let ann = try server.signIn("ann@example.com")
        let notice = try notice(server) { try server.signIn(google, idToken: ann.idToken) }
        #expect(notice.to == "ann@example.com")
        return ann
    }

    private static func providers(_ server: TestServer, of uid: String) throws -> [String] {
        try server.withDatabase { transaction in try transaction.identities(of: uid).map(\.subject) }
    }

    private static func audited(_ server: TestServer, _ event: String) throws -> Int64 {
        try server.withDatabase { transaction in
            try transaction.first("SELECT count(*) FROM audit_log WHERE event = \(event)") { try $0.integer(0) } ?? 0
        }
    }

    // MARK: The notice and its link

    @Test func `a provider linked with a stolen token is reported to the owner, who takes it back`() async throws {
        try await TestIssuer.run { issuer in
            try await TestServer.runInProduction(file: issuer.settings()) { server in
                let ann = try server.signIn("ann@example.com")
                let stolen = try server.signIn("ann@example.com")
                let token = try issuer.token(["sub": "thief"])
                let notice = try Self.notice(server) {
                    try server.call(
                        "accounts:signInWithIdp",
                        TestServer.idpBody("oidc.test", token, stolen.idToken),
                        headers: [Self.browser]
                    )
                }
                #expect(notice.to == "ann@example.com")
                #expect(notice.text.contains("oidc.test") && notice.text.contains("Firefox · Linux"), "\(notice.text)")
                #expect(notice.text.contains("UTC"))
                #expect(notice.parameter("mode") == "revertMethodChange")

                for _ in 0..<2 {
                    let page = try server.open(notice.link)
                    #expect(page.status == 200 && page.text.contains("oidc.test"), "\(page.text)")
                    #expect(page.text.contains("Firefox · Linux"))
                }
                #expect(try Self.providers(server, of: ann.uid) == ["thief"], "opening the link changes nothing")
                #expect(try server.lookup(ann.idToken).status == 200)

                #expect(try Self.revert(server, notice).status == 200)
                #expect(try Self.providers(server, of: ann.uid) == [])
                for tokens in [ann, stolen] {
                    #expect(try server.lookup(tokens.idToken).code == "TOKEN_EXPIRED")
                    #expect(try server.refresh(tokens.refreshToken).code == "TOKEN_EXPIRED")
                }
                let again = try server.signIn(
                    provider: "oidc.test",
                    token: issuer.token(["sub": "thief", "jti": "another"])
                )
                #expect(again["localId"] != ann.uid)
                #expect(try server.signIn("ann@example.com").uid == ann.uid)
                #expect(try Self.audited(server, "method-change.reverted") == 1)

                #expect(try Self.revert(server, notice).status == 410, "once")
                #expect(try server.open(notice.link).status == 410)
            }
        }
    }

    @Test func `an unlinked provider is reported and restored`() async throws {
        try await TestServer.run { server in
            let ann = try Self.annAtGoogle(server)
            let notice = try Self.notice(server) { try Self.unlink(server, ann.idToken) }
            #expect(notice.to == "ann@example.com" && notice.text.contains("Google"), "\(notice.text)")
            #expect(notice.subject.contains("removed"))
            #expect(try Self.revert(server, notice).status == 200)
            #expect(try server.lookup(ann.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.signIn(Self.google)["localId"] == ann.uid)
        }
    }

    @Test func `a removed provider that another user has by now stays with them, and the page says so`() async throws {
        try await TestServer.run { server in
            let ann = try Self.annAtGoogle(server)
            let notice = try Self.notice(server) { try Self.unlink(server, ann.idToken) }
            let other = try Tokens(server.signIn(Self.google))
            #expect(other.uid != ann.uid)
            let page = try Self.revert(server, notice)
            #expect(page.status == 200 && page.text.contains("another account"), "\(page.text)")
            #expect(try server.lookup(ann.idToken).code == "TOKEN_EXPIRED", "the sessions end all the same")
            #expect(try server.signIn(Self.google)["localId"] == other.uid)
        }
    }

    @Test func `a link of a notice is over after life recoverLink`() async throws {
        try await TestServer.run(["LIFE_RECOVER_LINK": "2d"]) { server in
            let ann = try server.signIn("ann@example.com")
            let notice = try Self.notice(server) { try server.signIn(Self.thief, idToken: ann.idToken) }
            server.clock.advance(seconds: 2 * 86_400 + 1)
            #expect(try server.open(notice.link).status == 410)
            #expect(try Self.revert(server, notice).status == 410)
            #expect(try Self.providers(server, of: ann.uid) == [Self.thief.subject])
        }
    }

    @Test func `only the page accepts the code of a notice, and the emulator does not list it`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let notice = try Self.notice(server) { try server.signIn(Self.thief, idToken: ann.idToken) }
            let code = JSONValue.string(notice.oobCode)
            #expect(try server.call("accounts:update", ["oobCode": code]).code == "INVALID_OOB_CODE")
            #expect(try server.call("accounts:resetPassword", ["oobCode": code]).code == "INVALID_OOB_CODE")
            #expect(try server.answerLink(notice.oobCode, "confirm").status == 400)
            let listed = try server.send("GET", "/emulator/v1/projects/demo-latchkey/oobCodes")
            #expect(!listed.text.contains(notice.oobCode) && !listed.text.contains("REVERT_METHOD_CHANGE"))
            #expect(try server.lookup(ann.idToken).status == 200, "nothing of it has changed anything")
            for forged in Forgery.all(of: notice.oobCode) {
                #expect(try server.answerLink(forged.text, "revert").status == 400, "\(forged.what)")
            }
            #expect(try Self.revert(server, notice).status == 200)
        }
    }

    @Test func `the first method of a guest or of a new user makes no notice`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            #expect(try server.signIn(Self.google, idToken: guest.idToken).status == 200)
            #expect(try server.signIn(ProviderPerson(subject: "new", email: "new@example.com")).status == 200)
            let other = try server.guest()
            let asked = try server.askForLink("ann@example.com")
            #expect(try server.redeem(asked.oobCode, "ann@example.com", idToken: other.idToken).status == 200)
            // An address that becomes the first one of a user without one is proven only then.
            let nameless = try Tokens(server.signIn(Self.google))
            let first = try server.askForLink("first@example.com")
            #expect(try server.redeem(first.oobCode, "first@example.com", idToken: nameless.idToken).status == 200)
            _ = try server.askForLink("marker@example.com")
            #expect(
                try server.allMessages().map(\.to) == ["ann@example.com", "first@example.com", "marker@example.com"]
            )
        }
    }

    @Test func `a provider that signs in by its word about the address is reported as added`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let person = ProviderPerson(subject: "by-address", email: "ann@example.com")
            let notice = try Self.notice(server) {
                let answer = try server.signIn(person)
                #expect(answer["localId"] == ann.uid)
                return answer
            }
            #expect(notice.to == "ann@example.com" && notice.text.contains("Google"))
            let known = try server.allMessages().count
            #expect(try server.signIn(person).status == 200, "the same identity again is no change")
            _ = try server.askForLink("marker@example.com")
            #expect(try server.allMessages().count == known + 1)
            #expect(try Self.revert(server, notice).status == 200)
            #expect(try Self.providers(server, of: ann.uid) == [])
        }
    }

    @Test func `a removed address and provider make one notice, which brings both back`() async throws {
        try await TestServer.run { server in
            let ann = try Self.annAtGoogle(server)
            let known = try server.allMessages().count
            let notice = try Self.notice(server) {
                try server.call(
                    "accounts:update",
                    ["idToken": .string(ann.idToken), "deleteProvider": ["google.com", "password"]]
                )
            }
            #expect(notice.parameter("mode") == "recoverEmail")
            #expect(notice.text.contains("ann@example.com, Google"), "\(notice.text)")
            #expect(
                try server.call("accounts:update", ["oobCode": .string(notice.oobCode)])["email"] == "ann@example.com"
            )
            #expect(try Self.providers(server, of: ann.uid) == [Self.google.subject])
            _ = try server.askForLink("marker@example.com")
            #expect(try server.allMessages().count == known + 2, "no second notice")
        }
    }

    @Test func `a provider that a thief unlinks after the address comes back with the address`() async throws {
        try await TestServer.run { server in
            let ann = try Self.annAtGoogle(server)
            let recovery = try Self.notice(server) {
                try server.call("accounts:update", ["idToken": .string(ann.idToken), "deleteProvider": ["password"]])
            }
            server.clock.advance(seconds: 5)
            #expect(try Self.unlink(server, ann.idToken).status == 200)
            #expect(try Self.providers(server, of: ann.uid) == [])
            #expect(try Self.recover(server, recovery).status == 200)
            #expect(try Self.providers(server, of: ann.uid) == [Self.google.subject])
            #expect(try server.signIn("ann@example.com").uid == ann.uid)
        }
    }

    // MARK: The budget

    @Test func `in development the budget is out of reach`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            for _ in 0..<12 {
                #expect(try server.signIn(Self.google, idToken: ann.idToken).status == 200)
                #expect(try Self.unlink(server, ann.idToken).status == 200)
            }
        }
    }

    @Test func `a used-up budget refuses further changes, and strangers' mails never consume it`() async throws {
        try await TestServer.run(["LIMITS_NOTICES_PER_ACCOUNT": "2"]) { server in
            server.clock.startHour()
            let ann = try server.signIn("ann@example.com")
            for _ in 0..<4 { _ = try server.askForLink("ann@example.com", from: "127.0.0.2") }
            let known = try server.allMessages().count
            #expect(try server.signIn(Self.google, idToken: ann.idToken).status == 200)
            #expect(try Self.unlink(server, ann.idToken).status == 200)

            let link = try server.signIn(Self.thief, idToken: ann.idToken)
            #expect(
                link.status == 429 && link.code == "TOO_MANY_ATTEMPTS_TRY_LATER" && link.header("retry-after") != nil
            )
            #expect(try Self.providers(server, of: ann.uid) == [])
            let removal: JSONValue = ["idToken": .string(ann.idToken), "deleteAttribute": ["EMAIL"]]
            #expect(try server.call("accounts:update", removal).status == 429)
            #expect(try server.user(ann.idToken)["email"]?.string == "ann@example.com")
            let name: JSONValue = ["idToken": .string(ann.idToken), "displayName": "Ann"]
            #expect(try server.call("accounts:update", name).status == 200, "a name is no sign-in method")
            try server.eventually("both notices") { try server.allMessages().count == known + 2 }

            let other = try server.signIn("bob@example.com")
            #expect(try server.signIn(Self.google, idToken: other.idToken).status == 200, "each account has its own")

            server.clock.advance(seconds: 86_400)
            let later = try server.signIn("ann@example.com")
            #expect(try server.signIn(Self.thief, idToken: later.idToken).status == 200)
        }
    }

    @Test func `a confirmed change of address beyond the budget is refused and may be confirmed later`() async throws {
        try await TestServer.run(["LIMITS_NOTICES_PER_ACCOUNT": "1"]) { server in
            server.clock.startNoon()
            let ann = try Self.annAtGoogle(server)
            let mail = try Self.notice(server) {
                try server.call(
                    "accounts:sendOobCode",
                    [
                        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(ann.idToken),
                        "newEmail": "new@example.com",
                    ]
                )
            }
            #expect(try server.answerLink(mail.oobCode, "confirm").status == 429)
            #expect(try server.call("accounts:update", ["oobCode": .string(mail.oobCode)]).status == 429)
            #expect(try server.user(ann.idToken)["email"]?.string == "ann@example.com")
            let asked = try server.askForLink("other@example.com")
            #expect(try server.redeem(asked.oobCode, "other@example.com", idToken: ann.idToken).status == 429)
            // The day's window ends before the links do.
            server.clock.advance(seconds: 86_400 - 60)
            #expect(try server.call("accounts:update", ["oobCode": .string(mail.oobCode)]).status == 200)
        }
    }

    @Test func `an administrator's change makes no notice and is not refused for one`() async throws {
        try await TestServer.run(["LIMITS_NOTICES_PER_ACCOUNT": "1"]) { server in
            let ann = try Self.annAtGoogle(server)
            let known = try server.allMessages().count
            #expect(try server.change(ann.uid, ["deleteProvider": ["google.com"]]).status == 200)
            let identity: JSONValue = ["linkProviderUserInfo": ["providerId": "oidc.other", "rawId": "1"]]
            #expect(try server.change(ann.uid, identity).status == 200)
            #expect(try server.change(ann.uid, ["email": "new@example.com"]).status == 200)
            let notice = try server.anyMessage(after: known)
            #expect(notice.to == "ann@example.com" && notice.parameter("mode") == "recoverEmail", "as before")
            _ = try server.askForLink("marker@example.com")
            #expect(try server.allMessages().count == known + 2)
        }
    }

    // MARK: Concurrency and order

    @Test func `a change asked for many times at once is made and reported once`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let known = try server.allMessages().count
            let body = TestServer.idpBody("google.com", UnsignedToken.make(Self.google.claims), ann.idToken)
            let links = try server.callAtOnce(Array(repeating: ("accounts:signInWithIdp", body), count: 6))
            #expect(links.count { $0.status == 200 } == 1, "\(links.map(\.text))")
            let removal: JSONValue = ["idToken": .string(ann.idToken), "deleteProvider": ["google.com"]]
            let removals = try server.callAtOnce(Array(repeating: ("accounts:update", removal), count: 6))
            #expect(removals.allSatisfy { $0.status == 200 }, "\(removals.map(\.text))")
            _ = try server.anyMessage(after: known + 1)
            _ = try server.askForLink("marker@example.com")
            #expect(try server.allMessages().count == known + 3, "one of each kind")
        }
    }

    @Test func `a link pressed many times at once acts once`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let notice = try Self.notice(server) { try server.signIn(Self.thief, idToken: ann.idToken) }
            let form = Array("oobCode=\(notice.oobCode)&lang=en&action=revert".utf8)
            let request = TestServer.request(
                "POST",
                "/auth/action",
                headers: ["Content-Type: application/x-www-form-urlencoded"],
                body: form
            )
            let connections = try (0..<6).map { _ in try HTTPConnection(port: server.port) }
            for connection in connections { try connection.send(request) }
            let answers = try connections.map { try $0.answer().status }
            #expect(answers.sorted() == [200, 410, 410, 410, 410, 410])
            #expect(try Self.audited(server, "method-change.reverted") == 1)
            #expect(try Self.providers(server, of: ann.uid) == [])
        }
    }

    @Test(arguments: [[0, 1], [1, 0]])
    func `a method that was replaced comes back in whatever order its notices are answered`(order: [Int]) async throws {
        try await TestServer.run { server in
            let ann = try Self.annAtGoogle(server)
            let notices = [
                try Self.notice(server) { try Self.unlink(server, ann.idToken) },
                try Self.notice(server) { try server.signIn(Self.thief, idToken: ann.idToken) },
            ]
            for index in order { #expect(try Self.revert(server, notices[index]).status == 200) }
            #expect(try Self.providers(server, of: ann.uid) == [Self.google.subject])
        }
    }

    @Test(arguments: [[0, 1], [1, 0]])
    func `a thief's method does not come back by the notice of its own removal`(order: [Int]) async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let notices = [
                try Self.notice(server) { try server.signIn(Self.thief, idToken: ann.idToken) },
                try Self.notice(server) { try Self.unlink(server, ann.idToken) },
            ]
            for index in order { #expect(try Self.revert(server, notices[index]).status == 200) }
            #expect(try Self.providers(server, of: ann.uid) == [])
        }
    }

    @Test func `taking back an older change leaves a later one of the same provider`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let first = try Self.notice(server) { try server.signIn(Self.thief, idToken: ann.idToken) }
            _ = try Self.notice(server) { try Self.unlink(server, ann.idToken) }
            _ = try Self.notice(server) { try server.signIn(Self.google, idToken: ann.idToken) }
            #expect(try Self.revert(server, first).status == 200)
            #expect(try Self.providers(server, of: ann.uid) == [Self.google.subject])
        }
    }

    enum Order: String, CaseIterable, Sendable {
        case revertFirst, recoverFirst, atOnce
    }

    @Test(arguments: Order.allCases)
    func `an account is restored in whatever order the notices of a thief's changes are answered`(order: Order)
        async throws
    {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            let ann = try Self.annAtGoogle(server)
            server.clock.advance(seconds: 5)
            let stolen = try server.signIn("ann@example.com")
            let unlinked = try Self.notice(server) { try Self.unlink(server, stolen.idToken) }
            let asked = try server.askForLink("thief@example.org")
            let changed = try Self.notice(server) {
                try server.redeem(asked.oobCode, "thief@example.org", idToken: stolen.idToken)
            }
            #expect(changed.to == "ann@example.com" && changed.parameter("mode") == "recoverEmail")
            switch order {
            case .revertFirst:
                #expect(try Self.revert(server, unlinked).status == 200)
                #expect(try Self.recover(server, changed).status == 200)
            case .recoverFirst:
                #expect(try Self.recover(server, changed).status == 200)
                #expect(try Self.revert(server, unlinked).status == 200)
            case .atOnce:
                let requests = [(unlinked, "revert"), (changed, "confirm")].map { mail, action in
                    TestServer.request(
                        "POST",
                        "/auth/action",
                        headers: ["Content-Type: application/x-www-form-urlencoded"],
                        body: Array("oobCode=\(mail.oobCode)&lang=en&action=\(action)".utf8)
                    )
                }
                let connections = try requests.map { _ in try HTTPConnection(port: server.port) }
                for (connection, request) in zip(connections, requests) { try connection.send(request) }
                for connection in connections { #expect(try connection.answer().status == 200) }
            }
            #expect(try Self.providers(server, of: ann.uid) == [Self.google.subject])
            #expect(try server.signIn("ann@example.com").uid == ann.uid)
            #expect(try server.signIn("thief@example.org").uid != ann.uid)
        }
    }

    @Test func `a recovered address brings back the provider that was unlinked since`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            let ann = try Self.annAtGoogle(server)
            server.clock.advance(seconds: 5)
            let asked = try server.askForLink("thief@example.org")
            let changed = try Self.notice(server) {
                try server.redeem(asked.oobCode, "thief@example.org", idToken: ann.idToken)
            }
            let thief = try server.signIn("thief@example.org")
            let toThief = try Self.notice(server) { try Self.unlink(server, thief.idToken) }
            #expect(toThief.to == "thief@example.org")
            let added = try Self.notice(server) { try server.signIn(Self.thief, idToken: thief.idToken) }
            #expect(try Self.recover(server, changed).status == 200)
            #expect(try Self.providers(server, of: ann.uid) == [Self.google.subject])
            for notice in [toThief, added] {
                #expect(try Self.revert(server, notice).status == 410, "the thief's mailbox has no say any more")
            }
        }
    }

    @Test func `a pending change of address ends with the change that the owner takes back`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let pending = try Self.notice(server) {
                try server.call(
                    "accounts:sendOobCode",
                    [
                        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(ann.idToken),
                        "newEmail": "thief@example.org",
                    ]
                )
            }
            let notice = try Self.notice(server) { try server.signIn(Self.thief, idToken: ann.idToken) }
            #expect(try Self.revert(server, notice).status == 200)
            #expect(try server.answerLink(pending.oobCode, "confirm").status == 410)
            #expect(try server.signIn("ann@example.com").uid == ann.uid)
        }
    }

    @Test func `the link of a notice changes nothing of a user who has become an administrator, and is kept`()
        async throws
    {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let notice = try Self.notice(server) { try server.signIn(Self.thief, idToken: ann.idToken) }
            try server.withOperator { try $0.setAdministrator(true, ann.uid) }
            #expect(try Self.revert(server, notice).status >= 400)
            #expect(try Self.providers(server, of: ann.uid) == [Self.thief.subject])
            #expect(try server.lookup(ann.idToken).status == 200)
            try server.withOperator { try $0.setAdministrator(false, ann.uid) }
            #expect(try Self.revert(server, notice).status == 200)
            #expect(try Self.providers(server, of: ann.uid) == [])
        }
    }

    @Test func `the notices of a deleted user leave nothing and do nothing`() async throws {
        try await TestServer.run { server in
            let ann = try Self.annAtGoogle(server)
            let notice = try Self.notice(server) { try Self.unlink(server, ann.idToken) }
            #expect(try server.call("accounts:delete", ["idToken": .string(ann.idToken)]).status == 200)
            #expect(try server.withDatabase { try $0.methodChanges(of: ann.uid) } == [])
            #expect(try Self.revert(server, notice).status == 410)
        }
    }

    // MARK: The e-mail

    @Test func `a notice to a mailbox that does not exist counts as given, and is logged and audited`() async throws {
        try await TestServer.runInProduction { server in
            let ann = try server.signIn("ann@example.com")
            server.smtp?.faults = .permanent(550, at: .recipient)
            let asked = try server.call(
                "accounts:sendOobCode",
                ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"]
            )
            try server.eventually("the mailbox is refused") {
                try server.redeemTicket(asked["ticket"]).code == "MAIL_FAILED"
            }
            server.smtp?.faults = .none
            let removal: JSONValue = ["idToken": .string(ann.idToken), "deleteAttribute": ["EMAIL"]]
            #expect(try server.call("accounts:update", removal).status == 200)
            try server.waitUntilMailsAreFinished()
            let line = try #require(server.log.all.last { $0.contains("notice.suppressed") })
            #expect(line.contains(ann.uid) && !line.contains("ann@example.com"))
            #expect(try Self.audited(server, "notice.suppressed") == 1)
        }
    }

    @Test func `the sign-in after a recovery keeps the providers of before the change`() async throws {
        try await TestServer.run { server in
            let ann = try Self.annAtGoogle(server)
            // Confirmed on the page, so that the new address is marked until its owner signs in.
            let owners = try server.changeAddress(ann.idToken, to: "thief@example.com")
            #expect(try Self.recover(server, owners).status == 200)
            #expect(try server.signIn("ann@example.com").uid == ann.uid)
            #expect(try Self.providers(server, of: ann.uid) == [Self.google.subject])
        }
    }
}
