import Accounts
import Database
import Foundation
import JSON
import SMTPHarness
import Server
import Testing
import Tokens

@Suite("Reports of failed deliveries")
struct BounceTests {
    private static let key = "an-administrators-key-of-the-tests-0123456789"

    /// A report as Postfix sends it.
    private static func report(
        _ messageID: String,
        to recipient: String = "gone@example.com",
        status: String = "5.1.1",
        action: String = "failed"
    ) -> [UInt8] {
        let text = """
            Return-Path: <>
            From: MAILER-DAEMON@mx.example.net (Mail Delivery System)
            Subject: Undelivered Mail Returned to Sender
            To: no-reply@example.com
            MIME-Version: 1.0
            Content-Type: multipart/report; report-type=delivery-status;
            \tboundary="4F5A.1764/mx.example.net"
            Message-Id: <20261125.4F5A@mx.example.net>

            This is a MIME-encapsulated message.

            --4F5A.1764/mx.example.net
            Content-Description: Notification
            Content-Type: text/plain; charset=us-ascii

            <\(recipient)>: host mx.example.net said: 550 5.1.1 User unknown

            --4F5A.1764/mx.example.net
            Content-Description: Delivery report
            Content-Type: message/delivery-status

            Reporting-MTA: dns; mx.example.net
            X-Postfix-Queue-ID: 4F5A

            Final-Recipient: rfc822; \(recipient)
            Original-Recipient: rfc822;\(recipient)
            Action: \(action)
            Status: \(status)
            Remote-MTA: dns; mx.example.net
            Diagnostic-Code: smtp; 550 5.1.1 <\(recipient)>: Recipient address
                rejected: User unknown

            --4F5A.1764/mx.example.net
            Content-Description: Undelivered Message
            Content-Type: message/rfc822

            From: Example <no-reply@example.com>
            To: \(recipient)
            Message-ID: \(messageID)
            Subject: Sign in

            The text.
            --4F5A.1764/mx.example.net--
            """
        return Array(text.replacing("\n", with: "\r\n").utf8)
    }

    private static func messageID(_ mail: Mail) throws -> String {
        let line = try #require(mail.raw.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Message-ID: ") })
        return String(line.dropFirst("Message-ID: ".count))
    }

    @Test func `a report of 5.1.1 is traced without addresses, and pauses the address for 30 days`() async throws {
        try await TestServer.runInProduction { server in
            let asked = try server.askForLink("gone@example.com")
            try server.waitUntilMailsAreFinished()
            let id = try Self.messageID(asked.mail)
            try server.withOperator { desk throws in
                #expect(try desk.recordBounce(Self.report(id)).map(\.outcome) == ["suppressed"])
                #expect(try desk.recordBounce(Self.report(id)).map(\.outcome) == ["repeated"])
                let trace = try desk.trace("gone@example.com")
                let bounced = try #require(trace.items.first?.events.last)
                #expect(bounced.event == "bounced")
                #expect(
                    bounced.detail == "5.1.1 550 5.1.1 [address]: Recipient address rejected: User unknown",
                    "\(bounced.detail ?? "")"
                )
                #expect(trace.suppressedUntil != nil && trace.advice?.contains("latchkey mail allow") == true)
            }
            let answer = try server.call(
                "accounts:sendOobCode",
                ["requestType": "EMAIL_SIGNIN", "email": "gone@example.com"]
            )
            try server.eventually("nothing is sent") {
                try server.redeemTicket(answer["ticket"]).code == "MAIL_FAILED"
            }
            #expect(try server.messages().count == 1)
            try server.withOperator { desk throws in
                #expect(try desk.trace("gone@example.com").items[0].events.map(\.event) == ["queued", "suppressed"])
                #expect(try desk.allowMails(to: "gone@example.com").wasSuppressed)
                #expect(try !desk.allowMails(to: "gone@example.com").wasSuppressed)
                #expect(try desk.trace("gone@example.com").items[0].events.map(\.event) == ["allowed"])
            }
            _ = try server.askForLink("gone@example.com")
        }
    }

    @Test(arguments: [
        ("4.2.2", "failed", "gone@example.com", ["traced"]), ("5.2.1", "failed", "gone@example.com", ["traced"]),
        ("5.1.8", "failed", "gone@example.com", ["traced"]), ("5.1.1", "delayed", "gone@example.com", []),
        ("5.1.1", "failed", "forwarded@example.net", ["traced"]), ("no status", "failed", "gone@example.com", []),
    ])
    func `other failures are only traced`(
        status: String,
        action: String,
        recipient: String,
        outcomes: [String]
    ) async throws {
        try await TestServer.runInProduction { server in
            let asked = try server.askForLink("gone@example.com")
            try server.waitUntilMailsAreFinished()
            let report = Self.report(try Self.messageID(asked.mail), to: recipient, status: status, action: action)
            try server.withOperator { desk throws in
                #expect(try desk.recordBounce(report).map(\.outcome) == outcomes)
                #expect(try desk.trace("gone@example.com").suppressedUntil == nil)
            }
        }
    }

    @Test func `forged reports change nothing, one or ten thousand`() async throws {
        try await TestServer.runInProduction { server in
            let asked = try server.askForLink("gone@example.com")
            try server.waitUntilMailsAreFinished()
            let id = try Self.messageID(asked.mail)
            let foreign = AccountFlows(
                policy: Policy(),
                secrets: try ServerSecrets(text: "another-installation-with-its-own-secret-0001")
            )
            let mail = String(id.dropFirst().prefix { $0 != "." })
            let others = try foreign.messageProof(of: mail)
            try server.withOperator { desk throws in
                let whole = String(decoding: Self.report(id), as: UTF8.self)
                let forged: [[UInt8]] = [
                    Self.report("<\(mail)@example.com>"), Self.report("<\(mail).@example.com>"),
                    Self.report("<\(mail).\(others)@example.com>"),
                    Self.report(id.replacing(mail.prefix(4), with: "AAAA")), Self.report("<a@b>"), Self.report(""),
                    [], Array("\r\n".utf8), Array(whole.replacing("multipart/report", with: "multipart/mixed").utf8),
                    Array(whole.replacing("boundary", with: "border").utf8), Array(whole.prefix(600).utf8),
                    [UInt8](repeating: 0xFF, count: 100_000), Array(repeating: UInt8(ascii: "\n"), count: 1 << 20),
                ]
                for (number, report) in forged.enumerated() {
                    #expect(try desk.recordBounce(report).isEmpty, "\(number)")
                }
                let place = try #require(whole.range(of: id))
                let head = Array(whole[..<place.lowerBound].utf8), tail = Array(whole[place.upperBound...].utf8)
                for number in 0..<10_000 {
                    let forged = Array("<\(mail).\(number)@example.com>".utf8)
                    let outcome = try desk.recordBounce(head + forged + tail)
                    if !outcome.isEmpty { Issue.record("\(number)") }
                }
                let trace = try desk.trace("gone@example.com")
                #expect(trace.suppressedUntil == nil && trace.items.count == 1)
                #expect(trace.items[0].events.map(\.event) == ["queued", "sent"])
            }
        }
    }

    @Test func `the administrator's key reports events as JSON, and nobody else`() async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": Self.key]) { server in
            let asked = try server.askForLink("gone@example.com")
            try server.waitUntilMailsAreFinished()
            let id = try Self.messageID(asked.mail)
            func post(_ events: [JSONValue], as bearer: String?) throws -> Answer {
                try server.send(
                    "POST",
                    "/v1/projects/demo-latchkey/mail:events",
                    headers: ["Content-Type: application/json"]
                        + (bearer.map { ["Authorization: Bearer \($0)"] } ?? []),
                    body: (["events": .array(events)] as JSONValue).serialized()
                )
            }
            func event(_ id: String, _ status: String = "5.1.1") -> JSONValue {
                [
                    "type": "failed", "messageId": .string(id), "status": .string(status),
                    "recipient": "gone@example.com",
                    "detail": "550 5.1.1 no gone@example.com here",
                ]
            }
            #expect(try post([event(id)], as: nil).status == 403)
            #expect(try post([event(id)], as: "another-key").status >= 400)
            for wrong: [JSONValue] in [[], [["type": "opened"]], [event(id, "bad")], [event("")], [1]] {
                #expect(try post(wrong, as: Self.key).status == 400, "\(wrong)")
            }
            let many = [JSONValue](repeating: event("<a.b@example.com>"), count: 1000)
            #expect(try post(many, as: Self.key).json["events"]?.array?.count == 1000)
            #expect(try post(many + many, as: Self.key).status == 400)
            let answer = try post([event("<a.b@example.com>"), event(id), event(id)], as: Self.key)
            let outcomes = answer.json["events"]?.array?.compactMap { $0["outcome"]?.string }
            #expect(outcomes == ["unknown", "suppressed", "repeated"], "\(answer.text)")
            #expect(server.log.contains("mail.events") && !server.log.contains("gone@"))
            try server.withOperator { desk throws in
                let bounced = try desk.trace("gone@example.com").items[0].events.last
                #expect(bounced?.detail == "5.1.1 550 5.1.1 no [address] here")
            }
        }
    }

    @Test func `the trace of a refused e-mail shows the relay's whole reply, and each attempt before`() async throws {
        try await TestServer.runInProduction { server in
            let reply = SMTPReply(
                550,
                "5.1.1",
                lines: [
                    "The account gone@example.com", "does not exist. See https://example.net/?u=gone%40example.com",
                ]
            )
            server.smtp?.faults = FaultPlan([.init(at: .recipient, .reply(reply))])
            _ = try server.call("accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": "gone@example.com"])
            try server.waitUntilMailsAreFinished()
            try server.withOperator { desk throws in
                let trace = try desk.trace("gone@example.com")
                #expect(trace.items[0].events.map(\.event) == ["queued", "failed"])
                let detail = try #require(trace.items[0].events[1].detail)
                #expect(detail.contains("550 5.1.1 The account [address] does not exist. See [address]"), "\(detail)")
                let id = try #require(trace.items[0].events[1].mail)
                let mail = try desk.mail(id)
                #expect(mail.attempts == 1, "the attempt that was refused counts")
            }
        }
    }
}
