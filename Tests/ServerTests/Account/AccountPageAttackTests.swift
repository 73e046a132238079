import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import Testing
import Tokens

/// Attacks on the account page: forms of other sites, planted and stolen cookies, frames and markup.
@Suite("Attacks on the account page")
struct AccountPageAttackTests {
    private static let actions = [
        "/account/email", "/account/end-session", "/account/delete", "/account/sign-out", "/account/confirm",
    ]

    @Test func `every form needs the token of its own browser`() async throws {
        try await TestServer.runWithAccountPage { server in
            let ann = try server.signIn("ann@example.com"), mallory = try server.signIn("mallory@example.com")
            let browser = AccountBrowser(server), attacker = AccountBrowser(server)
            try browser.enter(ann.idToken)
            try attacker.enter(mallory.idToken)
            let stolen = try #require(attacker.forms("/account/sign-out").first?["formToken"])
            let own = try #require(browser.forms("/account/sign-out").first?["formToken"])
            let sid = try #require(try Claims(ann.idToken)["sid"]?.string)
            for action in Self.actions {
                for token in ["", "x", stolen, String(own.dropLast()), String(repeating: "A", count: 44)] {
                    let fields = ["formToken": token, "email": "evil@example.com", "session": sid]
                    #expect(try browser.post(action, fields).status == 403, "\(action) \(token)")
                }
                for header in ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"] {
                    let fields = ["formToken": own, "email": "evil@example.com", "session": sid]
                    #expect(try browser.post(action, fields, headers: [header]).status == 403, "\(action) \(header)")
                }
            }
            #expect(try server.lookup(ann.idToken).status == 200)
            #expect(try browser.open("/account").status == 200)
        }
    }

    @Test func `another site cannot sign a browser in`() async throws {
        try await TestServer.runWithAccountPage { server in
            let mallory = try server.signIn("mallory@example.com")
            let url = try AccountBrowser.url(for: mallory.idToken, on: server)
            let token = url.components(separatedBy: "token=")[1]
            let attacker = AccountBrowser(server), victim = AccountBrowser(server)
            try attacker.open(url)
            let form = try #require(attacker.forms("/account/open").first)
            // A form of another site: the victim's browser sends none of its cookies, then those of its own sign-in.
            #expect(try victim.post("/account/open", form).status == 403)
            try victim.open("/account")
            #expect(try victim.post("/account/open", form).status == 403)
            #expect(try victim.post("/account/open", ["token": token]).status == 403)
            #expect(victim.cookies["latchkey-account"] == nil)
            // The link of an e-mail that the attacker requested shows the code at most.
            let known = try server.messages().count
            try attacker.open("/account")
            try attacker.submit("/account/sign-in", ["email": "mallory@example.com"])
            let mail = try server.message(after: known)
            try server.waitUntilMailsAreFinished()
            try victim.open(mail.link)
            #expect(victim.forms("/account/link").isEmpty)
            try victim.open("/account")
            let own = try #require(victim.forms("/account/sign-in").first?["formToken"])
            #expect(try victim.post("/account/link", ["oobCode": mail.oobCode, "formToken": own]).status == 410)
            #expect(victim.cookies["latchkey-account"] == nil)
        }
    }

    @Test func `a planted cookie is not the one that a sign-in makes good`() async throws {
        try await TestServer.runWithAccountPage { server in
            let ann = try server.signIn("ann@example.com"), mallory = try server.signIn("mallory@example.com")
            let attacker = AccountBrowser(server), victim = AccountBrowser(server)
            try attacker.enter(mallory.idToken)
            let planted = try #require(attacker.cookies["latchkey-account"])
            victim.cookies["latchkey-account"] = planted
            try victim.enter(ann.idToken)
            #expect(victim.cookies["latchkey-account"] != planted)
            #expect(victim.page.text.contains("ann@example.com"))
            #expect(try attacker.open("/account").status == 403, "the sign-in ended the planted session")
            // Two cookies of one name: one of them is not the browser's own.
            let own = try #require(victim.cookies["latchkey-account"])
            let twice = "Cookie: latchkey-account=\(own); latchkey-account=\(planted)"
            #expect(try server.send("GET", "/account", headers: [twice]).text.contains("Manage your account"))
        }
    }

    @Test func `a forged cookie opens nothing, nor does what the database stores`() async throws {
        try await TestServer.runWithAccountPage { server in
            let ann = try server.signIn("ann@example.com")
            let browser = AccountBrowser(server)
            try browser.enter(ann.idToken)
            let good = try #require(browser.cookies["latchkey-account"])
            let stored = try #require(
                try server.withDatabase { try $0.first("SELECT session FROM browser_sessions") { try $0.text(0) } }
            )
            for cookie in [stored, String(good.dropLast()) + "A", "", "x", String(repeating: "A", count: 5000)]
            where cookie != good {
                let answer = try server.send("GET", "/account", headers: ["Cookie: latchkey-account=\(cookie)"])
                #expect(!answer.text.contains("ann@example.com"), "\(cookie)")
            }
            #expect(!String(decoding: try server.bytesAtRest(), as: UTF8.self).contains(good))
        }
    }

    @Test(arguments: ["revoke", "disable", "delete", "sign-out", "change"])
    func `the page's session ends with its user's sessions`(end: String) async throws {
        try await TestServer.runWithAccountPage { server in
            let ann = try server.signIn("ann@example.com")
            let browser = AccountBrowser(server)
            try browser.enter(ann.idToken)
            switch end {
            case "revoke":
                server.clock.advance(seconds: 2)
                _ = try server.call("accounts:update", ["idToken": .string(ann.idToken), "validSince": "1"])
            case "disable": _ = try server.change(ann.uid, ["disableUser": true])
            case "delete": _ = try server.call("accounts:delete", ["idToken": .string(ann.idToken)])
            case "sign-out": _ = try server.call("accounts:signOut", ["refreshToken": .string(ann.refreshToken)])
            default:
                let mail = try server.askForMail(ann.idToken, changingTo: "new@example.com")
                #expect(try server.answerLink(mail.oobCode, "confirm").status == 200)
            }
            let answer = try browser.open("/account")
            #expect(answer.status == 403 && !answer.text.contains("Where you"), "\(answer.text)")
            #expect(try browser.open("/account/export").status == 403)
        }
    }

    @Test func `the session ends when it is not used, and at the latest after its whole life`() async throws {
        try await TestServer.runWithAccountPage { server in
            let ann = try server.signIn("ann@example.com")
            let idle = AccountBrowser(server), busy = AccountBrowser(server)
            try idle.enter(ann.idToken)
            try busy.enter(ann.idToken)
            for _ in 0..<2 {
                server.clock.advance(seconds: 29 * 60)
                #expect(try busy.open("/account").status == 200)
            }
            #expect(try idle.open("/account").status == 403)
            for _ in 0..<22 {
                server.clock.advance(seconds: 29 * 60)
                #expect(try busy.open("/account").status == 200)
            }
            server.clock.advance(seconds: 29 * 60)
            #expect(try busy.open("/account").status == 403, "twelve hours have passed")
        }
    }

    @Test func `clean-up ends the sessions of closed browsers`() async throws {
        try await TestServer.runWithAccountPage { server in
            let ann = try server.signIn("ann@example.com")
            try AccountBrowser(server).signIn("ann@example.com")
            server.clock.advance(seconds: 31 * 60)
            try server.withDatabase { _ = try $0.purge(limit: 100, auditLife: 1 << 40, mailDelay: 0) }
            let left = try server.withDatabase { transaction in
                (
                    try transaction.first("SELECT count(*) FROM browser_sessions") { try $0.integer(0) },
                    try transaction.sessions(of: ann.uid, limit: 10).count
                )
            }
            #expect(left.0 == 0 && left.1 == 1, "the app's session stays")
        }
    }

    @Test func `no page may be framed, stored or scripted, and cookies are out of reach of scripts`() async throws {
        try await TestServer.runWithAccountPage { server in
            let ann = try server.signIn("ann@example.com")
            let browser = AccountBrowser(server)
            try browser.enter(ann.idToken)
            let cookie = try #require(browser.setCookies.first { $0.hasPrefix("latchkey-account=") })
            #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax"), "\(cookie)")
            for path in ["/account", "/account/delete", "/account/sign-in", "/account/open?token=x"] {
                let answer = try browser.open(path)
                let policy = answer.header("content-security-policy") ?? ""
                #expect(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"), "\(path)")
                #expect(policy.contains("form-action 'self'") && !policy.contains("unsafe"), "\(path)")
                #expect(answer.header("x-frame-options") == "DENY" && answer.header("cache-control") == "no-store")
                #expect(answer.header("access-control-allow-origin") == nil)
                #expect(!answer.text.contains("<script"))
            }
        }
    }

    @Test func `over https the cookies are bound to this host`() async throws {
        try await TestServer.runInProduction(["ACCOUNT_PAGE": "on"]) { server in
            let first = try server.send("GET", "/account")
            let cookie = try #require(first.header("set-cookie"))
            #expect(cookie.hasPrefix("__Host-latchkey-account-sign-in="))
            #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure"))
            let ann = try server.signIn("ann@example.com")
            let url = try AccountBrowser.url(for: ann.idToken, on: server)
            #expect(url.hasPrefix("https://auth.example.com/account/open?token="))
            let browser = AccountBrowser(server)
            try browser.open(url)
            let foreign = try browser.submit("/account/open", headers: ["Origin: https://evil.example"])
            #expect(foreign.status == 403)
            try browser.open(url)
            #expect(try browser.submit("/account/open").text.contains("ann@example.com"))
            // `allowedOrigins` lists apps only; the page's own link needs no entry.
            let known = try server.messages().count
            let other = AccountBrowser(server)
            try other.open("/account")
            try other.submit("/account/sign-in", ["email": "ann@example.com"])
            let mail = try server.message(after: known)
            try other.open(mail.link)
            #expect(other.forms("/account/link").count == 1, "\(other.page.text)")
        }
    }

    @Test func `markup in a name, an address or a provider's data is inert`() async throws {
        try await TestServer.runWithAccountPage(["SECRET": TestServer.secret]) { server in
            let id = try #require(TokenID(text: String(repeating: "A", count: 21) + "Q"))
            let markup = "<script>alert(1)</script>\"><img src=x>"
            let uid = try server.create(["displayName": .string(markup)])
            try server.withDatabase { transaction in
                try transaction.put(
                    Identity(uid: uid, provider: "oidc.<b>x", subject: "s", displayName: markup)
                )
                var session = Session(
                    SessionOpening(sid: String(repeating: "A", count: 22), rotates: true, device: markup),
                    uid: uid,
                    provider: .emailLink,
                    at: transaction.now
                )
                session.lastUsedAt = transaction.now
                try transaction.insert(session)
                try transaction.insert(
                    BrowserSession(
                        id: id.text,
                        page: .account,
                        uid: uid,
                        sid: session.sid,
                        opensSession: false,
                        createdAt: transaction.now,
                        expiresAt: transaction.now + 60_000
                    )
                )
            }
            let cookie = try BrowserSessionToken.make(id: id, secrets: ServerSecrets(text: TestServer.secret))
            for path in ["/account", "/account/delete"] {
                let page = try server.send("GET", path, headers: ["Cookie: latchkey-account=\(cookie)"])
                #expect(page.status == 200, "\(page.text)")
                #expect(page.text.contains("&lt;script&gt;"))
                #expect(!page.text.contains("<script") && !page.text.contains("<img") && !page.text.contains("<b>x"))
            }
        }
    }

    @Test func `a limit on e-mails also holds for the page's forms`() async throws {
        try await TestServer.runWithAccountPage(["LIMITS_LINKS_PER_CLIENT": "2"]) { server in
            let browser = AccountBrowser(server)
            for expected in [200, 200, 429] {
                try browser.open("/account")
                let answer = try browser.submit("/account/sign-in", ["email": "ann@example.com"])
                #expect(answer.status == expected, "\(answer.text)")
            }
        }
    }

    @Test func `an operator who demands proof of work demands it of this page too`() async throws {
        try await TestServer.runWithAccountPage(["CHALLENGE": "always"]) { server in
            let browser = AccountBrowser(server)
            try browser.open("/account")
            #expect(try browser.submit("/account/sign-in", ["email": "ann@example.com"]).status == 429)
            #expect(browser.page.text.contains("Open this page from"))
            #expect(try server.messages().isEmpty)
        }
    }

    @Test func `one URL pressed twice at once opens one session`() async throws {
        try await TestServer.runWithAccountPage { server in
            let ann = try server.signIn("ann@example.com")
            let browser = AccountBrowser(server)
            try browser.open(try AccountBrowser.url(for: ann.idToken, on: server))
            let form = try #require(browser.forms("/account/open").first)
            let cookie = browser.cookies.map { "\($0)=\($1)" }.joined(separator: "; ")
            let body = "formToken=\(form["formToken"] ?? "")&token=\(form["token"] ?? "")"
            let connections = try (0..<4).map { _ in try HTTPConnection(port: server.port) }
            for connection in connections {
                try connection.send(
                    TestServer.request("POST", "/account/open", headers: ["Cookie: \(cookie)"], body: Array(body.utf8))
                )
            }
            let statuses = try connections.map { try $0.answer().status }.sorted()
            #expect(statuses == [303, 410, 410, 410])
        }
    }
}
