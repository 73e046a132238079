import SMTPHarness
import Testing

@Suite("Serving real clients") struct ServingTests {
    @Test func `curl delivers a message byte for byte`() async throws {
        try await withServer { (server) async throws in
            let message = Array("From: app@example.org\r\nSubject: hello\r\n\r\n.dots\r\n..\r\nHello, you.\r\n".utf8)
            let curl = try await Tool.curl(
                port: server.port,
                to: ["you@example.org", "me@example.org"],
                message: message
            )
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
    }

    @Test func `curl delivers over STARTTLS with the certificate checked, and not without it`() async throws {
        try await withServer({ $0.security = .startTLS }) { (server) async throws in
            let folder = try TemporaryFolder()
            let authority = try folder.write(Array((server.certificatePEM ?? "").utf8), as: "ca.pem")
            for host in ["127.0.0.1", "localhost"] {
                let curl = try await Tool.curl(port: server.port, host: host, ["--ssl-reqd", "--cacert", authority])
                #expect(curl.status == 0, "\(curl.errors)")
            }
            let old = try await Tool.curl(port: server.port, ["--ssl-reqd", "--cacert", authority, "--tls-max", "1.2"])
            #expect(old.status == 0, "\(old.errors)")
            #expect(server.messages.map { $0.session.tlsVersion } == ["TLSv1.3", "TLSv1.3", "TLSv1.2"])
            // 60: "peer certificate cannot be authenticated".
            #expect(try await Tool.curl(port: server.port, ["--ssl-reqd"]).status == 60)
            #expect(server.messages.count == 3)
        }
    }

    @Test func `curl refuses a certificate for another host`() async throws {
        let change: (inout SMTPServer.Configuration) -> Void = {
            $0.security = .startTLS
            $0.certificateNames = ["mail.example.org"]
        }
        try await withServer(change) { (server) async throws in
            let folder = try TemporaryFolder()
            let authority = try folder.write(Array((server.certificatePEM ?? "").utf8), as: "ca.pem")
            #expect(try await Tool.curl(port: server.port, ["--ssl-reqd", "--cacert", authority]).status == 60)
            #expect(server.messages == [])
        }
    }

    @Test func `curl delivers over smtps`() async throws {
        try await withServer({ $0.security = .implicit }) { (server) async throws in
            let folder = try TemporaryFolder()
            let authority = try folder.write(Array((server.certificatePEM ?? "").utf8), as: "ca.pem")
            let curl = try await Tool.curl(port: server.port, scheme: "smtps", ["--cacert", authority])
            #expect(curl.status == 0, "\(curl.errors)")
            #expect(server.messages.first?.session.tlsVersion == "TLSv1.3")
        }
    }

    @Test(arguments: ["PLAIN", "LOGIN"], [true, false])
    func `curl authenticates`(_ mechanism: String, withInitialResponse: Bool) async throws {
        try await withServer({
            $0.policy.users = ["app": "s3cret"]
            $0.policy.requiresAuthentication = true
        }) { (server) async throws in
            let options = ["--login-options", "AUTH=" + mechanism] + (withInitialResponse ? ["--sasl-ir"] : [])
            let right = try await Tool.curl(port: server.port, ["--user", "app:s3cret"] + options)
            #expect(right.status == 0, "\(right.errors)")
            #expect(server.messages.first?.session.authenticatedUser == "app")
            // 67: "the user name, password, or similar was not accepted".
            #expect(try await Tool.curl(port: server.port, ["--user", "app:wrong"] + options).status == 67)
            #expect(try await Tool.curl(port: server.port).status != 0)
            #expect(server.messages.count == 1)
        }
    }

    @Test func `smtplib delivers with STARTTLS, AUTH, SMTPUTF8 and several messages on one connection`() async throws {
        let script = """
            import smtplib, ssl, sys
            port, ca = int(sys.argv[1]), sys.argv[2]
            with smtplib.SMTP('localhost', port, timeout=10) as smtp:
                smtp.ehlo()
                assert smtp.has_extn('starttls') and not smtp.has_extn('auth') and not smtp.has_extn('chunking')
                smtp.starttls(context=ssl.create_default_context(cafile=ca))
                smtp.ehlo()
                assert smtp.has_extn('smtputf8') and smtp.has_extn('8bitmime') and smtp.esmtp_features['size'] == '10485760'
                smtp.login('app', 's3cret')
                for number in range(3):
                    smtp.sendmail('app@example.org', ['ü%d@example.org' % number],
                                  'Subject: grüße\\r\\n\\r\\n.\\r\\n..x\\r\\nü\\r\\n'.encode(), mail_options=['SMTPUTF8', 'BODY=8BITMIME'])
                assert smtp.noop()[0] == 250 and smtp.vrfy('x')[0] == 252 and smtp.rset()[0] == 250
            """
        try await withServer({
            $0.security = .startTLS
            $0.policy.users = ["app": "s3cret"]
            $0.policy.authenticationRequiresTLS = true
            $0.policy.requiresAuthentication = true
        }) { (server) async throws in
            let folder = try TemporaryFolder()
            let authority = try folder.write(Array((server.certificatePEM ?? "").utf8), as: "ca.pem")
            let python = try await Tool.python(script, ["\(server.port)", authority])
            #expect(python.status == 0, "\(python.errors)")
            #expect(server.messages.map(\.recipients) == [["ü0@example.org"], ["ü1@example.org"], ["ü2@example.org"]])
            #expect(Set(server.messages.map(\.session.connection)).count == 1)
            #expect(server.messages.map(\.id) == ["1.1", "1.2", "1.3"])
            #expect(server.messages.allSatisfy { $0.options.isInternational && $0.options.isEightBit })
            let raw = Array("Subject: grüße\r\n\r\n.\r\n..x\r\nü\r\n".utf8)
            #expect(server.messages.allSatisfy { $0.raw == raw })
        }
    }

    @Test func `smtplib is told that a message is too big before it sends it`() async throws {
        let script = """
            import smtplib, sys
            with smtplib.SMTP('127.0.0.1', int(sys.argv[1]), timeout=10) as smtp:
                try:
                    smtp.sendmail('a@example.org', ['b@example.org'], 'x' * 2000)
                except smtplib.SMTPSenderRefused as error:
                    print(error.smtp_code)
            """
        try await withServer({ $0.policy.maximumMessageSize = 1000 }) { (server) async throws in
            #expect(try await Tool.python(script, ["\(server.port)"]).output == "552\n")
        }
    }

    @Test func `listens on IPv6 too`() async throws {
        try await withServer({ $0.address = "::1" }) { (server) async throws in
            #expect(try await Tool.curl(port: server.port, host: "[::1]").status == 0)
            #expect(server.messages.first?.session.remoteAddress == "::1")
        }
    }

    @Test func `bytes pipelined behind STARTTLS are discarded`() async throws {
        try await withServer({ $0.security = .startTLS }) { (server) async throws in
            let client = try RawClient(port: server.port)
            _ = try client.reply()
            try client.send("EHLO evil\r\nSTARTTLS\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<b@example.org>\r\nDATA\r\n")
            let replies = try client.replies(2)
            #expect(replies.last == "220 2.0.0 Ready to start TLS")
            // The clear text that follows is not a TLS handshake.
            try client.send("x\r\n.\r\n")
            #expect(client.isEnded)
            #expect(server.messages == [])
        }
    }
}
