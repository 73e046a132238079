import AccountDatabase
import Accounts
import Foundation
import Server
import Testing

@Suite("Sign-in to the console")
struct ConsoleSignInTests {
    @Test func `a URL of the command line opens the console once`() async throws {
        try await TestServer.runWithConsole { server in
            var url = ""
            try server.withOperator { desk in url = try desk.makeConsoleURL(as: "ann").url }
            let browser = AccountBrowser.console(server)
            #expect(try browser.open("/console").text.contains("Sign in to the console"))
            #expect(try browser.open(url).status == 200)
            #expect(browser.page.text.contains("ann"))
            #expect(browser.consoleCookie == nil, "the link alone signs nobody in")
            #expect(try browser.submit("/console/open").text.contains("Overview"))
            let cookie = try #require(
                browser.setCookies.first { $0.contains("-console=") && !$0.contains("Max-Age=0") }
            )
            #expect(cookie.hasPrefix("__Host-latchkey-console="), "\(cookie)")
            #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Secure"), "\(cookie)")
            let other = AccountBrowser.console(server)
            #expect(try other.open(url).status == 410)
            #expect(other.page.text.contains("latchkey console"))
            try browser.open("/console")
            #expect(try browser.submit("/console/sign-out").text.contains("Sign in to the console"))
            #expect(browser.consoleCookie == nil)
        }
    }

    @Test func `an old URL opens nothing, and neither does a guess`() async throws {
        try await TestServer.runWithConsole { server in
            let browser = AccountBrowser.console(server)
            let url = try server.consoleURL()
            try browser.open(url)
            let form = try #require(browser.forms("/console/open").first)
            server.clock.advance(seconds: 301)
            #expect(try browser.post("/console/open", form).status == 410)
            #expect(try browser.open(url).status == 410)
            for token in ["", "x", String(repeating: "A", count: 22), String(repeating: "A", count: 10_000)] {
                #expect(
                    [400, 410, 414, 431].contains(try browser.open("/console/open?token=\(token)").status),
                    "\(token.count)"
                )
            }
            #expect(browser.consoleCookie == nil)
        }
    }

    @Test func `an administrator signs in with the code or the link of an e-mail`() async throws {
        try await TestServer.runWithConsole { server in
            let uid = try server.makeAdministrator("ann@example.com")
            let browser = AccountBrowser.console(server)
            #expect(try browser.signInToConsole("ann@example.com").text.contains("Overview"))
            #expect(browser.page.text.contains("ann@example.com"))
            try browser.open("/console/users/\(uid)")
            #expect(browser.page.text.contains("administrator"))

            let linked = AccountBrowser.console(server), known = try server.messages().count
            try linked.open("/console/sign-in")
            try linked.submit("/console/sign-in", ["email": "ann@example.com"])
            let mail = try server.message(after: known)
            try server.waitUntilMailsAreFinished()
            try linked.open(mail.link)
            #expect(try linked.submit("/console/link").text.contains("Overview"))
        }
    }

    @Test func `nobody but an administrator signs in, and the answers until then are equal`() async throws {
        try await TestServer.runWithConsole { server in
            try server.makeAdministrator("ann@example.com")
            _ = try server.signIn("bob@example.com")
            var pages: Set<String> = []
            for email in ["ann@example.com", "bob@example.com", "new@example.com"] {
                let browser = AccountBrowser.console(server), known = try server.messages().count
                try browser.open("/console/sign-in")
                try browser.submit("/console/sign-in", ["email": email])
                pages.insert(try Self.withoutSecrets(browser.page.text, email))
                let mail = try server.message(after: known)
                try server.waitUntilMailsAreFinished()
                let answer = try browser.submit("/console/code", ["code": mail.shownDigits])
                if email == "ann@example.com" { continue }
                #expect(answer.status == 403, "\(email)")
                #expect(browser.consoleCookie == nil)
                #expect(try browser.open("/console/users").status == 403)
            }
            #expect(pages.count == 1, "\(pages)")
            // The refused sign-in was undone: no user came of it.
            let count = try server.withDatabase { try $0.userCount() }
            #expect(count == 2)
        }
    }

    private static func withoutSecrets(_ page: String, _ email: String) throws -> String {
        page.replacingOccurrences(of: email, with: "EMAIL")
            .replacing(/value="[^"]*"/, with: "")
            .replacing(/<strong>[^<]*<\/strong>/, with: "")
    }

    @Test func `a session ends after 30 minutes without use, and after 12 hours`() async throws {
        try await TestServer.runWithConsole { server in
            let browser = AccountBrowser.console(server)
            try browser.enterConsole()
            for _ in 0..<2 {
                server.clock.advance(seconds: 29 * 60)
                #expect(try browser.open("/console/users").status == 200)
            }
            server.clock.advance(seconds: 31 * 60)
            #expect(try browser.open("/console/users").status == 403)
            try browser.enterConsole()
            for _ in 0..<24 {
                server.clock.advance(seconds: 29 * 60)
                #expect(try browser.open("/console/users").status == 200)
            }
            server.clock.advance(seconds: 25 * 60)
            #expect(try browser.open("/console/users").status == 403, "12 hours")
        }
    }

    @Test func `a change needs a sign-in of the last 15 minutes`() async throws {
        try await TestServer.runWithConsole { server in
            try server.makeAdministrator("ann@example.com")
            let bob = try server.signIn("bob@example.com")
            let operators = AccountBrowser.console(server), administrators = AccountBrowser.console(server)
            try operators.enterConsole()
            try administrators.signInToConsole("ann@example.com")
            server.clock.advance(seconds: 16 * 60)
            for browser in [operators, administrators] {
                try browser.open("/console/users/\(bob.uid)/disable")
                #expect(try browser.submit("/console/users/\(bob.uid)/disable").status == 403)
                #expect(browser.page.text.contains("last 15 minutes"))
            }
            let isDisabled = try server.withDatabase { try $0.user(bob.uid)?.isDisabled }
            #expect(isDisabled == false)
        }
    }

    @Test func `an administrator who is removed or may only look is stopped at once`() async throws {
        try await TestServer.runWithConsole { server in
            let uid = try server.makeAdministrator("ann@example.com")
            let bob = try server.signIn("bob@example.com")
            let browser = AccountBrowser.console(server)
            try browser.signInToConsole("ann@example.com")
            try browser.open("/console/users/\(bob.uid)/disable")
            let form = try #require(browser.forms("/console/users/\(bob.uid)/disable").first)
            try server.withOperator { try $0.setAdministrator(true, uid, isReadOnly: true) }
            #expect(try browser.post("/console/users/\(bob.uid)/disable", form).status == 403)
            #expect(try browser.open("/console/users/\(bob.uid)").status == 200)
            #expect(!browser.page.text.contains("Disable"))
            #expect(try browser.open("/console/users/\(bob.uid)/disable").status == 403)
            // Who may only look finds users, and cannot copy the list of all.
            #expect(try !browser.open("/console/users").text.contains(bob.uid))
            #expect(try browser.open("/console/users?search=bob@").text.contains(bob.uid))
            try server.withOperator { try $0.setAdministrator(false, uid) }
            #expect(try browser.open("/console/users/\(bob.uid)").status == 403)
            #expect(try browser.post("/console/users/\(bob.uid)/disable", form).status == 403)
            let isDisabled = try server.withDatabase { try $0.user(bob.uid)?.isDisabled }
            #expect(isDisabled == false)
        }
    }

    @Test func `a read-only administrator changes and exports nothing through the API either`() async throws {
        try await TestServer.runInProduction { server in
            let ann = try server.signIn("ann@example.com"), bob = try server.signIn("bob@example.com")
            try server.withOperator { try $0.setAdministrator(true, ann.uid, isReadOnly: true) }
            let project = "/v1/projects/demo-latchkey/"
            func code(_ method: String, _ path: String, _ body: String = "") throws -> String {
                let headers = ["Content-Type: application/json", "Authorization: Bearer \(ann.idToken)"]
                return try server.send(method, project + path, headers: headers, body: Array(body.utf8)).code
            }
            let uid = "{\"localId\":\"\(bob.uid)\""
            for (method, path, body) in [
                ("POST", "accounts:update", uid + ",\"disableUser\":true}"), ("POST", "accounts:delete", uid + "}"),
                ("POST", "accounts", "{\"email\":\"new@example.com\"}"), ("GET", "accounts:batchGet", ""),
                ("POST", "accounts:query", "{}"), ("PATCH", "cleanup", "{\"enabled\":true}"),
                ("POST", "accounts:batchDelete", "{\"localIds\":[\"\(bob.uid)\"],\"force\":true}"),
            ] {
                #expect(try code(method, path, body) == "INSUFFICIENT_PERMISSION", "\(path)")
            }
            // With PostgreSQL, the head of an import is judged by the administrators that the node last read.
            try server.eventually("the node knows the administrator") {
                try code("POST", "accounts:batchCreate", "{\"users\":[{\"localId\":\"x\"}]}")
                    == "INSUFFICIENT_PERMISSION"
            }
            let found = try server.send(
                "POST",
                project + "accounts:lookup",
                headers: ["Content-Type: application/json", "Authorization: Bearer \(ann.idToken)"],
                body: Array("{\"localId\":[\"\(bob.uid)\"]}".utf8)
            )
            #expect(found.status == 200, "looking is allowed: \(found.text)")
            var uids: [String] = []
            try server.withOperator { desk in uids = try desk.readOnlyAdministrators() }
            #expect(uids == [ann.uid])
        }
    }

    @Test(arguments: [("off", 404, 404), ("adminListener", 404, 200), ("public", 200, 200)])
    func `the console is on the listeners that the setting names`(access: String, main: Int, admin: Int) async throws {
        let settings = ["CONSOLE": access, "ADMIN_LISTEN": "127.0.0.1:0"]
        try await TestServer.runInProduction(settings) { server in
            let client = try AdminClient(server)
            for path in ["/console", "/console/style.css"] {
                #expect(try server.send("GET", path).status == main, "\(path)")
                #expect(try client.send("GET", path, headers: []).status == admin, "\(path)")
            }
            #expect(try server.send("GET", "/console/users").status == (main == 404 ? 404 : 403))
        }
    }

    @Test func `the admin listener answers its own pages of the console, and other pages nothing`() async throws {
        try await TestServer.runInProduction(["ADMIN_LISTEN": "127.0.0.1:0"]) { server in
            let client = try AdminClient(server), host = "127.0.0.1:\(client.port)"
            let browser = AccountBrowser.console(server)
            browser.origin = "http://\(host)"
            browser.transport = { try client.send($0, $1, headers: $2 + ["Host: \(host)"], body: $3) }
            let url = try server.consoleURL()
            let path = try #require(url.range(of: "/console")).lowerBound
            try browser.open(String(url[path...]))
            #expect(try browser.submit("/console/open").text.contains("Overview"))
            #expect(browser.cookies["latchkey-console"] != nil, "http has no __Host- cookies")
            #expect(try browser.open("/console/users").status == 200)
            let form = try #require(browser.forms("/console/sign-out").first)
            for origin in ["null", "http://evil.example", "http://localhost:1", "https://\(host)"] {
                browser.origin = origin
                #expect(try browser.post("/console/sign-out", form).status == 403, "\(origin)")
            }
            // Reaching the listener makes nobody an administrator of the console, and no page may use its calls.
            #expect(try client.send("GET", "/console/users", headers: ["Authorization: Bearer owner"]).status == 403)
            let cleanup = try client.send(
                "GET",
                "/v1/projects/demo-latchkey/cleanup",
                headers: ["Authorization: Bearer owner", "Origin: http://\(host)", "Host: \(host)"]
            )
            #expect(cleanup.status == 403)
            browser.origin = "http://\(host)"
            #expect(try browser.post("/console/sign-out", form).status == 200)
        }
    }
}
