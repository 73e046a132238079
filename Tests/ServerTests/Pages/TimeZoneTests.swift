import Foundation
import JSON
import Testing

/// The time zone that requests name, in the e-mails and on the pages that follow.
@Suite("Time zones of requests")
struct TimeZoneTests {
    private static let german = ["X-Firebase-Locale: de"]

    private func ask(_ server: TestServer, _ body: JSONValue) throws -> Mail {
        let known = try server.messages().count
        let answer = try server.call("accounts:sendOobCode", body, headers: Self.german)
        #expect(answer.status == 200, "\(answer.text)")
        return try server.message(after: known)
    }

    @Test
    func `mail and page of a sign-in write the time in the zone of the request, and the page how long ago it was`()
        async throws
    {
        try await TestServer.run { server in
            let mail = try ask(
                server,
                ["requestType": "EMAIL_SIGNIN", "email": "a@example.com", "timeZone": "Asia/Kathmandu"]
            )
            #expect(mail.text.contains(" UTC+5:45"))
            #expect(mail.subject.hasSuffix(" UTC+5:45"))
            #expect(!mail.text.contains("vor 1 Minute"))
            let page = try server.open(mail.link)
            #expect(page.text.contains(#/<bdi>\d{1,2}\. \S+ \d{4}, \d\d:\d\d UTC\+5:45 · vor 1 Minute<\/bdi>/#))
            server.clock.advance(seconds: 120)
            #expect(try server.open(mail.link).text.contains(" UTC+5:45 · vor 2 Minuten</bdi>"))
        }
    }

    @Test(arguments: ["Atlantis/Poseidonis", "../../../etc/passwd", "localtime", "europe/rome", "UTC+5:45", ""])
    func `an unknown zone means UTC`(_ zone: String) async throws {
        try await TestServer.run { server in
            let mail = try ask(
                server,
                ["requestType": "EMAIL_SIGNIN", "email": "a@example.com", "timeZone": .string(zone)]
            )
            #expect(mail.subject.hasSuffix(" UTC"))
            #expect(try server.open(mail.link).text.contains(" UTC · vor 1 Minute</bdi>"))
        }
    }

    @Test func `a zone that is no text is refused`() async throws {
        try await TestServer.run { server in
            let body: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": "a@example.com", "timeZone": 5]
            let answer = try server.call("accounts:sendOobCode", body)
            #expect(answer.status == 400)
        }
    }

    @Test func `the zone of a change of address holds for its notice, too`() async throws {
        try await TestServer.runInProduction { server in
            let user = try server.signIn("old@example.com")
            let mail = try ask(
                server,
                [
                    "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(user.idToken),
                    "newEmail": "new@example.com", "timeZone": "Asia/Kathmandu",
                ]
            )
            #expect(mail.text.contains(" UTC+5:45"))
            #expect(try server.open(mail.link).text.contains(" UTC+5:45 · vor 1 Minute</bdi>"))
            let known = try server.messages().count
            // The page's form names no zone.
            #expect(try server.answerLink(mail.oobCode, "confirm").status == 200)
            let notice = try server.message(after: known)
            #expect(notice.to == "old@example.com")
            #expect(notice.text.contains(" UTC+5:45"))
            #expect(try server.open(notice.link).status == 200)
        }
    }

    @Test func `the account page writes times in the zone of the app, and its e-mails as well`() async throws {
        try await TestServer.run(["ACCOUNT_PAGE": "on"]) { server in
            let ann = try server.signIn("ann@example.com")
            for (zone, shown) in [("Asia/Kathmandu", " UTC+5:45"), ("Etc/GMT+4", " UTC-4"), ("Atlantis", " UTC")] {
                let answer = try server.call(
                    "accounts:createAccountUrl",
                    ["idToken": .string(ann.idToken), "timeZone": .string(zone)]
                )
                let browser = AccountBrowser(server)
                try browser.open(answer["url"])
                let page = try browser.submit("/account/open")
                #expect(page.text.contains("Last used <bdi>") && page.text.contains("\(shown) · 1 minute ago</bdi>"))
                #expect(page.text.contains("Since <bdi>") && page.text.contains("\(shown)</bdi>"))
                let known = try server.messages().count
                try browser.submit("/account/email", ["email": "new@example.com"])
                #expect(try server.message(after: known).subject.hasSuffix(shown))
            }
        }
    }

    @Test func `a right-to-left page says so, and isolates what is written the other way`() async throws {
        try await TestServer.run { server in
            let known = try server.messages().count
            let body: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": "a@example.com", "timeZone": "Africa/Cairo"]
            _ = try server.call("accounts:sendOobCode", body, headers: ["X-Firebase-Locale: ar-EG"])
            let page = try server.open(try server.message(after: known).link).text
            #expect(page.contains("<html lang=\"ar\" dir=\"rtl\">"))
            #expect(page.contains(#/<bdi>[^<]+ UTC\+[23] · قبل دقيقة واحدة<\/bdi>/#))
        }
    }
}
