import Foundation
import SMTPHarness
import Testing
import Transfer

@Suite("SMTP client", .timeLimit(.minutes(1)))
struct SMTPClientTests {
    @Test
    func `a mail arrives as text and HTML, quoted-printable, with our headers`() async throws {
        try await withServer { server, client in
            let text = "Grüße 🙂\n.leading dot\n" + String(repeating: "long ", count: 60) + "\nlast --"
            let mail = try SMTPMailTests.mail(
                headers: ["Subject: Hello\r\n again", "X-Own: 1", "MIME-Version: 1.0"],
                text: text
            )
            guard case .accepted(let reply) = await client.send(mail) else { throw Failed() }
            #expect(reply.code == 250)
            let message = try #require(server.messages.first)
            let raw = String(decoding: message.raw, as: UTF8.self)
            #expect(message.sender == "app@example.org")
            #expect(message.recipients == ["you@example.org"])
            #expect(!message.hasBareLineEnds)
            #expect(raw.contains("Subject: Hello\r\n again\r\nX-Own: 1\r\n"))
            #expect(raw.contains("Content-Type: multipart/alternative; boundary="))
            #expect(raw.components(separatedBy: "Content-Transfer-Encoding: quoted-printable").count == 3)
            #expect(raw.components(separatedBy: "MIME-Version").count == 2)
            #expect(raw.contains("Gr=C3=BC=C3=9Fe =F0=9F=99=82\r\n.leading dot\r\n"))
            let lines = raw.components(separatedBy: "\r\n").filter { !$0.hasPrefix("Content-Type: multipart") }
            #expect(lines.allSatisfy { $0.utf8.count <= 78 })
            let parts = try #require(raw.range(of: "text/plain; charset=utf-8")?.lowerBound)
            #expect(parts < (try #require(raw.range(of: "text/html; charset=utf-8")?.lowerBound)))
        }
    }

    @Test
    func `every kind of line end becomes CR LF`() async throws {
        try await withServer { server, client in
            _ = await client.send(try SMTPMailTests.mail(text: "a\nb\r\nc\rd\n\ne\n"))
            let message = try #require(server.messages.first)
            #expect(!message.hasBareLineEnds)
            #expect(String(decoding: message.raw, as: UTF8.self).contains("\r\n\r\na\r\nb\r\nc\r\nd\r\n\r\ne\r\n"))
        }
    }

    @Test
    func `one connection serves many mails, also beyond the time limit of one`() async throws {
        try await withServer(adjust: { $0.totalTimeout = 5000 }) { server, client in
            for _ in 0..<7 {
                guard case .accepted = await client.send(try SMTPMailTests.mail()) else { throw Failed() }
                try await Task.sleep(for: .seconds(1))
            }
            #expect(server.statistics.connections == 1)
            await client.close()
            guard case .accepted = await client.send(try SMTPMailTests.mail()) else { throw Failed() }
            #expect(server.statistics.connections == 2)
        }
    }

    @Test(arguments: [FaultPlan.dropping(at: .sender, first: 1), .transient(421, at: .sender, first: 1)])
    func `a kept connection that has ended is replaced at once`(_ fault: FaultPlan) async throws {
        try await withServer { server, client in
            _ = await client.send(try SMTPMailTests.mail())
            server.faults = fault
            guard case .accepted = await client.send(try SMTPMailTests.mail()) else { throw Failed() }
            #expect(server.messages.count == 2)
            #expect(server.statistics.connections == 2)
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let plan: FaultPlan
        let kind: SMTPFailure.Kind
        let step: SMTPStep
        var code: Int?
        var testDescription: String { "\(kind) at \(step) \(code.map { "\($0)" } ?? "silent")" }
    }

    @Test(arguments: [
        Fault(plan: .refusingConnections, kind: .unavailable, step: .connect),
        Fault(plan: .unavailable(), kind: .unavailable, step: .greeting, code: 421),
        Fault(plan: .permanent(554, at: .greeting), kind: .misconfigured, step: .greeting, code: 554),
        Fault(plan: .hanging(at: .greeting), kind: .unavailable, step: .connect),
        Fault(plan: .dropping(at: .hello), kind: .unavailable, step: .hello),
        Fault(plan: .transient(451, at: .sender), kind: .transient, step: .sender, code: 451),
        Fault(plan: .permanent(553, at: .sender), kind: .misconfigured, step: .sender, code: 553),
        Fault(plan: .permanent(550, at: .recipient), kind: .permanent, step: .recipient, code: 550),
        Fault(plan: .transient(450, at: .recipient), kind: .transient, step: .recipient, code: 450),
        Fault(plan: .hanging(at: .recipient), kind: .transient, step: .recipient),
        Fault(plan: .transient(451, at: .data), kind: .transient, step: .data, code: 451),
        Fault(plan: .permanent(554, at: .messageEnd), kind: .permanent, step: .message, code: 554),
        Fault(plan: .transient(451, at: .messageEnd), kind: .transient, step: .message, code: 451),
        Fault(plan: .hanging(at: .messageEnd), kind: .ambiguous, step: .message),
        Fault(plan: .droppingAfterData(kept: true), kind: .ambiguous, step: .message),
        Fault(plan: .droppingAfterData(kept: false), kind: .ambiguous, step: .message),
    ])
    func `each fault is told apart`(_ fault: Fault) async throws {
        try await withServer(adjust: { $0.totalTimeout = 5000 }) { server, client in
            server.faults = fault.plan
            guard case .failed(let failure) = await client.send(try SMTPMailTests.mail()) else { throw Failed() }
            #expect(failure.kind == fault.kind)
            #expect(failure.step == fault.step)
            #expect(failure.reply?.code == fault.code)
            #expect(!failure.description.contains("example.org"))
            server.faults = .none
            guard case .accepted = await client.send(try SMTPMailTests.mail()) else { throw Failed() }
        }
    }

    @Test
    func `a connection lost in the middle of a large message is no doubt about it`() async throws {
        try await withServer { server, client in
            server.faults = .droppingMidData(after: 1000)
            let mail = try SMTPMailTests.mail(text: String(repeating: "0123456789\n", count: 800_000))
            guard case .failed(let failure) = await client.send(mail) else { throw Failed() }
            #expect(failure.kind == .transient)
            #expect(failure.step == .message)
        }
    }

    @Test
    func `a silent server blocks no task`() async throws {
        try await withServer { server, _ in
            server.faults = .hanging(at: .recipient)
            let mail = try SMTPMailTests.mail()
            var configuration = try SMTPConfiguration(url: "smtp://127.0.0.1:\(server.port)")
            configuration.totalTimeout = 12_000
            let others = (0..<8).map { [configuration] _ in SMTPClient(configuration) }
            await withTaskGroup { group in
                let start = ContinuousClock.now
                for other in others { group.addTask { _ = await other.send(mail) } }
                try? await Task.sleep(for: .milliseconds(50))
                #expect(ContinuousClock.now - start < .seconds(10))
            }
        }
    }

    @Test
    func `closing does not wait for a silent server`() async throws {
        try await withServer { server, client in
            _ = await client.send(try SMTPMailTests.mail())
            server.faults = .hanging(at: .quit)
            let start = ContinuousClock.now
            await client.close()
            #expect(ContinuousClock.now - start < .seconds(20))
        }
    }
}
