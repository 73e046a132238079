import AccountDatabase
import Accounts
import Database
import Foundation
import Server
import Testing

/// Attacks on the console: forms of other sites, planted and stolen cookies, frames, markup and long texts.
@Suite("Attacks on the console")
struct ConsoleAttackTests {
    /// Every form of the console that a signed-in person can send.
    private static func actions(_ uid: String) -> [String] {
        ConsoleTexts.userActions.map { "/console/users/\(uid)/\($0)" } + [
            "/console/users/\(uid)/document", "/console/mail/retry", "/console/clean-up", "/console/refused/lift",
            "/console/sign-out",
        ]
    }

    @Test func `every form needs the token of its own session, and the console's own origin`() async throws {
        try await TestServer.runWithConsole { server in
            let bob = try server.signIn("bob@example.com")
            let browser = AccountBrowser.console(server), attacker = AccountBrowser.console(server)
            try browser.enterConsole()
            try attacker.enterConsole(as: "mallory")
            let own = try #require(browser.forms("/console/sign-out").first?["formToken"])
            let stolen = try #require(attacker.forms("/console/sign-out").first?["formToken"])
            for action in Self.actions(bob.uid) {
                var fields = [
                    "email": "evil@example.com", "state": "on", "collection": "c", "id": "d", "mail": "m",
                    "subject": "bob@example.com",
                ]
                for token in ["", "x", stolen, String(own.dropLast()), String(repeating: "A", count: 44)] {
                    fields["formToken"] = token
                    #expect(try browser.post(action, fields).status == 403, "\(action) \(token)")
                }
                fields["formToken"] = own
                for header in ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"] {
                    #expect(try browser.post(action, fields, headers: [header]).status == 403, "\(action) \(header)")
                }
                for origin in ["null", "https://evil.example", "https://auth.example.com.evil.example"] {
                    browser.origin = origin
                    #expect(try browser.post(action, fields).status == 403, "\(action) \(origin)")
                }
                browser.origin = "https://auth.example.com"
            }
            let user = try server.withDatabase { try $0.user(bob.uid) }
            #expect(user?.email == "bob@example.com")
            #expect(user?.isDisabled == false)
            #expect(try browser.open("/console/users/\(bob.uid)").status == 200)
        }
    }

    @Test func `no page can be framed or cached, none runs another script, and none tells others where it was`()
        async throws
    {
        try await TestServer.runWithConsole { server in
            let bob = try server.signIn("bob@example.com")
            let browser = AccountBrowser.console(server)
            func check(_ path: String) throws {
                let page = try browser.open(path)
                let policy = page.header("content-security-policy") ?? ""
                #expect(policy.contains("default-src 'none'"), "\(path)")
                #expect(policy.contains("frame-ancestors 'none'"), "\(path)")
                #expect(!policy.contains("unsafe"), "\(path)")
                #expect(policy.contains("script-src 'self'; connect-src 'self';"), "\(path)")
                #expect(page.header("x-frame-options") == "DENY", "\(path)")
                #expect(page.header("referrer-policy") == "same-origin", "\(path)")
                #expect(page.header("cache-control") == "no-store", "\(path)")
                #expect(page.header("access-control-allow-origin") == nil, "\(path)")
                let scripts = page.text.components(separatedBy: "<script").dropFirst()
                #expect(
                    scripts.map { $0.hasPrefix(" src=\"/console/console.js\" defer></script>") } == [true],
                    "\(path)"
                )
                #expect(!page.text.contains(" style="), "\(path)")
            }
            for path in ["/console", "/console/sign-in", "/console/open?token=x"] { try check(path) }
            try browser.enterConsole()
            for path in [
                "/console", "/console/users", "/console/users?search=bob", "/console/users/\(bob.uid)",
                "/console/users/\(bob.uid)/delete", "/console/users/nobody", "/console/mail", "/console/clean-up",
                "/console/refused", "/console/refused/lift?subject=a@example.com", "/console/configuration",
                "/console/clean-up/change?state=on",
            ] { try check(path) }
        }
    }

    @Test func `stored markup stays text in every field`() async throws {
        try await TestServer.runWithConsole(["APP_NAME": "<i>Meadow"]) { server in
            let markup = "\"'><script>alert(1)</script><b>&amp;"
            let uid = "<i>\"'>u"
            try server.withDatabase { transaction in
                try transaction.trace(
                    TraceEntry(.failed, of: "r", mail: "m", uid: uid, device: markup, network: "<i>", detail: markup)
                )
                var user = User(uid: uid, createdAt: 1)
                user.email = "x<b>@example.com"
                user.emailLinkAt = 1
                user.displayName = markup
                user.screenName = markup
                user.customAttributes = "{\"a\":\"\(markup.replacingOccurrences(of: "\"", with: "\\\""))\"}"
                user.contest = Contest(since: 1, oldEmail: "y<b>@example.com")
                try transaction.insert(user)
                var identity = Identity(uid: uid, provider: markup, subject: markup)
                identity.displayName = markup
                try transaction.put(identity)
                try transaction.execute(
                    """
                    INSERT INTO documents (uid, collection, name, content, bytes, version, created_at, updated_at)
                    VALUES (\(uid), 'c', 'd', \("\"" + markup), 2, 1, 1, 1)
                    """
                )
                try transaction.execute(
                    """
                    INSERT INTO outbox (mail, kind, state, attempts, due_at, rank, created_at, settled_at, reason)
                    VALUES (\(markup), \(markup), 'failed', 1, 1, 1, \(transaction.now), \(transaction.now), \(markup))
                    """
                )
                try transaction.execute(
                    """
                    INSERT INTO merges (merge, uid, target_uid, state, report, created_at, settled_at)
                    VALUES ('m', \(markup), \(uid), 'committed', \("{\"x\":\"" + markup), \(transaction.now),
                        \(transaction.now))
                    """
                )
                try transaction.execute(
                    """
                    INSERT INTO audit_log (at, event, uid, detail, actor, reason)
                    VALUES (\(transaction.now), \(markup), \(uid), \(markup), \("key:\(markup)"), \(markup))
                    """
                )
            }
            let browser = AccountBrowser.console(server)
            try browser.enterConsole(as: "<b>ann")
            let path = "/console/users/%3Ci%3E%22%27%3Eu"
            var pages = [
                "/console/users", "/console/users?search=%3Ci%3E", "/console/users?search=\"><script>", path,
                "\(path)/delete", "\(path)/export", "/console/mail?list=Failed", "/console/mail?list=Newest",
                "/console/users/<b>x", "/console/refused/lift?subject=<b>", "/console/mail/retry?mail=\(markup)",
                "/console/clean-up", "/console/refused", "/console/audit", "/console/audit?user=<i>&actor=\"><script>",
                "/console/audit?user=\(uid)", "/console/configuration",
            ].map { $0.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed.union(["%"])) ?? $0 }
            pages.removeAll { $0.isEmpty }
            for page in pages {
                let text = try browser.open(page).text
                #expect(text.contains("</html>"), "\(page): \(browser.page.status)")
                for evil in ["<script>", "<i>", "x<b>", "<b>ann", "\"'>"] {
                    #expect(!text.contains(evil), "\(page) has \(evil)")
                }
            }
            #expect(browser.page.text.contains("&lt;b&gt;ann"))
            try browser.open(path)
            #expect(browser.page.text.contains("&lt;script&gt;alert(1)"))
            #expect(browser.page.text.contains("The e-mail was not delivered"), "the trace with its markup was there")
            // The path of the user's forms leads back to the user.
            let shown = try browser.submit("/console/users/%3Ci%3E%22%27%3Eu/document")
            #expect(shown.status == 200)
            #expect(shown.text.contains("&lt;script&gt;"))
            #expect(!shown.text.contains("<script>"))
        }
    }

    @Test func `a planted cookie is not the one that a sign-in makes good`() async throws {
        try await TestServer.runWithConsole { server in
            let attacker = AccountBrowser.console(server), victim = AccountBrowser.console(server)
            try attacker.enterConsole(as: "mallory")
            let planted = try #require(attacker.consoleCookie)
            victim.cookies["__Host-latchkey-console"] = planted
            try victim.enterConsole(as: "ann")
            #expect(victim.consoleCookie != planted)
            #expect(try attacker.open("/console/users").status == 403, "the sign-in ended the planted session")
            #expect(try victim.open("/console/users").status == 200)

            // A form that the attacker got, and a sign-in cookie that the attacker knows.
            let url = try server.consoleURL()
            let fresh = AccountBrowser.console(server)
            try attacker.open(url)
            let form = try #require(attacker.forms("/console/open").first)
            #expect(try fresh.post("/console/open", form).status == 403)
            #expect(fresh.consoleCookie == nil)
            // The token of a URL is no cookie.
            let token = url.components(separatedBy: "token=")[1]
            fresh.cookies["__Host-latchkey-console"] = token
            #expect(try fresh.open("/console/users").status == 403)
        }
    }

    @Test func `the link to a next page works for its own session and list only`() async throws {
        try await TestServer.runWithConsole { server in
            try server.withDatabase { transaction in
                for number in 0..<120 {
                    var user = User(uid: "u\(1000 + number)", createdAt: Int64(number))
                    user.email = "someone\(1000 + number)@example.com"
                    try transaction.insert(user)
                }
            }
            let browser = AccountBrowser.console(server), other = AccountBrowser.console(server)
            try browser.enterConsole()
            try other.enterConsole(as: "bob")
            var page = try browser.open("/console/users?search=someone").text, uids: [String] = []
            let link = try #require(Self.next(page))
            #expect(!link.contains("someone1"), "the URL has no address")
            while true {
                uids += page.matches(of: /<code>(u\d+)<\/code>/).map { String($0.1) }
                guard let next = Self.next(page) else { break }
                page = try browser.open(next).text
            }
            #expect(uids == (0..<120).map { "u\(1000 + $0)" })
            #expect(try other.open(link).status == 400)
            #expect(try browser.open(link.replacingOccurrences(of: "search=someone", with: "search=s")).status == 400)
            #expect(try browser.open(link.replacingOccurrences(of: "filter=", with: "filter=guests")).status == 400)
            #expect(try browser.open("/console/users?search=someone&after=x").status == 400)
            #expect(try browser.open(String(link.dropLast(2))).status == 400)
        }
    }

    private static func next(_ page: String) -> String? {
        page.firstMatch(of: /<a href="([^"]*)" rel="next">/).map {
            String($0.1).replacingOccurrences(of: "&amp;", with: "&")
        }
    }

    @Test(arguments: [255, 2000, 1_000_000])
    func `a search for a long text is refused`(length: Int) async throws {
        try await TestServer.runWithConsole { server in
            let browser = AccountBrowser.console(server)
            try browser.enterConsole()
            // The server may close the connection before it has read all of a head that is too long.
            let answer = try? browser.open("/console/users?search=" + String(repeating: "a", count: length))
            #expect(answer.map { [400, 414, 431].contains($0.status) } ?? (length > 100_000))
            #expect((answer?.body.count ?? 0) < 20_000)
            #expect(try browser.open("/console/users?search=a").status == 200)
        }
    }

    @Test func `a development server asks nobody to sign in, and refuses other pages and names`() async throws {
        try await TestServer.run { server in
            let bob = try server.signIn("bob@example.com")
            let browser = AccountBrowser(server)
            browser.origin = "http://localhost"
            #expect(try browser.open("/console").text.contains("Overview"))
            try browser.open("/console/users/\(bob.uid)/disable")
            let form = try #require(browser.forms("/console/users/\(bob.uid)/disable").first)
            for origin in ["null", "http://evil.example", "http://localhost:1"] {
                browser.origin = origin
                #expect(try browser.post("/console/users/\(bob.uid)/disable", form).status == 403, "\(origin)")
            }
            browser.origin = "http://localhost"
            for token in ["", "x"] {
                let fields = ["formToken": token]
                #expect(try browser.post("/console/users/\(bob.uid)/disable", fields).status == 403)
            }
            let stranger = AccountBrowser(server)
            stranger.origin = "http://localhost"
            #expect(try stranger.post("/console/users/\(bob.uid)/disable", form).status == 403, "without the cookie")
            browser.headers.append("X-Forwarded-For: 192.0.2.1")
            #expect(try browser.open("/console").status == 403)
            browser.headers.removeLast()
            #expect(try browser.post("/console/users/\(bob.uid)/disable", form).text.contains("The user is disabled"))
        }
        try await TestServer.run(["CONSOLE": "off"]) { server in
            let answer = try server.send("GET", "/console")
            #expect(answer.status == 404)
        }
    }
}

/// Words of the console that its tests repeat.
enum ConsoleTexts {
    static let userActions = [
        "send-link", "change-address", "end-session", "end-sessions", "keep-new", "keep-old", "disable", "enable",
        "lift-limits", "export", "delete",
    ]
}
