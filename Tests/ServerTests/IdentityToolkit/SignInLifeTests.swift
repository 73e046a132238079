import AccountDatabase
import Database
import Foundation
import JSON
import SMTPHarness
import Testing

/// A sign-in link and its code live from when their e-mail is sent.
@Suite("Life of sign-in e-mails")
struct SignInLifeTests {
    private static func ask(_ server: TestServer) throws -> Answer {
        try server.call("accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"])
    }

    /// Requests an e-mail that the mail server defers, and accepts after this many seconds.
    private static func delayedMail(_ server: TestServer, by seconds: Int64) throws -> (ticket: String, mail: Mail) {
        server.smtp?.faults = .transient(451)
        let asked = try ask(server)
        try server.eventually("the first attempt failed") {
            try server.withDatabase { try $0.outbox(.queued, limit: 9).first?.attempts ?? 0 } > 0
        }
        server.clock.advance(seconds: seconds)
        #expect(try server.redeemTicket(asked["ticket"]).code == "TICKET_PENDING", "a mail that waits keeps its ticket")
        server.smtp?.faults = .none
        let mail = try server.message(after: 0)
        try server.waitUntilMailsAreFinished()
        return (asked["ticket"], mail)
    }

    @Test(arguments: [(nil, "600", 10), ("LIFE_SIGN_IN_LINK=5m", "300", 5)] as [(String?, String, Int)])
    func `answer, mail and pages say how long a link lives`(setting: String?, expiresIn: String, minutes: Int)
        async throws
    {
        let pair = setting?.split(separator: "=").map(String.init)
        try await TestServer.run(pair.map { [$0[0]: $0[1]] } ?? [:]) { server in
            let answer = try Self.ask(server)
            #expect(answer.keys == ["kind", "email", "requestId", "ticket", "confirmation", "expiresIn"])
            #expect(answer["expiresIn"] == expiresIn)
            _ = try server.message(after: 0)
            let asked = try server.askForLink("ben@example.com")
            #expect(asked.mail.text.contains("within \(minutes) minutes"))
            #expect(try server.open(asked.mail.link).text.contains("within \(minutes) minutes"))
            _ = try server.redeemTicket(asked.ticket)
            #expect(try server.open(asked.mail.link).text.contains("within \(minutes) minutes"))
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: Int64(minutes) * 60 + 1)
            let expired = try server.open(asked.mail.link)
            #expect(expired.status == 410 && expired.text.contains("within \(minutes) minutes"))
            let resent = try server.answerLink(asked.oobCode, "resend")
            #expect(resent.status == 200 && resent.text.contains("within \(minutes) minutes"))
            _ = try server.message(after: 2)
            let verify = try server.call(
                "accounts:sendOobCode",
                ["requestType": "VERIFY_EMAIL", "idToken": .string(server.signIn("cleo@example.com").idToken)]
            )
            #expect(verify.json["expiresIn"] == nil)
        }
    }

    @Test func `a link lives from when its delayed e-mail was sent`() async throws {
        try await TestServer.runInProduction { server in
            let (ticket, mail) = try Self.delayedMail(server, by: 20 * 60)
            #expect(mail.text.contains("within 10 minutes"))
            server.clock.advance(seconds: 500)
            #expect(try server.open(mail.link).status == 200)
            #expect(try server.redeemTicket(ticket).code == "TICKET_PENDING")
            server.clock.advance(seconds: 130)
            #expect(try server.redeemTicket(ticket).code == "TICKET_EXPIRED")
            #expect(try server.redeemTicket(ticket, code: mail.digits).code == "TICKET_EXPIRED")
            #expect(try server.redeem(mail.oobCode, "ann@example.com").code == "EXPIRED_OOB_CODE")
            #expect(try server.open(mail.link).status == 410)
        }
    }

    @Test func `a mail that waits longer than life.mailDelay fails its ticket`() async throws {
        try await TestServer.runInProduction(["LIFE_MAIL_DELAY": "1h"]) { server in
            server.smtp?.faults = .transient(451)
            let asked = try Self.ask(server)
            try server.eventually("the first attempt failed") {
                try server.withDatabase { try $0.outbox(.queued, limit: 9).first?.attempts ?? 0 } > 0
            }
            server.clock.advance(seconds: 3500)
            #expect(try server.redeemTicket(asked["ticket"]).code == "TICKET_PENDING")
            server.clock.advance(seconds: 101)
            try server.eventually("the mail is given up") {
                try server.redeemTicket(asked["ticket"]).code == "MAIL_FAILED"
            }
        }
    }

    @Test func `a greylisted mail's link gets a fresh one on its page, and the page shows its code`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com", idToken: guest.idToken)
            _ = try server.redeemTicket(asked.ticket)
            try server.waitUntilMailsAreFinished()
            // The recipient's mail server accepts the e-mail after 15 minutes; by then the device has got
            // TICKET_EXPIRED.
            server.clock.advance(seconds: 15 * 60)
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_EXPIRED")
            #expect(try server.open(asked.mail.link).text.contains("value=\"resend\""))
            #expect(try server.answerLink(asked.oobCode, "resend").status == 200)
            let fresh = try server.message(after: 1)
            try server.waitUntilMailsAreFinished()
            #expect(
                try server.redeem(asked.oobCode, "ann@example.com").code == "EXPIRED_OOB_CODE",
                "the first link stays over"
            )
            #expect(try server.open(fresh.link).text.contains(fresh.shownDigits), "no device waits any more")
            #expect(try server.redeemTicket(asked.ticket, code: fresh.digits)["localId"] == guest.uid)
        }
    }

    @Test func `a thief's expired link does not come back to life by the page's resend`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            try server.waitUntilMailsAreFinished()
            // The link is signed for a minute longer than its ticket lives.
            server.clock.advance(seconds: 610)
            #expect(try server.redeem(asked.oobCode, "ann@example.com").code == "EXPIRED_OOB_CODE")
            #expect(try server.answerLink(asked.oobCode, "resend").status == 200)
            let fresh = try server.message(after: 1)
            try server.waitUntilMailsAreFinished()
            #expect(try server.redeem(asked.oobCode, "ann@example.com").code == "INVALID_OOB_CODE")
            #expect(try server.open(asked.mail.link).status == 410)
            #expect(try server.redeem(fresh.oobCode, "ann@example.com").status == 200)
        }
    }
}
