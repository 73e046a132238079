import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import Server
import Testing

/// What the console shows and gives away of one user, and what it lifts.
@Suite("Data of a user on the console")
struct ConsoleUserDataTests {
    private static func audited(_ event: String, _ server: TestServer) throws -> [[String?]] {
        try server.withDatabase { transaction in
            try transaction.all("SELECT uid, actor FROM audit_log WHERE event = \(event) ORDER BY id") { row in
                [try row.optionalText(0), try row.optionalText(1)]
            }
        }
    }

    @Test func `a user's page says what became of their e-mails`() async throws {
        try await TestServer.runWithConsole { server in
            let ann = try server.signIn("ann@example.com"), bob = try server.signIn("bob@example.com")
            let browser = AccountBrowser.console(server)
            try browser.enterConsole()
            // The trace is written after the answer.
            try server.eventually("the sign-in is traced") {
                try browser.open("/console/users/\(ann.uid)").text.contains("The user signed in with the")
            }
            let text = browser.page.text
            for word in ["queued", "sent", "250 2.0.0 Ok", "redeemed"] { #expect(text.contains(word), "\(word)") }
            #expect(!text.contains("No e-mails until"))
            // Of the newest request the page says what to do, as the command line does.
            _ = try server.call("accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"])
            try server.waitUntilMailsAreFinished()
            let advice = try browser.open("/console/users/\(ann.uid)").text
            #expect(advice.components(separatedBy: "Ask the user to look into the spam folder").count == 2, "\(advice)")
            let nobody = try server.guest()
            #expect(try browser.open("/console/users/\(nobody.uid)").text.contains("None that the trace still has."))
            #expect(!text.contains(bob.uid))
        }
    }

    @Test func `an export is a download with all data, and is in the audit log`() async throws {
        try await TestServer.runWithConsole { server in
            let ann = try server.signIn("ann@example.com")
            try server.withDatabase { transaction in
                try transaction.execute(
                    """
                    INSERT INTO documents (uid, collection, name, content, bytes, version, created_at, updated_at)
                    VALUES (\(ann.uid), 'notes', 'first', '{"secret":1}', 12, 1, 1, 1)
                    """
                )
            }
            let browser = AccountBrowser.console(server)
            try browser.enterConsole(as: "carol")
            let path = "/console/users/\(ann.uid)/export"
            #expect(try browser.open(path).text.contains("This will happen"))
            #expect(try Self.audited("user.exported", server).isEmpty, "a question exports nothing")
            let answer = try browser.submit(path)
            try #require(answer.status == 200, "\(answer.text)")
            #expect(answer.header("content-disposition")?.hasPrefix("attachment; filename=\"user-") == true)
            #expect(answer.header("cache-control") == "no-store")
            #expect(answer.header("content-type")?.hasPrefix("application/json") == true)
            let json = try JSONValue.parse(answer.body)
            #expect(json["format"] == "latchkey-user-1")
            #expect(answer.text.contains("ann@example.com") && answer.text.contains("\"secret\":1"))
            #expect(try Self.audited("user.exported", server) == [[ann.uid, "console:carol"]])
            try browser.open("/console/users/\(ann.uid)/export")
            let form = try #require(browser.forms(path).first)
            #expect(try browser.post("/console/users/nobody/export", form).status == 404)
            #expect(try Self.audited("user.exported", server).count == 1)
        }
    }

    @Test func `limits and suppressions are lifted for a user, an address and a network`() async throws {
        let settings = ["LIMITS_MAILS_PER_ADDRESS": "1", "LIMITS_GUESTS_PER_CLIENT": "1"]
        try await TestServer.runWithConsole(settings) { server in
            let ann = try server.signIn("ann@example.com")
            let browser = AccountBrowser.console(server)
            try browser.enterConsole(as: "carol")
            func ask() throws -> Int {
                try server.call(
                    "accounts:sendOobCode",
                    ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"],
                    from: "127.0.0.2"
                ).status
            }
            func guest() throws -> Int { try server.call("accounts:signUp", from: "127.0.0.7").status }
            func lift(_ subject: String) throws -> String {
                let encoded = subject.replacingOccurrences(of: "/", with: "%2F")
                let question = try browser.open("/console/refused/lift?subject=\(encoded)")
                #expect(question.text.contains("This will happen"), "\(subject)")
                return try browser.submit("/console/refused/lift").text
            }
            try server.elsewhere { store in
                let flows = AccountFlows(policy: Policy(), secrets: store.secrets)
                let keys = try flows.traceKeys(of: "ann@example.com")
                try store.database.writeNow { transaction in
                    for key in keys { try transaction.suppress(key, for: 86_400_000) }
                }
            }
            let user = "/console/users/\(ann.uid)"
            #expect(try browser.open(user).text.contains("No e-mails until"))
            #expect(try ask() == 429)
            #expect(try browser.open("\(user)/lift-limits").text.contains("This will happen"))
            #expect(try ask() == 429, "a question lifts nothing")
            let done = try browser.submit("\(user)/lift-limits").text
            #expect(done.contains("no longer stop the user") && !done.contains("No e-mails until"))
            #expect(try ask() == 200)
            #expect(try ask() == 429)
            #expect(try lift("Ann@example.com").contains("The limits are lifted."))
            #expect(try ask() == 200)

            #expect(try guest() == 200)
            #expect(try guest() == 429)
            server.clock.advance(seconds: 1)
            #expect(try lift("127.0.0.0/24").contains("The limits are lifted."))
            try server.eventually("the node has noticed") { try guest() == 200 }
            for subject in ["", "nobody", "192.0.2.0%2F23", "192.0.2.0%2Fx"] {
                #expect(try browser.open("/console/refused/lift?subject=\(subject)").status == 400, "\(subject)")
            }
            let lifted = try Self.audited("limits.lifted", server)
            let carol = "console:carol"
            #expect(lifted == [[ann.uid, carol], [ann.uid, carol], [nil, carol]])
        }
    }

    @Test func `a read-only administrator sees the trace and the configuration, and exports and lifts nothing`()
        async throws
    {
        try await TestServer.runWithConsole { server in
            try server.makeAdministrator("ann@example.com", isReadOnly: true)
            let bob = try server.signIn("bob@example.com")
            let browser = AccountBrowser.console(server)
            try browser.signInToConsole("ann@example.com")
            try server.eventually("the sign-in is traced") {
                try browser.open("/console/users/\(bob.uid)").text.contains("The user signed in with the")
            }
            #expect(!browser.page.text.contains("/export"))
            #expect(try browser.open("/console/configuration").status == 200)
            #expect(!(try browser.open("/console/refused").text.contains("Lift")))
            let user = "/console/users/\(bob.uid)"
            for question in [
                "\(user)/export", "\(user)/lift-limits", "\(user)/delete",
                "/console/refused/lift?subject=b@example.com",
                "/console/mail/retry?mail=m", "/console/clean-up/change?state=on",
            ] {
                #expect(try browser.open(question).status == 403, "\(question)")
            }
            try browser.open("/console")
            let token = try #require(browser.forms("/console/sign-out").first?["formToken"])
            for action in ["\(user)/export", "\(user)/lift-limits", "\(user)/delete", "/console/refused/lift"] {
                let fields = ["formToken": token, "subject": "bob@example.com"]
                let answer = try browser.post(action, fields)
                #expect(answer.status == 403 && answer.text.contains("A read-only administrator"), "\(action)")
                #expect(!answer.text.contains("latchkey-user-1"))
            }
            for event in ["user.exported", "user.erased", "limits.lifted"] {
                #expect(try Self.audited(event, server).isEmpty, "\(event)")
            }
        }
    }

    @Test func `the configuration shows values with their origins, and no secret`() async throws {
        let key = "an-admin-key-of-the-tests-with-more-than-32-bytes"
        try await TestServer.runWithConsole(["ADMIN_KEY": key]) { server in
            let browser = AccountBrowser.console(server)
            try browser.enterConsole()
            let text = try browser.open("/console/configuration").text
            for word in ["<code>adminKey</code>", "********", "LATCHKEY_ADMIN_KEY", "LATCHKEY_CONSOLE", "default"] {
                #expect(text.contains(word), "\(word)")
            }
            #expect(!text.contains(key) && !text.contains(TestServer.secret))
        }
    }
}
