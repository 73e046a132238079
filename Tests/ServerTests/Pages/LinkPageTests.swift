import Accounts
import Database
import Foundation
import JSON
import Testing

@Suite("Pages behind a link")
struct LinkPageTests {
    private static let locales = ["en", "it", "id", "de", "es", "fr", "pt-BR", "ja"]

    @Test(arguments: ["GET", "HEAD"])
    func `opening a link fifty times writes one row of the trace, sets no cookie and keeps the link valid`(
        method: String
    )
        async throws
    {
        try await TestServer.run { server in
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com", idToken: guest.idToken)
            _ = try server.redeemTicket(asked.ticket)
            try server.waitUntilMailsAreFinished()
            try server.storeCounts()
            server.statements.clear()
            for _ in 0..<50 {
                let answer = try server.open(asked.mail.link, method: method)
                #expect(answer.status == 200)
                #expect(answer.header("set-cookie") == nil)
                if method == "HEAD" { #expect(answer.header("content-length").flatMap { Int($0) } ?? 0 > 500) }
            }
            let writes = server.statements.all.filter { Trace.isWrite($0) && !Trace.isHousekeeping($0) }
            #expect(writes.isEmpty)
            func opened() throws -> Int64 {
                try server.withDatabase { transaction in
                    try transaction.first("SELECT count(*) FROM mail_trace WHERE event = 'opened'") {
                        try $0.integer(0)
                    } ?? 0
                }
            }
            try server.eventually("the trace has a row, after the answer") { try opened() > 0 }
            #expect(try opened() == 1)
            #expect(server.statements.contains("JOIN tickets"), "the trace sees the page's statements")
            #expect(try server.redeem(asked.oobCode, "ann@example.com", idToken: guest.idToken).status == 200)
        }
    }

    @Test(arguments: [
        ("127.0.0.1/32", "Turin, \u{202E}Italy<b>", "Turin, Italy&lt;b&gt;"),
        ("192.0.2.0/24", "Turin", nil as String?),
    ])
    func `the page names the place that a trusted proxy tells, and no other`(
        trusted: String,
        told: String,
        shown: String?
    ) async throws {
        try await TestServer.runInProduction(["PLACE_HEADER": "X-Place", "TRUSTED_PROXIES": trusted]) { server in
            let asked = try server.askForLink("ann@example.com", headers: ["X-Place: \(told)"])
            let page = try server.open(asked.mail.link)
            #expect(page.status == 200)
            #expect(page.text.contains(shown ?? "Turin") == (shown != nil))
        }
    }

    @Test func `links of other e-mails do not act on GET either`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            for (type, extra) in [("VERIFY_EMAIL", ""), ("VERIFY_AND_CHANGE_EMAIL", "new@example.com")] {
                let known = try server.messages().count
                _ = try server.call(
                    "accounts:sendOobCode",
                    ["requestType": .string(type), "idToken": .string(ann.idToken), "newEmail": .string(extra)]
                )
                let mail = try server.message(after: known)
                for method in ["GET", "HEAD", "GET"] {
                    #expect(try server.open(mail.link, method: method).status == 200)
                }
                #expect(try server.open(mail.link).text.contains("value=\"confirm\""))
                #expect(try server.user(ann.idToken)["email"]?.string == "ann@example.com")
                #expect(try server.answerLink(mail.oobCode, "confirm").status == 200)
                #expect(try server.open(mail.link).status == 410)
                #expect(try server.answerLink(mail.oobCode, "confirm").status == 410)
            }
            #expect(try server.lookup(ann.idToken).code == "TOKEN_EXPIRED", "confirming on the page ends every session")
            #expect(try server.message(after: 3).to == "ann@example.com", "the notice")
            #expect(try server.signIn("new@example.com").uid == ann.uid)
        }
    }

    /// Returns every page that a link can lead to, as texts.
    private static func pages(_ server: TestServer, locale: String) throws -> [(name: String, answer: Answer)] {
        let headers = ["X-Firebase-Locale: \(locale)"]
        func answer(_ code: String, _ action: String, _ fields: String = "") throws -> Answer {
            try server.send(
                "POST",
                "/auth/action",
                headers: ["Content-Type: application/x-www-form-urlencoded"],
                body: Array("oobCode=\(code)&lang=\(locale)&action=\(action)\(fields)".utf8)
            )
        }
        let first = try server.askForLink("ann@example.com", headers: headers)
        var pages = [("code", try server.open(first.mail.link))]
        server.clock.startMinute()
        try server.fillBreaker(.strangers)
        pages.append(("codes paused", try server.open(first.mail.link)))
        _ = try server.redeemTicket(first.ticket)
        pages.append(("approve", try server.open(first.mail.link)))
        pages.append(("mistyped", try answer(first.oobCode, "approve", "&confirmation=x")))
        pages.append(("approved", try answer(first.oobCode, "approve", "&confirmation=\(first.confirmation)")))
        pages.append(("denied", try answer(first.oobCode, "deny")))
        pages.append(("gone", try server.open(first.mail.link)))
        let second = try server.askForLink("ann@example.com", headers: headers)
        let rival = try server.askForLink("ann@example.com", headers: headers)
        server.clock.advance(seconds: 61)
        pages.append(("code of several", try server.open(second.mail.link)))
        _ = try server.redeemTicket(second.ticket)
        pages.append(("approve of several", try server.open(rival.mail.link)))
        pages.append(
            ("wrong digits", try answer(second.oobCode, "approve", "&confirmation=\(second.wrongConfirmation)"))
        )
        let ann = try server.signIn("ann@example.com")
        let bob = try server.signIn("bob-\(locale)@example.com")
        for (type, newEmail) in [
            ("VERIFY_EMAIL", ""), ("VERIFY_AND_CHANGE_EMAIL", "taken-\(locale)@example.com"),
            ("VERIFY_AND_CHANGE_EMAIL", "new-\(locale)@example.com"),
        ] {
            let known = try server.messages().count
            _ = try server.call(
                "accounts:sendOobCode",
                [
                    "requestType": .string(type), "idToken": .string(bob.idToken), "newEmail": .string(newEmail),
                ],
                headers: headers
            )
            let mail = try server.message(after: known)
            if newEmail.hasPrefix("taken") { _ = try server.signIn(newEmail) }
            pages.append(("confirm \(newEmail)", try server.open(mail.link)))
            let before = try server.messages().count
            pages.append(("done \(newEmail)", try answer(mail.oobCode, "confirm")))
            guard newEmail.hasPrefix("new") else { continue }
            let notice = try server.message(after: before)
            pages.append(("confirm recovery", try server.open(notice.link)))
            pages.append(("done recovery", try answer(notice.oobCode, "confirm")))
        }
        let asked = try server.signIn("old-\(locale)@example.com")
        let unwanted = try server.askForMail(asked.idToken, changingTo: "other-\(locale)@example.com", headers: headers)
        pages.append(("denied change", try answer(unwanted.oobCode, "deny")))
        let change = try server.askForMail(asked.idToken, changingTo: "next-\(locale)@example.com", headers: headers)
        let known = try server.messages().count
        _ = try server.apply(change)
        let notice = try server.message(after: known)
        _ = try server.signIn("next-\(locale)@example.com")
        pages.append(("confirm contest", try server.open(notice.link)))
        let next = try server.signIn("next-\(locale)@example.com")
        let later = try server.askForMail(next.idToken, changingTo: "last-\(locale)@example.com", headers: headers)
        pages.append(("done contest", try answer(notice.oobCode, "confirm")))
        pages.append(("locked", try server.open(later.link, headers: headers)))
        _ = ann
        let third = try server.askForLink("ann@example.com", headers: headers)
        server.clock.advance(seconds: 1000)
        pages.append(("expired", try server.open(third.mail.link)))
        pages.append(("resent", try answer(third.oobCode, "resend")))
        pages.append(
            ("bad link", try server.send("GET", "/auth/action?oobCode=x", headers: ["Accept-Language: \(locale)"]))
        )
        return pages
    }

    @Test(arguments: locales)
    func `every page has its language, forbids scripts and caching, and speaks no English`(locale: String) async throws
    {
        try await TestServer.run { server in
            let texts = try Self.texts("en")
            let own = try Self.texts(locale)
            for (name, answer) in try Self.pages(server, locale: locale) {
                #expect(answer.text.contains("<html lang=\"\(locale)\" dir=\"ltr\">"), "\(name)")
                let policy = answer.header("content-security-policy")?.components(separatedBy: "; ") ?? []
                #expect(
                    Set(policy) == [
                        "default-src 'none'", "style-src 'self'", "form-action 'self'", "base-uri 'none'",
                        "frame-ancestors 'none'",
                    ],
                    "\(name)"
                )
                #expect(answer.header("cache-control") == "no-store", "\(name)")
                #expect(answer.header("referrer-policy") == "no-referrer", "\(name)")
                #expect(answer.header("x-content-type-options") == "nosniff", "\(name)")
                #expect(answer.header("set-cookie") == nil, "\(name)")
                #expect(answer.header("access-control-allow-origin") == nil, "\(name)")
                #expect(!answer.text.contains("<script") && !answer.text.contains("{{"), "\(name)")
                #expect(!answer.text.contains("style=\""), "\(name)")
                guard locale != "en" else { continue }
                for (key, text) in texts where text.count > 12 && own[key] != text {
                    #expect(!answer.text.contains(text), "\(name) has the English \(key)")
                }
            }
        }
    }

    /// Returns the texts of a language as they appear in a page without inserted values.
    private static func texts(_ locale: String) throws -> [String: String] {
        let file = NamedTests.root.appending(path: "Templates/strings/\(locale).json")
        let object = try JSONValue.parse([UInt8](Data(contentsOf: file))).object ?? JSONObject()
        return object.members.reduce(into: [:]) { texts, member in
            let text = member.value.string ?? member.value.object?["other"]?.string ?? ""
            texts[member.name] = text.components(separatedBy: "{{").first { $0.count > 12 } ?? text
        }
    }

    @Test func `a link that is none gives a page and no error`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            for target in [
                "/auth/action", "/auth/action?oobCode=", "/auth/action?oobCode=%00", "/auth/action?oobCode=%FF",
                "/auth/action?mode=signIn&oobCode=\(asked.oobCode.dropLast())", "/auth/action?oobCode=<script>",
                "/auth/action?lang=<script>&oobCode=x",
            ] {
                for method in ["GET", "POST"] {
                    let answer = try server.send(method, target)
                    #expect(answer.status == 400, "\(method) \(target)")
                    #expect(answer.text.hasPrefix("<!DOCTYPE html>"), "\(method) \(target)")
                    #expect(!answer.text.contains("<script"))
                }
            }
            for action in ["", "confirm", "delete", "approve%00"] {
                #expect(try server.answerLink(asked.oobCode, action).status == 400, "\(action)")
            }
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
        }
    }

    @Test func `links name the configured URL, whatever Host a request claims`() async throws {
        try await TestServer.runInProduction { server in
            let mail = try server.askForLink("ann@example.com", headers: ["Host: evil.example"]).mail
            #expect(mail.link.hasPrefix("https://auth.example.com/auth/action?"))
            #expect(!mail.raw.contains("evil"))
        }
    }
}
