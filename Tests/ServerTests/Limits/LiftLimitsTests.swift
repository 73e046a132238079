import Foundation
import JSON
import SMTPHarness
import Server
import Testing

@Suite("Lifting limits")
struct LiftLimitsTests {
    private static func ask(_ server: TestServer, _ email: String, from client: String) throws -> Int {
        try server.call(
            "accounts:sendOobCode",
            ["requestType": "EMAIL_SIGNIN", "email": .string(email)],
            from: client
        ).status
    }

    private static func lifted(_ server: TestServer) throws -> [String] {
        var lines: [String] = []
        try server.withOperator { desk in
            lines = try desk.audit(.init(), limit: 50).items.filter { $0.event == "limits.lifted" }
                .reversed().map { "\($0.uid ?? "–") \($0.detail ?? "")" }
        }
        return lines
    }

    @Test func `the e-mails of an address count from zero again, and those of others do not`() async throws {
        try await TestServer.run(["LIMITS_MAILS_PER_ADDRESS": "2"]) { server in
            let uid = try server.create(["email": "ann@example.com"])
            for email in ["ann@example.com", "bob@example.com"] {
                #expect(try Self.ask(server, email, from: "127.0.0.2") == 200)
                #expect(try Self.ask(server, email, from: "127.0.0.2") == 429)
            }
            try server.withOperator { desk in
                let report = try desk.lift("ann@example.com")
                #expect(report.counters > 0 && !report.suppression)
            }
            #expect(try Self.ask(server, "ann@example.com", from: "127.0.0.2") == 200)
            #expect(try Self.ask(server, "bob@example.com", from: "127.0.0.2") == 429)
            #expect(try Self.ask(server, "ann@example.com", from: "127.0.0.2") == 429)
            try server.withOperator { _ = try $0.lift(uid) }
            #expect(try Self.ask(server, "ann@example.com", from: "127.0.0.2") == 200)
            let lines = try Self.lifted(server)
            #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix(uid) }, "\(lines)")
            #expect(!lines.joined().contains("example"))
        }
    }

    @Test func `a network's clients count from zero again, in the database and in memory`() async throws {
        let settings = ["LIMITS_MAILS_PER_CLIENT": "1", "LIMITS_GUESTS_PER_CLIENT": "1"]
        try await TestServer.run(settings) { server in
            func guest(_ client: String) throws -> Int {
                try server.call("accounts:signUp", from: client).status
            }
            for client in ["127.0.0.7", "127.0.0.9"] {
                #expect(try Self.ask(server, "a@example.com", from: client) == 200)
                #expect(try Self.ask(server, "b@example.com", from: client) == 429)
                #expect(try guest(client) == 200)
                #expect(try guest(client) == 429)
            }
            server.clock.advance(seconds: 1)
            try server.withOperator { _ = try $0.lift("127.0.0.7") }
            try server.eventually("the node has noticed") { try guest("127.0.0.7") == 200 }
            #expect(try Self.ask(server, "b@example.com", from: "127.0.0.7") == 200)
            #expect(try guest("127.0.0.9") == 429)
            #expect(try Self.ask(server, "b@example.com", from: "127.0.0.9") == 429)
            #expect(try guest("127.0.0.7") == 429, "limits count again")
            let lines = try Self.lifted(server)
            #expect(lines.count == 1 && lines[0].hasPrefix("– network ") && !lines[0].contains("127.0"), "\(lines)")
            try server.withOperator { desk in
                for subject in ["192.0.2.0/23", "2001:db8::/48", "nobody", "192.0.2.0/x"] {
                    #expect(throws: Operator.Failure.self) { try desk.lift(subject) }
                }
            }
        }
    }

    @Test func `a suppressed address gets e-mails again, and a denial ends`() async throws {
        try await TestServer.runInProduction { server in
            server.smtp?.faults = .permanent(550, at: .recipient)
            let asked = try server.call(
                "accounts:sendOobCode",
                ["requestType": "EMAIL_SIGNIN", "email": "x@example.com"]
            )
            try server.eventually("it failed") { try server.redeemTicket(asked["ticket"]).code == "MAIL_FAILED" }
            server.smtp?.faults = .none
            try server.withOperator { desk in
                let report = try desk.lift("x@example.com")
                #expect(report.suppression)
            }
            let mail = try server.askForLink("x@example.com")
            #expect(try server.denyLink(mail.oobCode).status == 200)
            func ask() throws -> Int {
                try server.call("accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": "x@example.com"])
                    .status
            }
            #expect(try ask() == 429)
            try server.withOperator { _ = try $0.lift("x@example.com") }
            #expect(try ask() == 200)
        }
    }
}
