import Database
import JSON
import SMTPHarness
import Server
import Testing

@Suite("Mailboxes that do not exist")
struct SuppressionTests {
    private static let key = "an-administrators-key-of-the-tests-0123456789"

    private static func ask(_ server: TestServer, headers: [String] = []) throws -> Answer {
        let answer = try server.call(
            "accounts:sendOobCode",
            ["requestType": "EMAIL_SIGNIN", "email": "gone@example.com"],
            headers: headers
        )
        #expect(answer.status == 200, "requests answer as always: \(answer.text)")
        return answer
    }

    private static func expectFailure(_ answer: Answer, _ server: TestServer) throws {
        try server.eventually("the ticket says so") {
            try server.redeemTicket(answer["ticket"]).code == "MAIL_FAILED"
        }
    }

    /// Returns how often the mail server was asked about a recipient.
    private static func asked(_ server: TestServer) -> Int { server.smtp?.statistics.connections ?? 0 }

    /// Makes the mail server report that the mailbox does not exist, and returns the e-mail's id.
    private static func refuse(_ server: TestServer) throws -> String {
        server.smtp?.faults = .permanent(550, at: .recipient)
        try expectFailure(try ask(server), server)
        server.smtp?.faults = .none
        return try newest(server)
    }

    private static func newest(_ server: TestServer) throws -> String {
        try server.withDatabase { transaction in
            try transaction.first("SELECT mail FROM outbox ORDER BY id DESC LIMIT 1") { try $0.text(0) } ?? ""
        }
    }

    @Test func `mails to a mailbox that does not exist are sent again only after 30 days`() async throws {
        try await TestServer.runInProduction { server in
            _ = try Self.refuse(server)
            try Self.expectFailure(try Self.ask(server), server)
            #expect(try server.messages().isEmpty, "nothing was sent")
            let mail = try Self.newest(server)
            try server.withOperator { desk in
                let report = try desk.mail(mail)
                #expect(report.reason?.contains("no such mailbox") == true)
            }
            server.clock.advance(seconds: 29 * 86_400)
            try Self.expectFailure(try Self.ask(server), server)
            server.clock.advance(seconds: 86_400)
            _ = try Self.ask(server)
            #expect(try server.message(after: 0).to == "gone@example.com")
        }
    }

    @Test func `a mail that was not sent does not prolong the 30 days`() async throws {
        try await TestServer.runInProduction { server in
            _ = try Self.refuse(server)
            server.clock.advance(seconds: 29 * 86_400)
            try Self.expectFailure(try Self.ask(server), server)
            server.clock.advance(seconds: 86_500)
            _ = try Self.ask(server)
            #expect(try server.message(after: 0).to == "gone@example.com")
        }
    }

    @Test(arguments: [(FaultPlan.Step.recipient, "5.7.1"), (.recipient, "5.2.1"), (.messageEnd, "5.1.1")])
    func `another refusal stops no later mail`(step: FaultPlan.Step, enhanced: String) async throws {
        try await TestServer.runInProduction { server in
            server.smtp?.faults = FaultPlan([.init(at: step, .reply(SMTPReply(550, enhanced, "Not taken")))])
            try Self.expectFailure(try Self.ask(server), server)
            server.smtp?.faults = .none
            _ = try Self.ask(server)
            #expect(try server.message(after: 0).to == "gone@example.com")
        }
    }

    @Test(arguments: [true, false])
    func `the operator's retry of a failed mail lets mails go to its address again`(isFirst: Bool) async throws {
        try await TestServer.runInProduction { server in
            var mail = try Self.refuse(server)
            if !isFirst {
                try Self.expectFailure(try Self.ask(server), server)
                mail = try Self.newest(server)
            }
            try server.withOperator { desk in
                let retried = try desk.retryMail(mail)
                #expect(retried == .mailboxReleased)
            }
            _ = try Self.ask(server)
            #expect(try server.message(after: 0).to == "gone@example.com")
            try server.waitUntilMailsAreFinished()
            let sent = try Self.newest(server)
            try server.withOperator { desk in #expect(throws: Operator.Failure.self) { try desk.retryMail(sent) } }
        }
    }

    @Test func `an administrator's mail is sent, and ends the 30 days`() async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": Self.key]) { server in
            _ = try Self.refuse(server)
            let answer = try server.admin(
                "accounts:sendOobCode",
                ["requestType": "EMAIL_SIGNIN", "email": "gone@example.com"],
                as: Self.key
            )
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try server.message(after: 0).to == "gone@example.com")
            _ = try Self.ask(server)
            #expect(try server.message(after: 1).to == "gone@example.com")
        }
    }

    @Test func `an address that has signed in before is tried once a day, and its answers tell nothing`() async throws {
        try await TestServer.runInProduction { server in
            _ = try server.signIn("gone@example.com")
            let known = try server.messages().count
            _ = try Self.refuse(server)
            try Self.expectFailure(try Self.ask(server), server)
            server.clock.advance(seconds: 86_400)
            // The mailbox does not exist yet, so nothing changes.
            server.smtp?.faults = .permanent(550, at: .recipient)
            try Self.expectFailure(try Self.ask(server), server)
            try server.waitUntilMailsAreFinished()
            server.smtp?.faults = .none
            try Self.expectFailure(try Self.ask(server), server)
            try server.waitUntilMailsAreFinished()
            #expect(try server.messages().count == known, "one try a day")
            server.clock.advance(seconds: 86_400)
            try Self.expectFailure(try Self.ask(server), server)
            #expect(try server.message(after: known).to == "gone@example.com", "the try of the second day is accepted")
            try server.waitUntilMailsAreFinished()
            let asked = try server.askForLink("gone@example.com")
            #expect(try server.redeem(asked.oobCode, "gone@example.com").status == 200, "the next request is as always")
        }
    }

    @Test func `an address that has never signed in is not tried before the 30 days are over`() async throws {
        try await TestServer.runInProduction { server in
            _ = try Self.refuse(server)
            for _ in 0..<3 {
                server.clock.advance(seconds: 86_400)
                try Self.expectFailure(try Self.ask(server), server)
            }
            #expect(try server.messages().isEmpty)
        }
    }

    @Test func `the database holds no address of a mailbox that does not exist`() async throws {
        try await TestServer.runInProduction { server in
            _ = try Self.refuse(server)
            let rows = try server.withDatabase { transaction in
                try transaction.all("SELECT mailbox FROM suppressed_mailboxes") { try $0.text(0) }
            }
            #expect(rows.count == 1 && rows.allSatisfy { !$0.contains("gone") && $0.count == 44 })
        }
    }
}
