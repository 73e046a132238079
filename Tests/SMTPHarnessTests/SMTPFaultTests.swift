import SMTPHarness
import Testing

@Suite("Faults") struct SMTPFaultTests {
    @Test func `refused connections are refused, and work again afterwards on the same port`() async throws {
        try await withServer { (server) async throws in
            for _ in 0..<5 {
                server.faults = .refusingConnections
                let error = #expect(throws: RawClient.Failed.self) { try RawClient(port: server.port) }
                #expect(error?.isRefused == true)
                server.faults = .none
                #expect(try RawClient(port: server.port).reply() == "220 localhost ESMTP Latchkey")
            }
            // 7: "failed to connect".
            server.faults = .refusingConnections
            #expect(try await Tool.curl(port: server.port).status == 7)
            server.faults = .none
            #expect(try await Tool.curl(port: server.port).status == 0)
        }
    }

    @Test func `a server may refuse from the start`() async throws {
        try await withServer(faults: .refusingConnections) { (server) async throws in
            #expect(throws: RawClient.Failed.self) { try RawClient(port: server.port) }
            server.faults = .none
            #expect(try RawClient(port: server.port).reply().hasPrefix("220"))
        }
    }

    @Test func `refusing leaves open connections alone`() async throws {
        try await withServer { (server) async throws in
            let client = try RawClient(port: server.port)
            _ = try client.reply()
            server.faults = .refusingConnections
            #expect(try client.ask("NOOP") == "250 2.0.0 Ok")
        }
    }

    @Test func `an unavailable server greets with 421 and closes`() async throws {
        try await withServer(faults: .unavailable(first: 1)) { (server) async throws in
            let client = try RawClient(port: server.port)
            #expect(try client.reply().hasPrefix("421 4.3.2"))
            #expect(client.isEnded)
            #expect(try await Tool.curl(port: server.port).status == 0)
        }
    }

    @Test(arguments: [FaultPlan.Step.hello, .sender, .recipient, .data, .messageEnd])
    func `a transient failure at a step passes after the first n`(_ step: FaultPlan.Step) async throws {
        try await withServer(faults: .transient(451, at: step, first: 2)) { (server) async throws in
            for attempt in 1...3 {
                // smtplib, because curl sends HELO after a refused EHLO.
                let python = try await Self.send(server.port)
                #expect((python.status == 0) == (attempt == 3), "\(python.errors)")
                if attempt < 3 { #expect(python.output.contains("451")) }
            }
            #expect(server.messages.count == 1)
            #expect(server.faults.rules.first?.times == 0)
        }
    }

    @Test(arguments: [FaultPlan.Step.recipient, .messageEnd])
    func `a permanent failure stays`(_ step: FaultPlan.Step) async throws {
        try await withServer(faults: .permanent(550, at: step)) { (server) async throws in
            for _ in 0..<3 {
                let python = try await Self.send(server.port)
                #expect(python.status != 0)
                #expect(python.output.contains("550"))
            }
            #expect(server.messages == [])
        }
    }

    @Test func `one recipient of several can be refused`() async throws {
        try await withServer(faults: .permanent(550, recipient: "Gone@example.org")) { (server) async throws in
            let client = try RawClient(port: server.port)
            try client.begin(to: "b@example.org")
            #expect(try client.ask("RCPT TO:<gone@example.org>").hasPrefix("550"))
            #expect(try client.ask("RCPT TO:<c@example.org>").hasPrefix("250"))
            _ = try client.ask("DATA")
            #expect(try client.ask("x\r\n.").hasPrefix("250"))
            #expect(server.messages.first?.recipients == ["b@example.org", "c@example.org"])
        }
    }

    @Test(arguments: [FaultPlan.Step.greeting, .hello, .sender, .recipient, .data, .messageText, .messageEnd, .quit])
    func `a hanging server says nothing and does not close`(_ step: FaultPlan.Step) async throws {
        try await withServer(faults: .hanging(at: step, first: 1)) { (server) async throws in
            let client = try RawClient(port: server.port)
            try client.send(
                "EHLO x\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<b@example.org>\r\nDATA\r\nx\r\n.\r\nQUIT\r\n"
            )
            let order: [FaultPlan.Step] = [.greeting, .hello, .sender, .recipient, .data, .messageEnd, .quit]
            let heard = step == .messageText ? 5 : order.firstIndex(of: step) ?? -1
            if heard > 0 { #expect(try client.replies(heard).count == heard) }
            try client.shorten(to: .milliseconds(300))
            let error = #expect(throws: RawClient.Failed.self) { try client.receive() }
            #expect(error?.isTimeout == true)
            #expect(server.messages.count == (step == .quit ? 1 : 0))
            // Other clients are served meanwhile.
            #expect(try await Tool.curl(port: server.port).status == 0)
        }
    }

    @Test(arguments: [FaultPlan.Step.greeting, .hello, .sender, .recipient, .data, .messageEnd])
    func `a dropped connection is reset`(_ step: FaultPlan.Step) async throws {
        try await withServer(faults: .dropping(at: step, first: 1)) { (server) async throws in
            let python = try await Self.send(server.port)
            #expect(python.status != 0)
            #expect(server.messages == [])
            #expect(try await Self.send(server.port).status == 0)
        }
    }

    @Test func `a drop in the middle of the text keeps nothing`() async throws {
        try await withServer(faults: .droppingMidData(after: 1000, first: 1)) { (server) async throws in
            let client = try RawClient(port: server.port)
            try client.begin()
            _ = try client.ask("DATA")
            try client.send(String(repeating: "x", count: 78) + "\r\n")
            #expect(try server.statistics.openConnections == 1 && client.isStillOpen())
            // The rest may meet the reset on its way.
            try? client.send(String(repeating: String(repeating: "x", count: 78) + "\r\n", count: 100) + ".\r\n")
            #expect(client.isEnded)
            #expect(server.messages == [])
            #expect(try await Tool.curl(port: server.port).status == 0)
        }
    }

    @Test func `a drop in the middle meets a shorter text at its end`() async throws {
        try await withServer(faults: .droppingMidData(after: 1000)) { (server) async throws in
            let client = try RawClient(port: server.port)
            try client.begin()
            _ = try client.ask("DATA")
            try client.send("x\r\n.\r\n")
            #expect(client.isEnded)
            #expect(server.messages == [])
        }
    }

    @Test(arguments: [true, false])
    func `a drop after the final dot gives no reply and keeps the message or not`(_ kept: Bool) async throws {
        try await withServer(faults: .droppingAfterData(kept: kept, first: 1)) { (server) async throws in
            let client = try RawClient(port: server.port)
            try client.begin()
            _ = try client.ask("DATA")
            try client.send("x\r\n.\r\n")
            #expect(client.isEnded)
            #expect(server.messages.count == (kept ? 1 : 0))
            #expect(try await Tool.curl(port: server.port).status == 0)
            #expect(server.messages.count == (kept ? 2 : 1))
        }
    }

    @Test func `slow replies come late, each`() async throws {
        try await withServer(faults: .slow(.milliseconds(100))) { (server) async throws in
            let clock = ContinuousClock()
            let client = try RawClient(port: server.port)
            let time = try clock.measure {
                _ = try client.reply()
                try client.send("NOOP\r\nNOOP\r\n")
                _ = try client.replies(2)
            }
            #expect(time >= .milliseconds(300) && time < .seconds(15))
        }
    }

    @Test func `STARTTLS can be withheld`() async throws {
        try await withServer({ $0.security = .startTLS }, faults: .withoutStartTLS) { (server) async throws in
            // 64: "requested FTP SSL level failed", which curl uses for SMTP too.
            #expect(try await Tool.curl(port: server.port, ["--ssl-reqd"]).status == 64)
            #expect(server.messages == [])
            server.faults = .none
            #expect(try await Tool.curl(port: server.port, ["--ssl-reqd", "--insecure"]).status == 0)
        }
    }

    @Test(arguments: [FaultPlan.Fault.drop, .hang])
    func `the TLS handshake can fail`(_ fault: FaultPlan.Fault) async throws {
        let plan = FaultPlan([.init(at: .tlsHandshake, fault, times: 1)])
        try await withServer({ $0.security = .startTLS }, faults: plan) { (server) async throws in
            let options = ["--ssl-reqd", "--insecure"]
            // Only a hanging handshake lasts until the limit.
            var limit: [String] = []
            if case .hang = fault { limit = ["--max-time", "5"] }
            #expect(try await Tool.curl(port: server.port, options + limit).status != 0)
            #expect(try await Tool.curl(port: server.port, options).status == 0)
        }
    }

    @Test func `AUTH can be refused`() async throws {
        try await withServer({ $0.policy.users = ["app": "s3cret"] }, faults: .refusingAuthentication(first: 1)) {
            (server) async throws in
            #expect(try await Tool.curl(port: server.port, ["--user", "app:s3cret"]).status == 67)
            #expect(try await Tool.curl(port: server.port, ["--user", "app:s3cret"]).status == 0)
        }
    }

    @Test func `rules count across connections and pass the first ones`() async throws {
        let plan = FaultPlan([.init(at: .noop, .reply(SMTPReply(450, "4.0.0", "no")), passes: 1, times: 2)])
        try await withServer(faults: plan) { (server) async throws in
            var codes: [String] = []
            for _ in 0..<4 {
                let client = try RawClient(port: server.port)
                _ = try client.reply()
                codes.append(String(try client.ask("NOOP").prefix(3)))
            }
            #expect(codes == ["250", "450", "450", "250"])
        }
    }

    /// Sends one message by smtplib, and prints the code of the reply.
    static func send(_ port: UInt16) async throws -> Tool {
        try await Tool.python(
            """
            import smtplib, sys
            try:
                with smtplib.SMTP('127.0.0.1', int(sys.argv[1]), timeout=30) as smtp:
                    code, _ = smtp.ehlo()
                    if code >= 400: print(code); sys.exit(1)
                    smtp.sendmail('a@example.org', ['b@example.org'], 'x\\r\\n')
            except smtplib.SMTPResponseException as error:
                print(error.smtp_code); sys.exit(1)
            except smtplib.SMTPRecipientsRefused as error:
                print([code for code, _ in error.recipients.values()]); sys.exit(1)
            """,
            ["\(port)"]
        )
    }
}

extension RawClient {
    /// Whether nothing arrives and the connection does not end within 100 ms.
    func isStillOpen() throws -> Bool {
        try shorten(to: .milliseconds(100))
        defer { try? shorten(to: .seconds(20)) }
        do {
            return try receive() != nil
        } catch let error as Failed {
            return error.isTimeout
        }
    }
}
