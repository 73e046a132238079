import Crypto
import SMTPHarness
import Testing

@Suite("TLS and its certificate") struct TLSTests {
    @Test func `the certificate is what OpenSSL's own tools expect of one`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Array(TLSCertificate().pem.utf8), as: "cert.pem")
        let text = try await Tool.run("/usr/bin/openssl", ["x509", "-in", file, "-noout", "-text"]).output
        for part in [
            "Subject: CN = localhost", "Issuer: CN = localhost", "Public Key Algorithm: id-ecPublicKey", "prime256v1",
            "ecdsa-with-SHA256", "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1", "CA:FALSE",
            "TLS Web Server Authentication", "Digital Signature", "Version: 3",
        ] {
            #expect(text.contains(part), "\(part) is missing in \(text)")
        }
        let strict = [
            "verify", "-x509_strict", "-CAfile", file, "-purpose", "sslserver", "-verify_hostname", "localhost", file,
        ]
        let verified = try await Tool.run("/usr/bin/openssl", strict)
        #expect(verified.status == 0, "\(verified.errors)")
        let end = try await Tool.run(
            "/usr/bin/openssl",
            ["x509", "-in", file, "-noout", "-checkend", "\(360 * 86400)"]
        )
        #expect(end.status == 0)
    }

    @Test func `two certificates share neither key nor serial number`() throws {
        #expect(try TLSCertificate().pem != TLSCertificate().pem)
    }

    @Test(arguments: [[], [""], ["a b"], ["a,DNS:evil"], ["localhost", "x\n"], [String(repeating: "a", count: 65)]])
    func `a name that is none is refused`(_ names: [String]) {
        #expect(throws: TLSError.self) { try TLSCertificate(names: names) }
    }

    @Test func `TLS 1.1 is refused`() async throws {
        try await withServer({ $0.security = .startTLS }) { (server) async throws in
            let arguments = ["s_client", "-connect", "127.0.0.1:\(server.port)", "-starttls", "smtp", "-tls1_1"]
            let client = try await Tool.run("/usr/bin/openssl", arguments + ["-cipher", "ALL:@SECLEVEL=0"])
            #expect(client.status != 0)
            #expect(client.output.contains("Cipher is (NONE)"))
        }
    }

    @Test func `random bytes instead of a handshake fail and never crash`() throws {
        let server = try TLSServer(certificate: TLSCertificate())
        var random = Seeded(5)
        for _ in 0..<2000 {
            var connection = try server.connection()
            var bytes = (0..<Int.random(in: 1...600, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            // Half of them look like a ClientHello record.
            if Bool.random(using: &random) { bytes = [0x16, 3, 1, 0, 0xc8, 1, 0, 0, 0xc4, 3, 3] + bytes }
            connection.receive(bytes)
            let done = try? connection.handshake()
            #expect(done != true)
            _ = connection.takeOutput()
            _ = try? connection.read()
        }
    }
}
