import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import SMTPHarness
import Testing

@testable import Server

@Suite("Console")
struct ConsoleTests {
    @Test func `users are found by UID, address, username and subject, and filtered`() async throws {
        try await TestServer.runWithConsole { server in
            let ann = try server.signIn("ann@example.com"), guest = try server.guest()
            try server.withDatabase { transaction in
                try transaction.put(Identity(uid: ann.uid, provider: "google.com", subject: "1076"))
                if let name = Username("Annie") { try transaction.setUsername(name, of: ann.uid) }
            }
            let browser = AccountBrowser.console(server)
            try browser.enterConsole()
            for search in [String(ann.uid.prefix(8)), "ANN@ex", "@annie", "107"] {
                let text = try browser.open("/console/users?search=\(search)").text
                #expect(text.contains(ann.uid), "\(search)")
                #expect(!text.contains(guest.uid), "\(search)")
            }
            #expect(try browser.open("/console/users?filter=guests").text.contains(guest.uid))
            #expect(!browser.page.text.contains(ann.uid))
            #expect(try browser.open("/console/users?filter=disabled").text.contains("There are none."))
            #expect(try browser.open("/console/users/nobody").status == 404)
        }
    }

    @Test func `the clean-up page answers before many guests are counted, and loads itself again`() async throws {
        try await TestServer.runWithConsole { server in
            let guests = CleanupCounter.mostOfPage + 1
            let browser = AccountBrowser.console(server)
            try browser.enterConsole()
            for index in 1...2 {
                let few = try browser.open("/console/clean-up").text
                #expect(few.contains("<dt>Guests</dt><dd>\(index - 1)</dd>") && !few.contains("http-equiv"), "\(few)")
                _ = try server.guest()
            }
            try server.withDatabase { transaction in
                for first in stride(from: 0, to: guests, by: 1000) {
                    let rows = SQL.joined(Array(first..<min(first + 1000, guests)), by: ", ") { number in
                        "(\("many\(number)"), 1, 0, 1, 1, 1)"
                    }
                    try transaction.execute(
                        """
                        INSERT INTO users (uid, anonymous_since, valid_since, created_at, last_login_at, last_refresh_at)
                        VALUES \(rows)
                        """
                    )
                }
            }
            let first = try browser.open("/console/clean-up").text
            #expect(first.contains("<div id=\"numbers\" data-counting><p>The guests are being counted."))
            #expect(first.contains("<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>"))
            let question = "/console/clean-up/change?state=on&days=3&since=creation"
            #expect(try browser.open(question).text.contains("<ul id=\"points\" class=\"points\" data-counting>"))
            try server.eventually("the guests are counted") {
                try browser.open("/console/clean-up").text.contains("<dt>Guests</dt><dd>\(guests + 2)</dd>")
            }
            #expect(!browser.page.text.contains("http-equiv") && !browser.page.text.contains("data-counting"))
            try server.eventually("the guests are counted under the other setting") {
                try browser.open(question).text.contains("\(guests + 2) guests")
            }
            #expect(!browser.page.text.contains("data-counting"))
        }
    }

    @Test func `a user's page has sessions, methods, documents and merges`() async throws {
        try await TestServer.runWithConsole { server in
            let guest = try server.guest(), ann = try server.signIn("ann@example.com")
            try server.withDatabase { transaction in
                try transaction.put(Identity(uid: ann.uid, provider: "google.com", subject: "1076"))
                try transaction.execute(
                    """
                    INSERT INTO documents (uid, collection, name, content, bytes, version, created_at, updated_at)
                    VALUES (\(ann.uid), 'notes', 'first', '{"secret":1}', 12, 1, 1, 1)
                    """
                )
            }
            let merged = try server.call(
                "accounts:merge",
                ["idToken": .string(ann.idToken), "anonymousIdToken": .string(guest.idToken)]
            )
            try #require(merged.status == 200, "\(merged.text)")
            let browser = AccountBrowser.console(server)
            try browser.enterConsole()
            let text = try browser.open("/console/users/\(ann.uid)").text
            for shown in ["ann@example.com", "Google", "1076", "notes/first", "12 bytes", guest.uid, "committed"] {
                #expect(text.contains(shown), "\(shown)")
            }
            #expect(!text.contains("secret"), "content needs a click")
            var sessions: [SessionReport]?
            try server.withOperator { sessions = try $0.user(ann.uid).sessions }
            let network = try #require(sessions?.first?.network)
            #expect(network.count == 16 && text.contains(network), "a label that equals the trace's")
            #expect(text.components(separatedBy: network).count > 2, "once for the session, again in the trace")
            let content = try browser.submit("/console/users/\(ann.uid)/document").text
            #expect(content.contains("{&quot;secret&quot;:1}"))
            let read = try server.withDatabase { transaction in
                try transaction.all("SELECT uid, detail, actor FROM audit_log WHERE event = 'document.read'") { row in
                    [try row.optionalText(0), try row.optionalText(1), try row.optionalText(2)]
                }
            }
            #expect(read == [[ann.uid, "notes/first", "console:ann"]])
            #expect(try browser.open("/console/users/\(guest.uid)").status == 404)
            #expect(browser.page.text.contains("was merged into \(ann.uid)"))
        }
    }

    @Test func `each action asks first, says what happens, and is in the audit log`() async throws {
        try await TestServer.runWithConsole { server in
            let bob = try server.signIn("bob@example.com")
            let browser = AccountBrowser.console(server)
            try browser.enterConsole(as: "ann")
            func act(_ action: String, _ fields: [String: String] = [:], _ query: String = "") throws -> String {
                let path = "/console/users/\(bob.uid)/\(action)"
                let question = try browser.open(path + query)
                #expect(question.status == 200, "\(action): \(question.text)")
                #expect(question.text.contains("This will happen"), "\(action)")
                return try browser.submit(path, fields).text
            }
            func user() throws -> User? { try server.withDatabase { try $0.user(bob.uid) } }

            let sid = try #require(try Claims(bob.idToken)["sid"]?.string)
            #expect(try act("end-session", [:], "?session=\(sid)").contains("The session has ended"))
            #expect(try server.lookup(bob.idToken).status == 400)
            let again = try server.signIn("bob@example.com")
            server.clock.advance(seconds: 2)
            #expect(try act("end-sessions").contains("All sessions have ended"))
            #expect(try server.lookup(again.idToken).status == 400)

            #expect(try act("disable").contains("The user is disabled"))
            #expect(try user()?.isDisabled == true)
            #expect(try act("enable").contains("can sign in again"))
            #expect(try user()?.isDisabled == false)

            let known = try server.messages().count
            #expect(try act("send-link").contains("on its way"))
            #expect(try server.message(after: known).to == "bob@example.com")

            #expect(try act("change-address", ["email": "Robert@Example.com"]).contains("The address was changed"))
            #expect(try user()?.email == "robert@example.com")
            #expect(try browser.post("/console/users/\(bob.uid)/change-address", [:]).status == 403)

            try server.withDatabase { transaction in
                guard var user = try transaction.user(bob.uid) else { return }
                user.contest = Contest(since: 1, oldEmail: "bob@example.com")
                try transaction.update(user)
            }
            #expect(try act("keep-old").contains("no longer contested"))
            #expect(try user()?.email == "bob@example.com")

            let receipt = try act("delete")
            #expect(receipt.contains("identities") || receipt.contains("sessions"), "\(receipt)")
            #expect(receipt.contains("former_users"))
            #expect(try user() == nil)
            #expect(try browser.open("/console/users/\(bob.uid)").status == 404)
            #expect(browser.page.text.contains("was deleted"))

            let events = try server.withDatabase { transaction in
                try transaction.all(
                    "SELECT event FROM audit_log WHERE uid = \(bob.uid) AND actor = 'console:ann' ORDER BY id"
                ) { try $0.text(0) }
            }
            for event in ["session.ended", "user.changed", "sign-in-mail.sent", "user.resolved", "user.erased"] {
                #expect(events.contains(event), "\(event) in \(events)")
            }
        }
    }

    @Test func `an administrator cannot change another administrator, a URL of the command line can`() async throws {
        try await TestServer.runWithConsole { server in
            try server.makeAdministrator("ann@example.com")
            let bob = try server.makeAdministrator("bob@example.com", isReadOnly: true)
            let browser = AccountBrowser.console(server)
            try browser.signInToConsole("ann@example.com")
            for action in ["change-address", "delete", "end-sessions"] {
                let path = "/console/users/\(bob)/\(action)"
                try browser.open(path)
                #expect(try browser.submit(path, ["email": "evil@example.com"]).status == 400, "\(action)")
            }
            let operators = AccountBrowser.console(server)
            try operators.enterConsole()
            try operators.open("/console/users/\(bob)/delete")
            #expect(try operators.submit("/console/users/\(bob)/delete").status == 200)
            let left = try server.withDatabase { try $0.administrators() }
            #expect(left.count == 1)
        }
    }

    @Test func `failed mails are listed with the server's words and can be retried`() async throws {
        try await TestServer.runWithConsole { server in
            try server.withDatabase { transaction in
                try transaction.execute(
                    """
                    INSERT INTO outbox (mail, kind, state, attempts, due_at, rank, created_at, settled_at, reason)
                    VALUES ('failed-1', 'sign-in', 'failed', 3, 1, 1, \(transaction.now), \(transaction.now),
                        '550 5.1.1 no such user')
                    """
                )
            }
            let browser = AccountBrowser.console(server)
            try browser.enterConsole()
            let text = try browser.open("/console/mail?list=Failed").text
            #expect(text.contains("failed-1"))
            #expect(text.contains("550 5.1.1 no such user"))
            #expect(try browser.open("/console/mail/retry?mail=failed-1").text.contains("This will happen"))
            #expect(try browser.submit("/console/mail/retry").status == 404, "its address is not suppressed")
            #expect(try browser.open("/console/mail/retry?mail=unknown").status == 404)
            #expect(try browser.open("/console/mail").text.contains("None."))
        }
    }

    @Test func `the mail page counts what waits now, and says since when the relay is away`() async throws {
        try await TestServer.runWithConsole { server in
            let browser = AccountBrowser.console(server)
            try browser.enterConsole()
            let none = try browser.open("/console/mail").text
            #expect(none.contains("<dt>Due now</dt><dd>0</dd>") && !none.contains("<dt>Relay</dt>"))
            _ = try server.askForLink("ann@example.com")
            try server.waitUntilMailsAreFinished()
            #expect(try browser.open("/console/mail").text.contains("<dt>Relay</dt><dd>answered last at <time"))
            server.smtp?.faults = FaultPlan([.init(at: .greeting, .reply(SMTPReply(421, "4.3.2", "Closed <b>")))])
            let asked: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": "bob@example.com"]
            #expect(try server.call("accounts:sendOobCode", asked).status == 200)
            try server.eventually("the outage is shown") {
                let text = try browser.open("/console/mail").text
                return text.contains("away</span> since <time") && text.contains("greeting: 421 4.3.2 Closed &lt;b&gt;")
                    && text.contains("<dt>Waiting for another attempt</dt><dd>1</dd>")
            }
        }
    }

    @Test func `clean-up is previewed, switched on and switched off`() async throws {
        try await TestServer.runWithConsole { server in
            _ = try server.guest()
            let browser = AccountBrowser.console(server)
            try browser.enterConsole()
            #expect(try browser.open("/console/clean-up").text.contains("Off: new guests stay."))
            let preview = try browser.open("/console/clean-up?days=3&since=lastUse").text
            #expect(preview.contains("Switch on: 3 days after last use"))
            #expect(preview.contains("Off: new guests stay."), "a preview changes nothing")
            let question = try browser.open("/console/clean-up/change?days=3&since=lastUse&state=on").text
            #expect(question.contains("3 days after their last use. This cannot be undone."))
            #expect(try browser.open("/console/clean-up").text.contains("Off: new guests stay."), "nor does a question")
            try browser.open("/console/clean-up/change?days=3&since=lastUse&state=on")
            #expect(try browser.submit("/console/clean-up").text.contains("3 days after their last use"))
            #expect(
                try browser.open("/console/clean-up/change?state=off").text.contains("No guest is deleted any more")
            )
            #expect(try browser.submit("/console/clean-up").text.contains("Off: new guests stay."))
            for days in ["0", "4000", "x", "99999999999999999999"] {
                #expect(try browser.open("/console/clean-up?days=\(days)").status == 400, "\(days)")
            }
        }
    }

    @Test func `refusals of the last hour are counted by name and network`() async throws {
        try await TestServer.runWithConsole { server in
            for _ in 0..<3 {
                _ = try server.send("POST", "/v1/accounts:lookup", headers: ["Authorization: Bearer wrong"])
            }
            let browser = AccountBrowser.console(server)
            try browser.enterConsole()
            #expect(try browser.open("/console/refused").text.contains("refused-key"))
            server.clock.advance(seconds: 25 * 60)
            #expect(try browser.open("/console/refused").text.contains("refused-key"))
            server.clock.advance(seconds: 25 * 60)
            try browser.open("/console")
            server.clock.advance(seconds: 20 * 60)
            #expect(!(try browser.open("/console/refused").text.contains("refused-key")))
        }
    }

    @Test func `the front page has charts that are tables too`() async throws {
        try await TestServer.runWithConsole { server in
            _ = try server.guest()
            _ = try server.signIn("ann@example.com")
            let browser = AccountBrowser.console(server)
            try browser.enterConsole()
            let text = try browser.open("/console").text
            #expect(text.contains("New guests <strong>1</strong>"))
            #expect(text.contains("New users <strong>1</strong>"))
            #expect(text.contains("Sign-ins <strong>1</strong>"))
            #expect(text.components(separatedBy: "<svg").count == 6)
            #expect(text.components(separatedBy: "as a table</summary>").count == 6)
            let guest = try server.guest(), code = try server.askForLink("bob@example.com").oobCode
            #expect(try server.redeem(code, "bob@example.com", idToken: guest.idToken).status == 200)
            _ = try server.signIn("bob@example.com")
            let later = try browser.open("/console").text
            #expect(later.contains("New users <strong>2</strong>"), "a guest became one, and came back")
            #expect(later.contains("New guests <strong>2</strong>"))
            #expect(later.contains("Sign-ins <strong>3</strong>"))
        }
    }
}
