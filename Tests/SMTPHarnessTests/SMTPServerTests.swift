import SMTPHarness
import Testing

@Suite("The server") struct SMTPServerTests {
    @Test func `fifty clients at once all get through`() async throws {
        try await withServer { (server) async throws in
            let clients = try (0..<50).map { _ in try RawClient(port: server.port) }
            for client in clients { #expect(try client.reply().hasPrefix("220")) }
            #expect(server.statistics.openConnections == 50)
            for client in clients { try client.send("EHLO x\r\nMAIL FROM:<a@example.org>\r\n") }
            for (number, client) in clients.enumerated() {
                try client.send("RCPT TO:<r\(number)@example.org>\r\nDATA\r\n")
            }
            for client in clients { #expect(try client.replies(4).last?.hasPrefix("354") == true) }
            for client in clients.reversed() { try client.send("x\r\n.\r\nQUIT\r\n") }
            for client in clients { #expect(try client.replies(2).map { $0.prefix(3) } == ["250", "221"]) }
            #expect(Set(server.messages.flatMap(\.recipients)).count == 50)
            #expect(Set(server.messages.map(\.id)).count == 50)
            #expect(server.messages.map(\.sequence) == Array(1...50))
        }
    }

    @Test func `two hundred messages from several real clients are all kept`() async throws {
        let script = """
            import smtplib, sys, threading
            port = int(sys.argv[1])
            def work(worker):
                with smtplib.SMTP('127.0.0.1', port, timeout=20) as smtp:
                    for number in range(25):
                        smtp.sendmail('a@example.org', ['r%d-%d@example.org' % (worker, number)], 'Subject: s\\r\\n\\r\\n' + 'line\\r\\n' * 500)
            threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            """
        try await withServer { (server) async throws in
            let python = try await Tool.python(script, ["\(server.port)"])
            #expect(python.status == 0, "\(python.errors)")
            #expect(Set(server.messages.flatMap(\.recipients)).count == 200)
            #expect(server.messages.allSatisfy { $0.raw.count == 14 + 6 * 500 })
            #expect(server.statistics.messages == 200)
            #expect(server.statistics.connections == 8)
        }
    }

    @Test func `the harness turns away more connections than allowed, and serves again when one ends`() async throws {
        try await withServer({ $0.maximumConnections = 2 }) { (server) async throws in
            let first = try RawClient(port: server.port)
            let second = try RawClient(port: server.port)
            _ = try (first.reply(), second.reply())
            let third = try RawClient(port: server.port)
            #expect(try third.reply() == "421 4.7.0 Too many connections")
            #expect(third.isEnded)
            #expect(try first.ask("QUIT").hasPrefix("221"))
            #expect(first.isEnded)
            try await eventually { server.statistics.openConnections == 1 }
            #expect(try RawClient(port: server.port).reply().hasPrefix("220"))
            #expect(server.statistics.turnedAway == 1)
        }
    }

    @Test func `says 421 to a silent client and to one that sends byte by byte for ever`() async throws {
        try await withServer({ $0.idleTimeout = .milliseconds(200) }) { (server) async throws in
            let client = try RawClient(port: server.port)
            #expect(try client.replies(2).last?.hasPrefix("421 4.4.2") == true)
            #expect(client.isEnded)
        }
    }

    @Test func `stop ends every connection soon, hanging and slow ones too`() async throws {
        for plan in [FaultPlan.none, .hanging(at: .greeting), .slow(.seconds(60))] {
            let server = try SMTPServer()
            server.faults = plan
            try server.start()
            let clients = try (0..<5).map { _ in try RawClient(port: server.port) }
            try await eventually { server.statistics.openConnections == 5 }
            #expect(ContinuousClock().measure { server.stop() } < .seconds(15))
            #expect(server.statistics.openConnections == 0)
            for client in clients { #expect(client.isEnded) }
            // Whether the port is free again cannot be checked here, because another test may use it by now.
            server.stop()
        }
    }

    @Test func `a forgotten server stops by itself`() async throws {
        var server: SMTPServer? = try SMTPServer()
        let port = try server?.start() ?? 0
        #expect(try RawClient(port: port).reply().hasPrefix("220"))
        server = nil
        try await eventually { (try? RawClient(port: port)) == nil }
    }

    @Test func `the harness binds another port when its own is in use, if it may`() async throws {
        try await withServer { first in
            var configuration = SMTPServer.Configuration.mailbox(port: first.port)
            let second = try SMTPServer(configuration)
            try second.start()
            defer { second.stop() }
            #expect(second.usesFallbackPort)
            #expect(second.port != first.port && second.port != 0)
            #expect(try RawClient(port: second.port).reply().hasPrefix("220"))
            #expect(!first.usesFallbackPort)
            configuration.fallsBackToFreePort = false
            let third = try SMTPServer(configuration)
            let error = #expect(throws: SMTPServerError.self) { try third.start() }
            #expect(error?.description.hasPrefix("bind: ") == true || error?.description.hasPrefix("listen: ") == true)
        }
    }

    @Test func `says what is wrong with its address and does not start twice`() async throws {
        var configuration = SMTPServer.Configuration()
        configuration.address = "localhost"
        #expect(throws: SMTPServerError.badAddress("localhost")) { try SMTPServer(configuration).start() }
        try await withServer { (server) async throws in
            #expect(throws: SMTPServerError.alreadyStarted) { try server.start() }
        }
    }

    @Test func `keeps the newest messages within its bounds`() async throws {
        try await withServer({
            $0.maximumMessages = 5
            $0.maximumKeptOctets = 1000
        }) { (server) async throws in
            let client = try RawClient(port: server.port)
            try client.begin()
            for number in 1...20 {
                if number > 1 { try client.sendEnvelope() }
                _ = try client.ask("DATA")
                _ = try client.ask("message \(number)\r\n.")
            }
            #expect(server.messages.map(\.sequence) == [16, 17, 18, 19, 20])
            try client.sendEnvelope()
            _ = try client.ask("DATA")
            _ = try client.ask(String(repeating: String(repeating: "x", count: 80) + "\r\n", count: 100) + ".")
            #expect(server.messages.map(\.sequence) == [21])
            server.clear()
            #expect(server.messages == [])
            #expect(server.statistics.messages == 21)
        }
    }

    @Test func `waiting finds kept and coming messages, the next one after another, and gives up`() async throws {
        try await withServer { (server) async throws in
            async let coming = server.waitForMessage(to: "b@example.org", timeout: .seconds(10))
            #expect(try await Tool.curl(port: server.port, to: ["other@example.org"]).status == 0)
            #expect(try await Tool.curl(port: server.port, to: ["b@example.org"]).status == 0)
            let first = try await coming
            #expect(first.sequence == 2)
            #expect(try await server.waitForMessage(to: "b@example.org") == first)
            async let next = server.waitForMessage(to: "b@example.org", after: first.sequence)
            #expect(try await Tool.curl(port: server.port, to: ["b@example.org"]).status == 0)
            #expect(try await next.sequence == 3)
            await #expect(throws: SMTPServerError.noMessage(waitedFor: .milliseconds(50))) {
                try await server.waitForMessage(to: "nobody@example.org", timeout: .milliseconds(50))
            }
            await #expect(throws: SMTPServerError.self) {
                try await server.waitForMessage(timeout: .milliseconds(50), where: { $0.raw.isEmpty })
            }
        }
    }

    @Test func `a cancelled wait ends at once`() async throws {
        try await withServer { (server) async throws in
            let wait = Task { try await server.waitForMessage(timeout: .seconds(60)) }
            wait.cancel()
            await #expect(throws: CancellationError.self) { try await wait.value }
        }
    }

    @Test func `a stream and a callback see every new message`() async throws {
        try await withServer { (server) async throws in
            var seen: [Int] = []
            let stream = server.newMessages()
            let callback = CallbackLog()
            server.onMessage { callback.add($0.sequence) }
            for _ in 0..<3 { #expect(try await Tool.curl(port: server.port).status == 0) }
            for await message in stream {
                seen.append(message.sequence)
                if message.sequence == 3 { break }
            }
            #expect(seen == [1, 2, 3])
            #expect(callback.numbers == [1, 2, 3])
        }
    }
}

extension RawClient {
    func sendEnvelope() throws {
        _ = try ask("MAIL FROM:<a@example.org>")
        _ = try ask("RCPT TO:<b@example.org>")
    }
}

/// Waits, for a bounded time, until a condition holds.
func eventually(_ condition: () -> Bool) async throws {
    for _ in 0..<500 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
    #expect(condition())
}
