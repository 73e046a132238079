import SMTPHarness
import Testing

@Suite struct `Serving real clients` {
    @Test func `curl delivers a message byte for byte`() async throws {
        let server = try SMTPServer()
        try server.start()
        defer { server.stop() }
        let message = Array("From: app@example.org\r\nSubject: hello\r\n\r\nHello, you.\r\n".utf8)
        let curl = try await Tool.curl(port: server.port, to: ["you@example.org", "me@example.org"], message: message)
        #expect(curl.status == 0, "\(curl.errors)")
        let kept = try await server.waitForMessage(to: "YOU@example.org")
        #expect(kept.raw == message)
        #expect(kept.sender == "app@example.org")
        #expect(kept.recipients == ["you@example.org", "me@example.org"])
        #expect(kept.session.clientName == "test.client")
        #expect(kept.session.remoteAddress == "127.0.0.1")
        #expect(kept.session.tlsVersion == nil)
        #expect(kept.receivedAt > 1_700_000_000_000)
        #expect(server.messages.count == 1)
    }

    @Test func `curl delivers over STARTTLS with the certificate checked`() async throws {
        var configuration = SMTPServer.Configuration()
        configuration.security = .startTLS
        let server = try SMTPServer(configuration)
        try server.start()
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let authority = try folder.write(Array((server.certificatePEM ?? "").utf8), as: "ca.pem")
        for host in ["127.0.0.1", "localhost"] {
            let curl = try await Tool.curl(port: server.port, host: host, ["--ssl-reqd", "--cacert", authority])
            #expect(curl.status == 0, "\(curl.errors)")
        }
        #expect(server.messages.map { $0.session.tlsVersion } == ["TLSv1.3", "TLSv1.3"])
        let distrusting = try await Tool.curl(port: server.port, ["--ssl-reqd"])
        #expect(distrusting.status == 60)
        #expect(server.messages.count == 2)
    }
}
