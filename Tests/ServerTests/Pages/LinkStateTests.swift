import JSON
import Testing

/// The pages of links that no longer sign in: each says what happened and offers the next step.
@Suite("Links that have done their job")
struct LinkStateTests {
    private static let firefox = ["User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"]

    @Test func `a link that signed in names device and time, and can end that session`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com", idToken: guest.idToken)
            let signedIn = try server.call(
                "accounts:signInWithEmailLink",
                [
                    "oobCode": .string(asked.oobCode), "email": "ann@example.com",
                    "idToken": .string(guest.idToken),
                ],
                headers: Self.firefox
            )
            #expect(signedIn.status == 200)
            let token = try #require(signedIn.json["idToken"]?.string)
            let other = try server.signIn("ann@example.com")
            for _ in 0..<2 {
                let page = try server.open(asked.mail.link)
                #expect(page.status == 410 && page.text.contains("You’re already signed in"))
                for text in ["Firefox · Linux", "a***@example.com", "This wasn’t me", " UTC"] {
                    #expect(page.text.contains(text), "\(text)")
                }
                #expect(!page.text.contains("ann@example.com"))
                #expect(try server.lookup(token).status == 200, "opening the page changes nothing")
            }
            let ended = try server.answerLink(asked.oobCode, "end")
            #expect(ended.status == 200 && ended.text.contains("Device signed out"))
            #expect(try server.lookup(token).code == "TOKEN_EXPIRED")
            #expect(try server.lookup(other.idToken).status == 200, "other sessions stay")
            let uid = try #require(signedIn.json["localId"]?.string)
            #expect(try server.auditedEvents(of: uid).contains("session.ended"))
            for page in [try server.open(asked.mail.link), try server.answerLink(asked.oobCode, "end")] {
                #expect(page.status == 410 && page.text.contains("This link was already used"))
                #expect(!page.text.contains("value=\"end\""))
            }
        }
    }

    @Test func `a link that has not signed in ends no session`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let asked = try server.askForLink("ann@example.com", idToken: ann.idToken)
            #expect(try server.answerLink(asked.oobCode, "end").status == 200, "the page of the link as it is")
            #expect(try server.lookup(ann.idToken).status == 200)
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
        }
    }

    @Test func `denied, ended, expired and replaced links each have a page of their own`() async throws {
        try await TestServer.run { server in
            let denied = try server.askForLink("ann@example.com")
            #expect(try server.answerLink(denied.oobCode, "deny").status == 200)
            let ended = try server.askForLink("ann@example.com")
            _ = try server.redeemTicket(ended.ticket)
            let wrong = try server.answerLink(ended.oobCode, "approve", "&confirmation=\(ended.wrongConfirmation)")
            #expect(wrong.status == 403 && !wrong.text.contains("value=\"resend\""))
            let expired = try server.askForLink("ann@example.com")
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: 1000)
            for (asked, title) in [
                (denied, "This request was stopped"), (ended, "This request has ended"),
                (expired, "This link has expired"),
            ] {
                let page = try server.open(asked.mail.link)
                #expect(page.status == 410 && page.text.contains("<h1>\(title)</h1>"), "\(title)")
            }
        }
    }

    @Test func `wrong digits offer a new e-mail whose link opens the app`() async throws {
        try await TestServer.run(["APPLE_APP_IDS": "ABCDE12345.com.example.app"]) { server in
            let asked = try server.askForLink("ann@example.com")
            _ = try server.redeemTicket(asked.ticket)
            let wrong = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.wrongConfirmation)")
            #expect(wrong.status == 403 && wrong.text.contains("value=\"resend\""))
            #expect(try server.open(asked.mail.link).text.contains("value=\"resend\""))
            let known = try server.messages().count
            let resent = try server.answerLink(asked.oobCode, "resend")
            #expect(resent.status == 200 && resent.text.contains("a***@example.com"))
            let mail = try server.message(after: known)
            #expect(try server.redeem(mail.oobCode, "ann@example.com").status == 200)
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_ENDED", "the stopped request stays stopped")
        }
    }
}
