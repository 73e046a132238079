import Foundation
import HTTPServer
import ProcessHarness
import Testing

@Suite("TLS", .oneAtATime) struct TLSTests {
    /// Runs `body` with a certificate and key for localhost in a temporary folder.
    private static func withCertificate(_ body: (HTTPConfiguration.TLS) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let certificate = folder.appending(path: "certificate.pem").path
        let key = folder.appending(path: "key.pem").path
        let made = try await run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
                certificate,
            ]
        )
        try #require(made.status == 0, "\(made.output)")
        try await body(HTTPConfiguration.TLS(certificateFile: certificate, keyFile: key))
    }

    private static func run(_ command: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        try await onThread { try runNow(command, arguments) }
    }

    private static func runNow(
        _ command: String,
        _ arguments: [String],
        input: [UInt8] = []
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [command] + arguments
        // A file, because reading a pipe to its end traps when a child's end interrupts it.
        let file = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: file) }
        let output = try FileHandle(forWritingTo: file)
        let standardInput = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = standardInput
        try process.start()
        // The process may exit before it reads, as after a failed handshake. The pipe is broken then.
        _ = signal(SIGPIPE, SIG_IGN)
        try? standardInput.fileHandleForWriting.write(contentsOf: input)
        if input.isEmpty { try standardInput.fileHandleForWriting.close() }
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }

    /// Sends a text over TLS and returns everything that the server answers until it closes.
    private static func say(_ text: String, _ port: UInt16, _ tls: HTTPConfiguration.TLS) throws -> String {
        let result = try runNow(
            "openssl",
            [
                "s_client", "-quiet", "-ign_eof", "-verify_return_error", "-CAfile", tls.certificateFile,
                "-verify_hostname",
                "localhost", "-connect", "127.0.0.1:\(port)",
            ],
            input: Array(text.utf8)
        )
        return result.output
    }

    @Test func `TLS serves with a certificate from files`() async throws {
        try await Self.withCertificate { tls throws in
            try await TestServer.run(
                configure: { $0.tls = tls },
                routes: { router in
                    router.add(.get, "/later") { _ in
                        .suspended { resumption in DispatchQueue.global().async { resumption.resume { .text("later") } }
                        }
                    }
                    router.add(.get, "/stream") { _ in
                        .stream(Response()) { writer in
                            writer.write(Array("one ".utf8))
                            DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) {
                                writer.write(Array("two".utf8))
                                writer.finish()
                            }
                        }
                    }
                }
            ) { test throws in
                let answer = try Self.say(
                    "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        + "GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        + "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody"
                        + "GET /stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                    test.port,
                    tls
                )
                for part in ["hello", "later", "body", "one ", "two"] { #expect(answer.contains(part), "\(answer)") }
                #expect(answer.components(separatedBy: "200 OK").count == 5)
            }
        }
    }

    @Test func `answers plain HTTP with 400 and says that the port speaks https`() async throws {
        try await Self.withCertificate { tls throws in
            try await TestServer.run(configure: { $0.tls = tls }) { test throws in
                for request in ["GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "DELETE /x HTTP/1.1\r\n"] {
                    let client = try test.connect()
                    try client.send(request)
                    let answer = String(decoding: try client.rest(), as: UTF8.self)
                    #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
                    #expect(answer.hasSuffix("This port speaks https; write https:// in front of the URL\n"))
                }
                for bytes in ["SSH-2.0-x\r\n", "GETS", "\u{16}\u{3}\u{1}"] {
                    let client = try test.connect()
                    try client.send(bytes)
                    client.closeWriting()
                    // The end may also be a reset.
                    let answer = (try? client.rest()) ?? []
                    #expect(!String(decoding: answer, as: UTF8.self).contains("HTTP"), "\(bytes)")
                }
                let answer = try Self.say(
                    "GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                    test.port,
                    tls
                )
                #expect(answer.contains("200 OK"), "TLS goes on")
            }
        }
    }

    @Test func `refuses a body of unknown length that is too long`() async throws {
        try await Self.withCertificate { tls throws in
            try await TestServer.run(configure: {
                $0.tls = tls
                $0.maximumBody = 10
            }) { test throws in
                let answer = try Self.say(
                    "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n"
                        + String(repeating: "a", count: 32) + "\r\n0\r\n\r\n",
                    test.port,
                    tls
                )
                #expect(answer.contains("HTTP/1.1 413"))
                #expect(answer.contains("BODY_TOO_LARGE"))
            }
        }
    }

    /// An attempt to negotiate a version and a cipher that OpenSSL would accept.
    struct Handshake: Sendable, CustomTestStringConvertible {
        let name: String
        let options: [String]
        let isTaken: Bool
        var testDescription: String { name }

        init(_ name: String, _ options: [String], isTaken: Bool) {
            self.name = name
            self.options = options
            self.isTaken = isTaken
        }
    }

    @Test(arguments: [
        Handshake("1.0", ["-tls1", "-cipher", "ALL:@SECLEVEL=0"], isTaken: false),
        Handshake("1.1", ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], isTaken: false),
        Handshake(
            "1.2 with CBC",
            ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-SHA:ECDHE-ECDSA-AES128-SHA256:@SECLEVEL=0"],
            isTaken: false
        ),
        Handshake("1.2 with CCM", ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-CCM"], isTaken: false),
        Handshake("1.2 with GCM", ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"], isTaken: true),
        Handshake("1.2 with ChaCha20", ["-tls1_2", "-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305"], isTaken: true),
        Handshake("1.3", ["-tls1_3"], isTaken: true), Handshake("any", [], isTaken: true),
    ])
    func `TLS is 1.2 or 1.3, with authenticated ciphers only`(handshake: Handshake) async throws {
        try await Self.withCertificate { tls throws in
            try await TestServer.run(configure: { $0.tls = tls }) { test throws in
                let arguments = ["s_client", "-quiet", "-ign_eof", "-connect", "127.0.0.1:\(test.port)"]
                let request = "GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                // If the handshake fails, openssl exits before it reads.
                let result = try Self.runNow("openssl", arguments + handshake.options, input: Array(request.utf8))
                #expect(result.output.contains("HTTP/1.1 200") == handshake.isTaken, "\(result.output)")
            }
        }
    }

    @Test func `a TLS listener refuses plain HTTP`() async throws {
        try await Self.withCertificate { tls throws in
            try await TestServer.run(configure: { $0.tls = tls }) { test throws in
                let client = try test.connect()
                try client.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
                client.closeWriting()
                #expect(!String(decoding: try client.rest(), as: UTF8.self).contains("hello"))
            }
        }
    }

    @Test func `TLS does not start without its files, or with wrong files`() async throws {
        try await Self.withCertificate { tls throws in
            let wrong = [
                HTTPConfiguration.TLS(certificateFile: "/nonexistent.pem", keyFile: tls.keyFile),
                HTTPConfiguration.TLS(certificateFile: tls.keyFile, keyFile: tls.certificateFile),
            ]
            for tls in wrong {
                await #expect(throws: ServerStartError.self) {
                    try await TestServer.run(configure: { $0.tls = tls }) { _ in }
                }
            }
        }
    }
}
