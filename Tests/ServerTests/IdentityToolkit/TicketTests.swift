import AccountDatabase
import Database
import Foundation
import JSON
import SMTPHarness
import Testing

@Suite("Tickets")
struct TicketTests {
    @Test func `the asking device waits, another device approves, and the guest keeps the UID`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com", idToken: guest.idToken)
            let pending = try server.redeemTicket(asked.ticket)
            #expect(pending.status == 400)
            #expect(pending.code == "TICKET_PENDING")
            let page = try server.open(asked.mail.link)
            #expect(!page.text.contains(">\(asked.confirmation)<"), "the page never shows the digits")
            #expect(!page.text.contains(asked.mail.shownDigits))
            let approved = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            #expect(approved.status == 200)
            #expect(approved.header("set-cookie") == nil)
            let collected = try server.redeemTicket(asked.ticket)
            #expect(
                collected.keys == [
                    "kind", "email", "localId", "isNewUser", "linked", "idToken", "refreshToken", "expiresIn",
                ]
            )
            #expect(collected["localId"] == guest.uid)
            #expect(collected.json["linked"]?.bool == true)
            #expect(try server.lookup(guest.idToken).code == "TOKEN_EXPIRED")
            let again = try server.redeemTicket(asked.ticket)
            #expect(again["refreshToken"] == collected["refreshToken"], "a lost reply costs nothing")
            server.clock.advance(seconds: 601)
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_SPENT")
        }
    }

    @Test func `where the asking session has ended, the holder is signed in without linking, and told so`() async throws
    {
        try await TestServer.run { server in
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com", idToken: guest.idToken)
            _ = try server.redeemTicket(asked.ticket)
            _ = try server.call("accounts:delete", ["idToken": .string(guest.idToken)])
            _ = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            let collected = try server.redeemTicket(asked.ticket)
            #expect(collected.status == 200)
            #expect(collected.json["linked"]?.bool == false)
            #expect(collected["localId"] != guest.uid)
        }
    }

    @Test func `an approval that meets another account's address is kept`() async throws {
        try await TestServer.run { server in
            let owner = try server.signIn("ann@example.com")
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com", idToken: guest.idToken)
            _ = try server.redeemTicket(asked.ticket)
            _ = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            for _ in 0..<2 { #expect(try server.redeemTicket(asked.ticket).code == "EMAIL_EXISTS") }
            #expect(try server.redeem(asked.oobCode, "ann@example.com")["localId"] == owner.uid)
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_SPENT")
        }
    }

    @Test func `redeeming the link uses only the session presented there, and spends the ticket`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com", idToken: guest.idToken)
            let elsewhere = try server.redeem(asked.oobCode, "ann@example.com")
            #expect(elsewhere["localId"] != guest.uid)
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_SPENT")
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).code == "TICKET_SPENT")
            #expect(try server.lookup(guest.idToken).status == 200)
        }
    }

    @Test func `the sign-in code links the guest and spends the link too`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com", idToken: guest.idToken)
            #expect(try server.redeemTicket(asked.ticket, code: asked.wrongCode).code == "INVALID_SIGN_IN_CODE")
            #expect(asked.mail.text.contains("\n\(asked.mail.shownDigits)\n"), "in two groups of four")
            let linked = try server.redeemTicket(asked.ticket, code: asked.mail.shownDigits)
            #expect(linked["localId"] == guest.uid)
            #expect(linked.json["linked"]?.bool == true)
            #expect(try server.redeem(asked.oobCode, "ann@example.com").code == "INVALID_OOB_CODE")
            #expect(try server.open(asked.mail.link).status == 410)
        }
    }

    @Test func `a code that meets another account's address keeps everything`() async throws {
        try await TestServer.run { server in
            let owner = try server.signIn("ann@example.com")
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com", idToken: guest.idToken)
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).code == "EMAIL_EXISTS")
            #expect(try server.lookup(guest.idToken).status == 200)
            #expect(try server.redeem(asked.oobCode, "ann@example.com")["localId"] == owner.uid)
        }
    }

    @Test func `three wrong codes end a ticket, its link and its approval`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            for _ in 0..<3 {
                #expect(try server.redeemTicket(asked.ticket, code: asked.wrongCode).code == "INVALID_SIGN_IN_CODE")
            }
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).code == "TICKET_ENDED")
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_ENDED")
            #expect(try server.redeem(asked.oobCode, "ann@example.com").code == "INVALID_OOB_CODE")
        }
    }

    @Test func `a hundred wrong codes at once count no more than three, and none signs in`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            try server.waitUntilMailsAreFinished()
            let body: JSONValue = ["ticket": .string(asked.ticket), "code": .string(asked.wrongCode)]
            let answers = try server.callAtOnce(Array(repeating: ("accounts:signInWithTicket", body), count: 100))
            #expect(answers.count { $0.code == "INVALID_SIGN_IN_CODE" } == 3)
            #expect(answers.count { $0.code == "TICKET_ENDED" } == 97)
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).code == "TICKET_ENDED")
        }
    }

    @Test func `an address takes twenty wrong codes a day, over however many tickets, and its link still works`()
        async throws
    {
        try await TestServer.run { server in
            for _ in 0..<7 {
                let asked = try server.askForLink("ann@example.com")
                for _ in 0..<3 { _ = try server.redeemTicket(asked.ticket, code: asked.wrongCode) }
            }
            let asked = try server.askForLink("ann@example.com")
            let refused = try server.redeemTicket(asked.ticket, code: asked.mail.digits)
            #expect(refused.status == 429)
            #expect(refused.code == "TOO_MANY_ATTEMPTS_TRY_LATER")
            #expect(refused.header("retry-after").flatMap { Int($0) } ?? 0 > 0)
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
            let tomorrow = try server.askForLink("ann@example.com")
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: 86_400)
            let late = try server.redeemTicket(tomorrow.ticket, code: tomorrow.mail.digits)
            #expect(late.code == "TICKET_EXPIRED")
            let fresh = try server.askForLink("ann@example.com")
            #expect(try server.redeemTicket(fresh.ticket, code: fresh.mail.digits).status == 200)
        }
    }

    @Test func `the page shows the code where no device waits, and asks for the digits where one does`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com", headers: ["User-Agent: Firefox/1 Linux"])
            let code = try server.open(asked.mail.link)
            #expect(code.status == 200)
            #expect(code.text.contains(asked.mail.shownDigits))
            #expect(!code.text.contains("value=\"approve\""))
            #expect(code.text.contains("Firefox · Linux"))
            #expect(
                try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)").text
                    .contains(asked.mail.shownDigits),
                "nobody waits, so nothing is approved"
            )
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_PENDING")
            let approve = try server.open(asked.mail.link)
            #expect(!approve.text.contains(asked.mail.shownDigits))
            #expect(approve.text.contains("name=\"confirmation\""))
            #expect(approve.text.contains("Firefox · Linux"))
        }
    }

    @Test func `one wrong entry of the three digits ends the ticket`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            _ = try server.redeemTicket(asked.ticket)
            let wrong = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.wrongConfirmation)")
            #expect(wrong.status == 403)
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_ENDED")
            #expect(try server.redeem(asked.oobCode, "ann@example.com").code == "INVALID_OOB_CODE")
            let late = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            #expect(late.status == 410)
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_ENDED")
        }
    }

    @Test(arguments: ["", "12", "1234", "abc", "%EF%BC%91", "-12", "12.", " 12", "12%00"])
    func `what cannot be three digits is no guess`(entry: String) async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            _ = try server.redeemTicket(asked.ticket)
            let mistyped = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(entry)")
            #expect(mistyped.status == 200)
            #expect(mistyped.text.contains("name=\"confirmation\""))
            #expect(mistyped.text.contains("Type exactly three digits"))
            _ = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            #expect(try server.redeemTicket(asked.ticket).status == 200)
        }
    }

    @Test func `it was not me ends the ticket, the link and the code`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            _ = try server.redeemTicket(asked.ticket)
            #expect(try server.answerLink(asked.oobCode, "deny").status == 200)
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_ENDED")
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).code == "TICKET_ENDED")
            #expect(try server.redeem(asked.oobCode, "ann@example.com").code == "INVALID_OOB_CODE")
            #expect(try server.answerLink(asked.oobCode, "deny").status == 410)
        }
    }

    @Test func `"this wasn't me" withdraws an approval that was not collected yet`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            _ = try server.redeemTicket(asked.ticket)
            _ = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            _ = try server.answerLink(asked.oobCode, "deny")
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_ENDED")
        }
    }

    static let refusals = [
        Scenario(name: "no ticket", call: "accounts:signInWithTicket", status: 400, code: "MISSING_TICKET"),
        Scenario(
            name: "a ticket that is none",
            call: "accounts:signInWithTicket",
            body: #"{"ticket":"x"}"#,
            status: 400,
            code: "INVALID_TICKET"
        ),
        Scenario(
            name: "a number",
            call: "accounts:signInWithTicket",
            body: #"{"ticket":1}"#,
            status: 400,
            code: "Invalid JSON"
        ),
    ]

    @Test func `only a ticket of ours is one`() async throws {
        try await TestServer.run { server in
            for scenario in Self.refusals { try scenario.check(server) }
            let asked = try server.askForLink("ann@example.com")
            for forged in Forgery.all(of: asked.ticket) {
                #expect(try server.redeemTicket(forged.text).code == "INVALID_TICKET", "\(forged.what)")
            }
            #expect(try server.redeemTicket(asked.oobCode).code == "INVALID_TICKET", "a link is no ticket")
            #expect(try server.redeem(asked.ticket, "ann@example.com").code == "INVALID_OOB_CODE", "nor the reverse")
        }
    }

    /// Requests a link whose e-mail may never arrive.
    private static func ask(_ server: TestServer, _ email: String) throws -> Answer {
        try server.call("accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": .string(email)])
    }

    @Test func `a mail that cannot be delivered tells the holder`() async throws {
        try await TestServer.runInProduction { server in
            server.smtp?.faults = .permanent(550, at: .recipient)
            let answer = try Self.ask(server, "gone@example.com")
            #expect(answer.status == 200, "the request never waits for the mail")
            try server.eventually("the ticket says so") {
                try server.redeemTicket(answer["ticket"]).code == "MAIL_FAILED"
            }
        }
    }

    @Test func `a mail whose secret was removed tells the holder`() async throws {
        try await TestServer.runInProduction { server in
            server.smtp?.faults = .transient(451)
            let asked = try Self.ask(server, "ann@example.com")
            try server.eventually("the ticket says so") {
                // What the server cannot decrypt, as after the removal of its secret.
                try server.withDatabase { transaction in
                    try transaction.execute(
                        "UPDATE outbox SET payload = 'x', due_at = 0 WHERE state = 'queued' AND leased_by IS NULL"
                    )
                }
                return try server.redeemTicket(asked["ticket"]).code == "MAIL_FAILED"
            }
        }
    }

    @Test func `a mail that comes a day late carries a link that works, for the same ticket`() async throws {
        try await TestServer.runInProduction { server in
            server.smtp?.faults = .transient(451)
            let answer = try Self.ask(server, "ann@example.com")
            // The first attempt has to be over, or its link would be the one that arrives.
            try server.eventually("the first attempt failed") {
                try server.withDatabase { transaction in
                    let failed: SQL = "SELECT 1 FROM outbox WHERE attempts > 0 AND leased_by IS NULL"
                    return try transaction.first(failed) { _ in true } ?? false
                }
            }
            server.clock.advance(seconds: 20 * 3600)
            #expect(try server.redeemTicket(answer["ticket"]).code == "TICKET_PENDING")
            server.smtp?.faults = .none
            // Any pause of the worker is over by the database's clock.
            let mail = try server.message(after: 0)
            #expect(try server.redeem(mail.oobCode, "ann@example.com").status == 200)
            #expect(try server.messages().count == 1)
        }
    }

    @Test func `a mail whose ticket was made under a secret that is gone fails, and holds up no other`() async throws {
        try await TestServer.runInProduction { server in
            server.smtp?.faults = .transient(451)
            _ = try server.call("accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"])
            try server.eventually("the first attempt failed") {
                try server.withDatabase { try $0.outbox(.queued, limit: 9).first?.attempts } == 1
            }
            try server.withDatabase { try $0.execute("UPDATE tickets SET key_id = key_id + 1") }
            server.smtp?.faults = .none
            server.clock.advance(seconds: 60)
            _ = try server.call("accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": "ben@example.com"])
            #expect(try server.message(after: 0).to.contains("ben@example.com"))
            try server.waitUntilMailsAreFinished()
            let mails = try server.withDatabase { try $0.outbox(nil, limit: 9) }
            #expect(mails.map(\.state) == [.sent, .failed])
            #expect(mails.last?.reason == "it can never be sent: TICKET_EXPIRED")
            #expect(try server.messages().count == 1)
        }
    }

    @Test func `a page of a link that ran out sends a new one for the same ticket`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com", idToken: guest.idToken)
            _ = try server.redeemTicket(asked.ticket)
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: 16 * 60)
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_EXPIRED")
            let page = try server.open(asked.mail.link)
            #expect(page.status == 410)
            #expect(page.text.contains("value=\"resend\""))
            #expect(try server.answerLink(asked.oobCode, "resend").status == 200)
            let mail = try server.message(after: 1)
            #expect(mail.oobCode != asked.oobCode)
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_PENDING")
            _ = try server.answerLink(mail.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            #expect(try server.redeemTicket(asked.ticket)["localId"] == guest.uid)
        }
    }

    @Test func `an approval that was not collected in time is not extended by a new mail`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            _ = try server.redeemTicket(asked.ticket)
            _ = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: 16 * 60)
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_EXPIRED")
            #expect(try server.answerLink(asked.oobCode, "resend").status == 200)
            let mail = try server.message(after: 1)
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_EXPIRED")
            #expect(try server.redeem(mail.oobCode, "ann@example.com").status == 200)
        }
    }

    @Test func `a used link of an app's own page can be sent anew after a sign-out, without a session`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let asked = try server.askForLink(
                "ann@example.com",
                idToken: guest.idToken,
                continueURL: "https://app.example.com/"
            )
            let used = try Tokens(server.redeem(asked.oobCode, "ann@example.com"))
            #expect(try server.answerLink(asked.oobCode, "resend").status == 410, "the session is alive")
            _ = try server.call("accounts:signOut", ["refreshToken": .string(used.refreshToken)])
            #expect(try server.answerLink(asked.oobCode, "resend").status == 200)
            let mail = try server.message(after: 1)
            #expect(mail.link.contains("continueUrl="))
            let answer = try server.redeem(mail.oobCode, "ann@example.com")
            #expect(answer.status == 200)
            #expect(answer["localId"] != guest.uid)
        }
    }

    @Test func `link, code and approval together, fifty times each, make one session`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            _ = try server.redeemTicket(asked.ticket)
            _ = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            try server.waitUntilMailsAreFinished()
            let link: JSONValue = ["email": "ann@example.com", "oobCode": .string(asked.oobCode)]
            let code: JSONValue = ["ticket": .string(asked.ticket), "code": .string(asked.mail.digits)]
            let collect: JSONValue = ["ticket": .string(asked.ticket)]
            let calls = (0..<50).flatMap { _ in
                [
                    ("accounts:signInWithEmailLink", link), ("accounts:signInWithTicket", code),
                    ("accounts:signInWithTicket", collect),
                ]
            }
            let answers = try server.callAtOnce(calls)
            #expect(answers.count { $0.status == 200 } == 1)
            #expect(answers.allSatisfy { ["ok", "INVALID_OOB_CODE", "TICKET_SPENT"].contains($0.code) })
        }
    }

    @Test func `approving and denying at once, fifty times each, never leaves a session after a denial`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            _ = try server.redeemTicket(asked.ticket)
            let connections = try (0..<100).map { index in
                let connection = try HTTPConnection(port: server.port)
                let action = index.isMultiple(of: 2) ? "approve&confirmation=\(asked.confirmation)" : "deny"
                let body = Array("oobCode=\(asked.oobCode)&action=\(action)".utf8)
                try connection.send(TestServer.request("POST", "/auth/action", headers: [], body: body))
                return connection
            }
            for connection in connections { #expect(try connection.answer().status < 500) }
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_ENDED")
        }
    }
}
