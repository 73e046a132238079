import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import Server
import Testing

/// The page on which users manage their account, as a browser without JavaScript sees it.
@Suite("The account page")
struct AccountPageTests {
    private static func sid(_ idToken: String) throws -> String { try #require(try Claims(idToken)["sid"]?.string) }

    @Test func `exists only if the operator switches it on`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            #expect(try server.send("GET", "/account").status == 404)
            let refused = try server.call("accounts:createAccountUrl", ["idToken": .string(ann.idToken)])
            #expect(refused.code == "OPERATION_NOT_ALLOWED")
        }
    }

    @Test func `an app's URL opens the page once, within a minute, for its own user`() async throws {
        try await TestServer.runWithAccountPage { server in
            let ann = try server.signIn("ann@example.com")
            let url = try AccountBrowser.url(for: ann.idToken, on: server)
            let browser = AccountBrowser(server), thief = AccountBrowser(server)
            for _ in 0..<3 {
                #expect(try browser.open(url).text.contains("a***@example.com"), "opening uses up nothing")
            }
            try thief.open(url)
            let shown = try browser.submit("/account/open")
            #expect(shown.status == 200 && shown.text.contains("ann@example.com"), "\(shown.text)")
            let stolen = try thief.submit("/account/open")
            #expect(stolen.status == 410 && thief.cookies["latchkey-account"] == nil)

            let late = try AccountBrowser.url(for: ann.idToken, on: server)
            let other = AccountBrowser(server)
            try other.open(late)
            server.clock.advance(seconds: 61)
            #expect(try other.submit("/account/open").status == 410)
            #expect(try other.open(late).status == 410)
            #expect(other.cookies["latchkey-account"] == nil)
            #expect(try browser.open("/account").text.contains("ann@example.com"))
        }
    }

    @Test func `a forged, foreign or ended URL opens nothing`() async throws {
        try await TestServer.runWithAccountPage { server in
            let ann = try server.signIn("ann@example.com")
            let browser = AccountBrowser(server)
            let url = try AccountBrowser.url(for: ann.idToken, on: server)
            let forged = String(url.dropLast(2)) + (url.hasSuffix("AA") ? "BA" : "AA")
            for text in ["", "x", String(repeating: "A", count: 74), forged] {
                let target = text.hasPrefix("http") ? text : "/account/open?token=\(text)"
                #expect(try browser.open(target).status == 410, "\(text)")
            }
            try browser.open(url)
            _ = try server.call("accounts:signOut", ["refreshToken": .string(ann.refreshToken)])
            #expect(try browser.submit("/account/open").status == 403, "the session has ended")
            #expect(browser.cookies["latchkey-account"] == nil)
            #expect(
                try server.call("accounts:createAccountUrl", ["idToken": .string(ann.idToken)]).code == "TOKEN_EXPIRED"
            )
            #expect(try server.call("accounts:createAccountUrl").code == "MISSING_ID_TOKEN")
        }
    }

    @Test func `shows address, methods and sessions, and ends a session elsewhere`() async throws {
        try await TestServer.runWithAccountPage { server in
            let phone = try server.signIn("ann@example.com", headers: ["User-Agent: Safari/1 iPhone"])
            let laptop = try server.signIn("ann@example.com", headers: ["User-Agent: Firefox/1 Linux"])
            let bob = try server.signIn("bob@example.com")
            let browser = AccountBrowser(server)
            let page = try browser.enter(laptop.idToken)
            for text in ["ann@example.com", "Email link", "Safari · iPhone", "Firefox · Linux", "This session"] {
                #expect(page.text.contains(text), "\(text)")
            }
            #expect(browser.forms("/account/end-session").count == 2)
            for id in [try Self.sid(bob.idToken), "x", String(repeating: "A", count: 22)] {
                #expect(try browser.submit("/account/end-session", ["session": id]).text.contains("Where you"), "\(id)")
            }
            #expect(try server.lookup(bob.idToken).status == 200)

            try browser.open("/account")
            try browser.submit("/account/end-session", ["session": try Self.sid(phone.idToken)])
            #expect(try server.lookup(phone.idToken).code == "TOKEN_EXPIRED")
            #expect(!browser.page.text.contains("iPhone"))
            try browser.submit("/account/end-session", ["session": try Self.sid(laptop.idToken)])
            #expect(browser.page.status == 403 && browser.page.text.contains("signed out"), "\(browser.page.text)")
            #expect(browser.cookies["latchkey-account"] == nil)
        }
    }

    @Test func `a person signs in with the code, or with the link in the same browser`() async throws {
        try await TestServer.runWithAccountPage { server in
            let ann = try server.signIn("ann@example.com")
            let browser = AccountBrowser(server)
            #expect(try browser.signIn("ann@example.com").text.contains("ann@example.com"))
            #expect(browser.cookies.keys.sorted() == ["latchkey-account"])

            let second = AccountBrowser(server), elsewhere = AccountBrowser(server)
            try second.open("/account")
            let known = try server.messages().count
            try second.submit("/account/sign-in", ["email": "ann@example.com"])
            let mail = try server.message(after: known)
            try server.waitUntilMailsAreFinished()
            try elsewhere.open(mail.link)
            #expect(elsewhere.page.text.contains(mail.shownDigits), "\(elsewhere.page.text)")
            #expect(elsewhere.forms("/account/link").isEmpty, "another browser only shows the code")
            try second.open(mail.link)
            try second.submit("/account/link")
            #expect(second.page.status == 200 && second.page.text.contains("Where you"), "\(second.page.text)")
            #expect(try server.lookup(ann.idToken).status == 200, "the app stays signed in")

            try second.submit("/account/sign-out")
            #expect(second.cookies["latchkey-account"] == nil)
            try browser.open("/account")
            #expect(
                browser.forms("/account/end-session").count == 2,
                "signing out ended the session that the page opened"
            )
        }
    }

    @Test func `a wrong code is refused and counted, and an unknown address gets no account`() async throws {
        try await TestServer.runWithAccountPage { server in
            let browser = AccountBrowser(server)
            try browser.open("/account")
            var known = try server.messages().count
            try browser.submit("/account/sign-in", ["email": "new@example.com"])
            let page = browser.page.text
            let mail = try server.message(after: known)
            try browser.submitCode(of: mail)
            #expect(browser.page.status == 404 && browser.page.text.contains("There is no"))
            let users = try server.withDatabase { try $0.user(email: "new@example.com") }
            #expect(users == nil)

            _ = try server.signIn("ann@example.com")
            known = try server.messages().count
            try browser.open("/account")
            try browser.submit("/account/sign-in", ["email": "ann@example.com"])
            let same = browser.page.text.replacingOccurrences(of: "ann@", with: "new@")
            #expect(page.count == same.count, "the page does not tell whether the address has an account")
            let right = try server.message(after: known)
            try server.waitUntilMailsAreFinished()
            let wrong = right.digits == "11111111" ? "22222222" : "11111111"
            for _ in 0..<2 {
                try browser.submit("/account/code", ["code": wrong])
                #expect(browser.page.status == 403 && browser.page.text.contains("wrong"))
            }
            try browser.submit("/account/code", ["code": wrong])
            #expect(browser.page.status == 410, "\(browser.page.text)")
            try browser.open("/account/sign-in")
            #expect(browser.forms("/account/code").isEmpty && browser.cookies["latchkey-account"] == nil)
        }
    }

    @Test func `the address changes by an e-mail to the new one, and the page's session ends with it`() async throws {
        try await TestServer.runWithAccountPage(["EMAIL_PRIVACY": "off"]) { server in
            let ann = try server.signIn("ann@example.com")
            _ = try server.signIn("bob@example.com")
            let browser = AccountBrowser(server)
            try browser.enter(ann.idToken)
            #expect(try browser.submit("/account/email", ["email": "no address"]).status == 400)
            try browser.open("/account")
            #expect(try browser.submit("/account/email", ["email": "bob@example.com"]).status == 409)
            try browser.open("/account")
            let known = try server.messages().count
            #expect(try browser.submit("/account/email", ["email": "new@example.com"]).status == 200)
            let mail = try server.message(after: known)
            #expect(mail.to == "new@example.com")
            #expect(try server.answerLink(mail.oobCode, "confirm").status == 200)
            #expect(try browser.open("/account").status == 403)
            #expect(try server.message(after: known + 1).to == "ann@example.com", "the notice")
        }
    }

    @Test func `changes need a recent sign-in, which the page offers`() async throws {
        try await TestServer.runWithAccountPage { server in
            let ann = try server.signIn("ann@example.com")
            server.clock.advance(seconds: 16 * 60)
            let fresh = try server.refresh(ann.refreshToken)["id_token"]
            let browser = AccountBrowser(server)
            try browser.enter(fresh)
            let first = try #require(browser.cookies["latchkey-account"])
            try browser.open("/account/delete")
            #expect(try browser.submit("/account/delete").status == 403)
            #expect(browser.page.text.contains("Confirm it"))
            try browser.open("/account")
            #expect(try browser.submit("/account/email", ["email": "new@example.com"]).status == 403)

            let known = try server.messages().count
            try browser.submit("/account/confirm")
            let mail = try server.message(after: known)
            #expect(mail.to == "ann@example.com")
            try browser.submitCode(of: mail)
            #expect(browser.cookies["latchkey-account"] != first, "a sign-in gives another cookie")
            try browser.open("/account/delete")
            #expect(try browser.submit("/account/delete").status == 200)
            #expect(try server.lookup(fresh).code == "USER_NOT_FOUND")
            #expect(try browser.open("/account").text.contains("Manage your account"))
            #expect(
                try server.withDatabase { try $0.first("SELECT count(*) FROM browser_sessions") { try $0.integer(0) } }
                    == 0
            )
        }
    }

    @Test func `a guest may look, export and delete, and is told how to keep the data`() async throws {
        try await TestServer.runWithAccountPage { server in
            let guest = try server.guest()
            let browser = AccountBrowser(server)
            let page = try browser.enter(guest.idToken)
            #expect(page.text.contains("as a guest"))
            #expect(browser.forms("/account/end-session").isEmpty && browser.forms("/account/email").isEmpty)
            #expect(try browser.open("/account/export").json["user"]?["isGuest"] == true)
            try browser.open("/account/delete")
            #expect(try browser.submit("/account/delete").status == 200)
            #expect(try server.lookup(guest.idToken).code == "USER_NOT_FOUND")
        }
    }

    @Test func `an administrator's account is not deleted or changed here`() async throws {
        try await TestServer.runWithAccountPage { server in
            let ann = try server.signIn("ann@example.com")
            try server.withOperator { try $0.setAdministrator(true, ann.uid) }
            let browser = AccountBrowser(server)
            try browser.enter(ann.idToken)
            #expect(try browser.submit("/account/email", ["email": "new@example.com"]).status == 403)
            try browser.open("/account/delete")
            #expect(try browser.submit("/account/delete").status == 403)
            #expect(try server.lookup(ann.idToken).status == 200)
        }
    }

    @Test func `the export has the documented members, no secrets and nothing of others`() async throws {
        try await TestServer.runWithAccountPage { server in
            let ann = try server.signIn("ann@example.com"), bob = try server.signIn("bob@example.com")
            for (index, owner) in [ann, bob, ann].enumerated() {
                let answer = try server.send(
                    "PUT",
                    "/v1/documents/notes/n\(index)",
                    headers: ["Authorization: Bearer \(owner.idToken)", "Content-Type: application/json"],
                    body: Array("{\"text\":\"of \(owner.uid)\"}".utf8)
                )
                try #require(answer.status == 201, "\(answer.text)")
            }
            let browser = AccountBrowser(server)
            try browser.enter(ann.idToken)
            let export = try browser.open("/account/export")
            #expect(export.status == 200)
            #expect(export.header("content-disposition") == "attachment; filename=\"account.json\"")
            #expect(export.keys == ["format", "exportedAt", "user", "identities", "sessions", "documents"])
            #expect(export["format"] == "latchkey-account-1")
            #expect(export.json["user"]?["email"] == "ann@example.com")
            #expect(export.json["documents"]?.array?.map { $0["id"]?.string } == ["n0", "n2"])
            #expect(export.json["documents"]?.array?[0]["document"]?["text"]?.string == "of \(ann.uid)")
            for secret in [bob.uid, "bob@", ann.refreshToken, ann.idToken, browser.cookies["latchkey-account"] ?? "?"] {
                #expect(!export.text.contains(secret))
            }
            #expect(try AccountBrowser(server).open("/account/export").status == 403)
        }
    }

    @Test func `a long export arrives page by page and complete`() async throws {
        try await TestServer.runWithAccountPage { server in
            let ann = try server.signIn("ann@example.com")
            try server.withDatabase { transaction in
                try transaction.execute(
                    "UPDATE users SET document_count = 1200, document_bytes = 1200000 WHERE uid = \(ann.uid)"
                )
                for index in 0..<1200 {
                    let content = "{\"text\":\"\(String(repeating: "x", count: 1000))\"}"
                    try transaction.put(
                        Document(
                            name: try DocumentName(collection: "notes", id: "n\(index)"),
                            content: content,
                            version: Int64(index + 1),
                            updatedAt: 0
                        ),
                        of: ann.uid
                    )
                }
            }
            let browser = AccountBrowser(server)
            try browser.enter(ann.idToken)
            let export = try browser.open("/account/export")
            let ids = export.json["documents"]?.array?.compactMap { $0["id"]?.string } ?? []
            #expect(Set(ids).count == 1200 && ids.count == 1200)
        }
    }
}
