import Foundation
import SMTPHarness
import Testing
import Transfer

@Suite("Security of SMTP", .timeLimit(.minutes(1)))
struct SMTPSecurityTests {
    @Test(arguments: [SMTPServer.Security.startTLS, .implicit])
    func `a trusted certificate for the right name is accepted`(_ security: SMTPServer.Security) async throws {
        try await withServer(Self.server(security), trusted: true, query: Self.query(security)) { server, client in
            guard case .accepted = await client.send(try SMTPMailTests.mail()) else { throw Failed() }
            #expect(server.messages.first?.session.tlsVersion?.hasPrefix("TLSv1.") == true)
        }
    }

    @Test(arguments: [SMTPServer.Security.startTLS, .implicit])
    func `no e-mail is sent to a server with an unknown certificate`(_ security: SMTPServer.Security) async throws {
        try await withServer(Self.server(security), query: Self.query(security)) { server, client in
            guard case .failed(let failure) = await client.send(try SMTPMailTests.mail()) else { throw Failed() }
            #expect(failure.kind == .misconfigured)
            #expect(failure.concernsConnection)
            #expect(server.messages.isEmpty)
        }
    }

    @Test(arguments: [SMTPServer.Security.startTLS, .implicit])
    func `no e-mail is sent to a server with a certificate for another name`(_ security: SMTPServer.Security)
        async throws
    {
        var configuration = Self.server(security)
        configuration.certificateNames = ["mail.example.org"]
        try await withServer(configuration, trusted: true, query: Self.query(security)) { server, client in
            guard case .failed(let failure) = await client.send(try SMTPMailTests.mail()) else { throw Failed() }
            #expect(failure.kind == .misconfigured)
            #expect(server.messages.isEmpty)
        }
    }

    @Test
    func `no e-mail is sent if required STARTTLS is not offered`() async throws {
        try await withServer(query: "?starttls=required") { server, client in
            guard case .failed(let failure) = await client.send(try SMTPMailTests.mail()) else { throw Failed() }
            #expect(failure.kind == .misconfigured)
            #expect(failure.step == .hello)
            #expect(server.messages.isEmpty)
        }
    }

    @Test
    func `optional STARTTLS that is not offered sends in the clear`() async throws {
        try await withServer(query: "?starttls=optional") { server, client in
            guard case .accepted = await client.send(try SMTPMailTests.mail()) else { throw Failed() }
            #expect(server.messages.first?.session.tlsVersion == nil)
        }
    }

    @Test
    func `the right password authenticates over TLS`() async throws {
        var configuration = Self.server(.startTLS)
        configuration.policy.users = ["app@example.org": "p@ss/wörd"]
        configuration.policy.requiresAuthentication = true
        configuration.policy.authenticationRequiresTLS = true
        try await withServer(
            configuration,
            trusted: true,
            user: "app%40example.org:p%40ss%2Fw%C3%B6rd@",
            query: "?starttls=required"
        ) { server, client in
            guard case .accepted = await client.send(try SMTPMailTests.mail()) else { throw Failed() }
            #expect(server.messages.first?.session.authenticatedUser == "app@example.org")
        }
    }

    @Test
    func `a wrong password is a fault of configuration, not of the mail`() async throws {
        var configuration = SMTPServer.Configuration()
        configuration.policy.users = ["app": "right"]
        try await withServer(configuration, user: "app:wrong@") { server, client in
            guard case .failed(let failure) = await client.send(try SMTPMailTests.mail()) else { throw Failed() }
            #expect(failure.kind == .misconfigured)
            #expect(failure.step == .authentication)
            #expect(failure.reply?.code == 535)
        }
    }

    @Test
    func `a missing password is a fault of configuration, not of the mail`() async throws {
        var configuration = SMTPServer.Configuration()
        configuration.policy.users = ["app": "right"]
        configuration.policy.requiresAuthentication = true
        try await withServer(configuration) { server, client in
            guard case .failed(let failure) = await client.send(try SMTPMailTests.mail()) else { throw Failed() }
            #expect(failure.kind == .misconfigured)
            #expect(failure.reply?.code == 530)
        }
    }

    @Test
    func `SMTPUTF8 is asked for by an address that needs it, and only then`() async throws {
        try await withServer { server, client in
            _ = await client.send(try SMTPMailTests.mail())
            guard case .accepted = await client.send(try SMTPMailTests.mail(recipients: ["jürgen@example.org"])) else {
                throw Failed()
            }
            #expect(server.messages.map(\.options.isInternational) == [false, true])
            #expect(server.messages.last?.recipients == ["jürgen@example.org"])
        }
    }

    @Test
    func `an address that needs SMTPUTF8 fails for good at a server without it`() async throws {
        let server = try PlainServer { line in
            switch line.prefix(4).uppercased() {
            case "EHLO": "250-localhost\r\n250 8BITMIME\r\n"
            case "MAIL": "250 2.1.0 Ok\r\n"
            default: "500 5.5.1 Not expected\r\n"
            }
        }
        defer { server.stop() }
        let client = SMTPClient(try SMTPConfiguration(url: "smtp://127.0.0.1:\(server.port)"))
        let mail = try SMTPMailTests.mail(recipients: ["jürgen@example.org"])
        guard case .failed(let failure) = await client.send(mail) else { throw Failed() }
        #expect(failure.kind == .permanent)
        #expect(failure.description.contains("SMTPUTF8"))
        #expect(!server.received.contains { $0.hasPrefix("RCPT") })
    }

    private static func server(_ security: SMTPServer.Security) -> SMTPServer.Configuration {
        var configuration = SMTPServer.Configuration()
        configuration.security = security
        return configuration
    }

    private static func query(_ security: SMTPServer.Security) -> String {
        security == .startTLS ? "?starttls=required" : ""
    }
}
