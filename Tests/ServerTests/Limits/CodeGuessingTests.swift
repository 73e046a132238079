import Accounts
import Database
import Foundation
import JSON
import Testing

@Suite("Guesses of sign-in codes")
struct CodeGuessingTests {
    private static func ask(
        _ server: TestServer,
        _ email: String,
        idToken: String? = nil,
        forwarded: String? = nil,
        from source: String? = nil
    ) throws -> Answer {
        var members = JSONObject()
        members["requestType"] = "EMAIL_SIGNIN"
        members["email"] = .string(email)
        if let idToken { members["idToken"] = .string(idToken) }
        let answer = try server.call(
            "accounts:sendOobCode",
            .object(members),
            headers: forwarded.map { ["X-Forwarded-For: \($0)"] } ?? [],
            from: source
        )
        #expect(answer.status == 200, "\(answer.text)")
        return answer
    }

    private static func mail(_ server: TestServer, to email: String) throws -> Mail {
        try server.eventually("the mail to \(email)") { try server.messages().contains { $0.to == email } }
        return try #require(try server.messages().last { $0.to == email })
    }

    private static func expectPause(_ answer: Answer, _ comment: Comment? = nil) {
        #expect(answer.status == 429 && answer.code == "CODE_PAUSED", comment)
        #expect(answer.header("retry-after").flatMap { Int($0) }.map { (1...60).contains($0) } == true, comment)
        #expect(answer.text.contains("open the link"), comment)
    }

    @Test func `parallel guessing from a whole slash 48 gets no more guesses than the breaker allows`() async throws {
        try await TestServer.runInProduction(["TRUSTED_PROXIES": "127.0.0.1"]) { server in
            let tickets = try (0..<30).map { number in
                try Self.ask(server, "v\(number)@example.com", forwarded: "2001:db8:1:\(number)::1")["ticket"]
            }
            let victim = try Self.ask(server, "ann@example.com", forwarded: "198.51.100.7")
            let mail = try Self.mail(server, to: "ann@example.com")
            try server.waitUntilMailsAreFinished()
            server.clock.freezeAtMinute()
            let guesses = tickets.enumerated().flatMap { index, ticket in
                (0..<3).map { guess in
                    (
                        client: "2001:db8:1:\(100 + index * 3 + guess)::1",
                        body: ["ticket": .string(ticket), "code": .string("0000 000\(guess)")] as JSONValue
                    )
                }
            }
            let answers = try server.callAtOnce("accounts:signInWithTicket", guesses)
            #expect(answers.count { $0.code == "INVALID_SIGN_IN_CODE" } == 60)
            #expect(answers.count { $0.code == "CODE_PAUSED" } == 30)
            for answer in answers where answer.code == "CODE_PAUSED" { Self.expectPause(answer) }
            let pauses = server.log.all.filter { $0.contains("codes.paused") }
            #expect(pauses.count == 1 && pauses.allSatisfy { $0.contains("strangers") }, "\(pauses)")
            #expect(!server.log.contains("@example.com") && !server.log.contains("2001:db8"))

            // The right code waits as well, and does not count as a guess; the page that would show it reports the
            // pause.
            Self.expectPause(try server.redeemTicket(victim["ticket"], code: mail.digits))
            let page = try server.open(mail.link)
            #expect(page.status == 429 && page.text.contains("Codes are paused"), "\(page.text)")
            #expect(page.header("retry-after") != nil)
            #expect(!page.text.contains(mail.shownDigits) && !page.text.contains(mail.digits))
            // Links and approvals continue.
            let other = try Self.ask(server, "ben@example.com", forwarded: "198.51.100.8")
            let otherMail = try Self.mail(server, to: "ben@example.com")
            #expect(try server.redeem(otherMail.oobCode, "ben@example.com").status == 200)
            #expect(try server.redeemTicket(other["ticket"]).code == "TICKET_SPENT")
            #expect(try server.redeemTicket(victim["ticket"]).code == "TICKET_PENDING")
            let approval = "&confirmation=\(victim["confirmation"])"
            #expect(try server.answerLink(mail.oobCode, "approve", approval).status == 200)
            #expect(try server.redeemTicket(victim["ticket"]).status == 200)

            let late = try Self.ask(server, "cem@example.com", forwarded: "198.51.100.9")
            let lateMail = try Self.mail(server, to: "cem@example.com")
            server.clock.freezeAtMinute()
            try server.eventually("the end of the pause in the log") { server.log.contains("codes.resumed") }
            #expect(try server.redeemTicket(late["ticket"], code: lateMail.digits).status == 200)
        }
    }

    @Test func `a node that has seen the breaker full refuses from memory`() async throws {
        try await TestServer.runInProduction { server in
            let ann = try server.askForLink("ann@example.com")
            try server.waitUntilMailsAreFinished()
            server.clock.freezeAtMinute()
            try server.fillBreaker(.strangers)
            Self.expectPause(try server.redeemTicket(ann.ticket, code: ann.mail.digits))
            server.statements.clear()
            Self.expectPause(try server.redeemTicket(ann.ticket, code: ann.mail.digits))
            #expect(server.statements.contains("FROM tickets t WHERE"), "which breaker it is, only the ticket says")
            #expect(!server.statements.contains("SELECT used FROM limits"))
            // On first use, an unknown client's ticket shows that one breaker is full; a trusted asker's ticket shows
            // that both are.
            let signedIn = try server.redeem(ann.oobCode, "ann@example.com")
            let known = try Self.ask(server, "ann@example.com", idToken: signedIn["idToken"])
            try server.waitUntilMailsAreFinished()
            try server.fillBreaker(.known)
            Self.expectPause(try server.redeemTicket(known["ticket"], code: "00000000"))
            server.statements.clear()
            Self.expectPause(try server.redeemTicket(known["ticket"], code: "00000000"))
            #expect(!server.statements.contains("FROM tickets t WHERE"), "no need to ask")
        }
    }

    @Test func `twenty tickets a minute do not pause codes of known clients`() async throws {
        try await TestServer.runInProduction { server in
            let ann = try server.signIn("ann@example.com")
            server.clock.freezeAtMinute()
            try server.fillBreaker(.strangers, by: 60)
            let strange = try server.askForLink("ben@example.com")
            Self.expectPause(try server.redeemTicket(strange.ticket, code: strange.mail.digits))
            let known = try server.askForLink("ann@example.com", idToken: ann.idToken)
            #expect(try server.redeemTicket(known.ticket, code: known.wrongCode).code == "INVALID_SIGN_IN_CODE")
            #expect(try server.redeemTicket(known.ticket, code: known.mail.digits).status == 200)
        }
    }

    @Test func `the breaker counts wrong codes only, and every wrong one once`() async throws {
        try await TestServer.runInProduction(["LIMITS_WRONG_CODES_PER_MINUTE": "2"]) { server in
            server.clock.freezeAtMinute()
            for name in ["a", "b", "c"] {
                let asked = try server.askForLink("\(name)@example.com")
                #expect(try server.redeemTicket(asked.ticket, code: asked.mail.shownDigits).status == 200)
            }
            let asked = try server.askForLink("ann@example.com")
            for _ in 0..<2 {
                #expect(try server.redeemTicket(asked.ticket, code: asked.wrongCode).code == "INVALID_SIGN_IN_CODE")
            }
            Self.expectPause(try server.redeemTicket(asked.ticket, code: asked.mail.digits))
            server.clock.freezeAtMinute()
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).status == 200, "a guess was left")
        }
    }

    @Test func `all nodes share the breaker, and a node that has not seen it full learns of it`() async throws {
        try await TestServer.runInProduction(["LIMITS_WRONG_CODES_PER_MINUTE": "2"]) { server in
            try server.beside { other in
                let asked = try server.askForLink("ann@example.com")
                let more = try server.askForLink("ben@example.com")
                try server.waitUntilMailsAreFinished()
                server.clock.freezeAtMinute()
                for node in [server, other] {
                    let answer = try node.redeemTicket(asked.ticket, code: asked.wrongCode)
                    #expect(answer.code == "INVALID_SIGN_IN_CODE")
                }
                Self.expectPause(try server.redeemTicket(more.ticket, code: more.mail.digits))
                Self.expectPause(try other.redeemTicket(more.ticket, code: more.mail.digits))
                for node in [server, other] {
                    #expect(node.log.all.count { $0.contains("codes.paused") } == 1)
                }
            }
        }
    }

    @Test func `a stranger's guesses on their own tickets never use up the owner's`() async throws {
        try await TestServer.run { server in
            server.clock.startHour()
            var refused = 0
            for _ in 0..<8 {
                let ticket = try Self.ask(server, "ann@example.com", from: "127.0.0.2")["ticket"]
                for _ in 0..<3 where try server.redeemTicket(ticket, code: "00000000").status == 429 { refused += 1 }
            }
            #expect(refused == 4, "twenty of 24")
            let asked = try server.askForLink("ann@example.com")
            #expect(try server.redeemTicket(asked.ticket, code: asked.wrongCode).code == "INVALID_SIGN_IN_CODE")
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).status == 200)
        }
    }

    @Test func `development pauses nothing`() async throws {
        try await TestServer.run { server in
            try server.fillBreaker(.strangers, by: 100_000)
            let asked = try server.askForLink("ann@example.com")
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).status == 200)
        }
    }

    @Test func `a reset forgets the breakers, in the database and in memory`() async throws {
        try await TestServer.run(["LIMITS_WRONG_CODES_PER_MINUTE": "1"]) { server in
            let asked = try server.askForLink("ann@example.com")
            server.clock.freezeAtMinute()
            _ = try server.redeemTicket(asked.ticket, code: asked.wrongCode)
            Self.expectPause(try server.redeemTicket(asked.ticket, code: asked.mail.digits))
            let reset = try server.send("DELETE", "/emulator/v1/projects/demo-latchkey/state")
            #expect(reset.status == 200)
            let again = try server.askForLink("ann@example.com")
            #expect(try server.redeemTicket(again.ticket, code: again.mail.digits).status == 200)
        }
    }

    @Test func `a review address takes its code while others are paused, and its wrong ones pause no codes`()
        async throws
    {
        let file = """
            { reviewAddresses: [{ email: "review@example.com", code: "open-sesame", until: "2999-12-31" }] }
            """
        try await TestServer.run(["LIMITS_WRONG_CODES_PER_MINUTE": "2"], file: file) { server in
            server.clock.freezeAtMinute()
            let first = try Self.ask(server, "review@example.com")["ticket"]
            for _ in 0..<3 {
                #expect(try server.redeemTicket(first, code: "wrong-sesame").code == "INVALID_SIGN_IN_CODE")
            }
            let asked = try server.askForLink("ann@example.com")
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).status == 200)
            for breaker in CodeBreaker.allCases { try server.fillBreaker(breaker) }
            let ben = try server.askForLink("ben@example.com")
            for _ in 0..<2 { Self.expectPause(try server.redeemTicket(ben.ticket, code: ben.mail.digits)) }
            let second = try Self.ask(server, "review@example.com")["ticket"]
            #expect(try server.redeemTicket(second, code: "open-sesame").status == 200)
        }
    }

    @Test func `while the e-mail waits in the queue, no code is compared or counted, and the link works`()
        async throws
    {
        try await TestServer.run(["LIMITS_FAILURES_PER_CLIENT": "1"]) { server in
            let asked = try server.askForLink("ann@example.com")
            try server.waitUntilMailsAreFinished()
            try server.withDatabase { try $0.execute("UPDATE tickets SET mail_state = 'queued'") }
            for code in [asked.mail.digits, asked.wrongCode, "x", asked.wrongCode, asked.wrongCode] {
                let body: JSONValue = ["ticket": .string(asked.ticket), "code": .string(code)]
                let answer = try server.callOnce("accounts:signInWithTicket", bytes: body.serialized())
                #expect(answer.status == 400 && answer.code == "MAIL_PENDING", "\(answer.text)")
                #expect(answer.header("retry-after") == "1")
            }
            let counted = try server.withDatabase { transaction in
                try transaction.first("SELECT wrong_codes FROM tickets") { try $0.integer(0) }
            }
            #expect(counted == 0)
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_PENDING", "waiting is not about the code")
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
        }
    }

    @Test func `a code that was e-mailed before the upgrade still works, and so do its approval digits`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            let old = try server.makeOldForm(asked)
            #expect(old.code.utf8.count == 6)
            #expect(try server.open(asked.mail.link).text.contains(">\(old.code)<"))
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).code == "INVALID_SIGN_IN_CODE")
            #expect(try server.redeemTicket(asked.ticket, code: old.code).status == 200)

            let waiting = try server.askForLink("ben@example.com")
            let digits = try server.makeOldForm(waiting).confirmation
            _ = try server.redeemTicket(waiting.ticket)
            #expect(try server.answerLink(waiting.oobCode, "approve", "&confirmation=\(digits)").status == 200)
            #expect(try server.redeemTicket(waiting.ticket).status == 200)
        }
    }
}
