import Foundation
import JSON
import SMTPHarness
import Testing

extension FaultTests {
    @Suite("Starts") struct StartTests {
        static let secret = String(repeating: "production-secret-", count: 3)

        /// A configuration, and the words that the error must contain.
        struct Case: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let settings: [String: String?]
            let words: [String]
        }

        static let cases = [
            Case(
                testDescription: "no secret",
                settings: ["SECRET": nil],
                words: ["secret", "openssl rand", "LATCHKEY_SECRET_FILE"]
            ),
            Case(testDescription: "no public URL", settings: ["PUBLIC_URL": nil], words: ["publicURL", "https://"]),
            Case(
                testDescription: "a public URL in the clear",
                settings: ["PUBLIC_URL": "http://auth.example.com"],
                words: ["LATCHKEY_PUBLIC_URL", "https"]
            ),
            Case(testDescription: "no mail server", settings: ["SMTP_URL": nil], words: ["smtpURL", "smtp://"]),
            Case(testDescription: "no sender", settings: ["MAIL_FROM": nil], words: ["mailFrom"]),
            Case(
                testDescription: "a short administrator's key",
                settings: ["ADMIN_KEY": "short"],
                words: ["LATCHKEY_ADMIN_KEY", "32"]
            ),
            Case(
                testDescription: "an unknown setting",
                settings: ["PUBLIC_ULR": "x"],
                words: ["LATCHKEY_PUBLIC_ULR", "unknown"]
            ),
            Case(
                testDescription: "development on all addresses",
                settings: ["MODE": "development", "LISTEN": "0.0.0.0:0"],
                words: ["LATCHKEY_LISTEN", "loopback", "production"]
            ),
            Case(
                testDescription: "an admin listener for everybody",
                settings: ["ADMIN_LISTEN": "0.0.0.0:9199"],
                words: ["LATCHKEY_ADMIN_LISTEN", "loopback", "administrator"]
            ),
            Case(
                testDescription: "a certificate without key",
                settings: ["TLS_CERTIFICATE": "/nowhere.pem"],
                words: ["TLS_CERTIFICATE", "both"]
            ),
        ]

        @Test(arguments: cases)
        func `what cannot work is refused by serve and check-config, with the key and the way out`(
            _ wrong: Case
        ) async throws {
            let folder = try Folder()
            var environment = production(folder, port: 25)
            for (name, value) in wrong.settings { environment["LATCHKEY_\(name)"] = value }
            for command in ["serve", "check-config"] {
                let result = try await Program.run([command], environment: environment, in: folder)
                #expect(result.status == 2)
                #expect(result.output.isEmpty)
                for word in wrong.words { #expect(result.errors.contains(word), "\(result.errors)") }
                #expect(!result.errors.contains(Self.secret))
            }
            // Nothing was created.
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }

        @Test func `a short secret stops the start`() async throws {
            let folder = try Folder()
            let environment = production(folder, port: 25).merging(["LATCHKEY_SECRET": "short"]) { $1 }
            let result = try await Program.run(["serve"], environment: environment, in: folder)
            #expect(result.status != 0)
            #expect(result.errors.contains("32"))
        }

        @Test func `the wrong secret for a database stops the start`() async throws {
            let folder = try Folder()
            let mail = try SMTPServer.started(into: Letters())
            defer { mail.stop() }
            let first = try await startProduction(folder, mail)
            try await first.stop()
            var environment = production(folder, port: mail.port)
            environment["LATCHKEY_SECRET"] = String(repeating: "another-secret-", count: 3)
            let result = try await Program.run(["serve"], environment: environment, in: folder)
            #expect(result.status == 1)
            #expect(result.errors.contains("secret"))
            // The server starts with the old secret after the new one.
            let secrets = String(repeating: "another-secret-", count: 3) + ",\(Self.secret)"
            let both = try await TestedServer.start(in: folder, mail: mail, productionSettings(["SECRET": secrets]))
            try await both.stop()
        }

        @Test func `production answers over TLS and has no development routes`() async throws {
            let folder = try Folder()
            let letters = Letters()
            let mail = try SMTPServer.started(into: letters)
            defer { mail.stop() }
            let key = folder("key.pem"), certificate = folder("certificate.pem")
            let made = try await shell(
                [
                    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                ],
                folder
            )
            #expect(made.status == 0)
            let program = try Program(
                ["serve"],
                environment: production(folder, port: mail.port).merging([
                    "LATCHKEY_TLS_CERTIFICATE": certificate, "LATCHKEY_TLS_KEY": key,
                ]) { $1 },
                in: folder
            )
            let url = try await eventually(within: 120, "a listener") { TestedServer.address(in: program.output) }
            #expect(url.hasPrefix("https://"))
            let curl = ["curl", "--silent", "--show-error", "--cacert", certificate, "--write-out", "%{http_code}"]
            let health = try await shell(curl + ["\(url)/healthz"], folder)
            #expect(health.output.hasSuffix("200"))
            let link = try await shell(
                curl + [
                    "-H", "Content-Type: application/json", "\(url)/v1/accounts:sendOobCode?key=k",
                    "--data", #"{"requestType":"EMAIL_SIGNIN","email":"you@example.org"}"#,
                ],
                folder
            )
            #expect(link.output.hasSuffix("200"), "\(link.output)")
            _ = try await letters.wait(for: "you@example.org")
            for path in ["/mailbox", "/mailbox/messages", "/emulator/v1/projects/demo-latchkey/oobCodes"] {
                #expect(try await shell(curl + ["\(url)\(path)"], folder).output.hasSuffix("404"))
            }
            // Without TLS the answer says that the port speaks https.
            let clear = url.replacingOccurrences(of: "https://", with: "http://")
            #expect(try await shell(curl + ["\(clear)/healthz"], folder).output.hasSuffix("400"))
            program.signal(SIGTERM)
            #expect(try await program.end() == 0)
        }

        @Test func `production writes nothing but JSON to both streams, from the start to the stop`() async throws {
            let folder = try Folder()
            let mail = try SMTPServer.started(into: Letters())
            defer { mail.stop() }
            let settings = productionSettings(["ADMIN_LISTEN": "unix:\(folder("admin.sock"))", "SHUTDOWN_DRAIN": "1s"])
            let server = try await TestedServer.start(in: folder, mail: mail, settings)
            var environment = TestedServer.environment(folder, mail: mail, settings)
            environment["LATCHKEY_LISTEN"] = "127.0.0.1:\(server.port)"
            environment["LATCHKEY_ADMIN_LISTEN"] = nil
            let second = try await Program.run(["serve"], environment: environment, in: folder)
            #expect(second.status == 1)
            try await server.stop()
            let refusal = second.errors.split(separator: "\n").map(String.init)
            let events = try (server.program.output + server.program.errors + refusal).map { line in
                try #require((try? JSONValue.parse(line))?["event"]?.string, "\(line)")
            }
            for event in ["notice", "listening", "draining", "stopping", "not-started"] {
                #expect(events.contains("server.\(event)"))
            }
            #expect(second.errors.contains("127.0.0.1:\(server.port)"), "it says why")
        }

        @Test func `a good configuration passes, also from the annotated file`() async throws {
            let folder = try Folder()
            let good = try await Program.run(["check-config"], environment: production(folder, port: 25), in: folder)
            #expect(good.status == 0)
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let secret = folder("secret"), smtp = folder("smtp")
            try Self.secret.write(toFile: secret, atomically: true, encoding: .utf8)
            try "smtp://user:password@mail.example.com:587\n".write(toFile: smtp, atomically: true, encoding: .utf8)
            for (name, more) in [
                ("development", [:]), ("production", ["LATCHKEY_SECRET_FILE": secret, "LATCHKEY_SMTP_URL_FILE": smtp]),
            ] {
                let file = root.appending(path: "config/\(name).json5").path
                let result = try await Program.run(["check-config", "--config", file], environment: more, in: folder)
                #expect(result.status == 0, "\(result.errors)")
            }
        }

        @Test func `a mailbox whose port is taken takes another, and says which`() async throws {
            let taken = try SMTPServer()
            try taken.start()
            defer { taken.stop() }
            let folder = try Folder()
            let server = try await TestedServer.start(in: folder, ["MAILBOX_LISTEN": "127.0.0.1:\(taken.port)"])
            #expect(server.program.output.contains { $0.contains("127.0.0.1:\(taken.port) is in use") })
            let caller = try server.caller()
            _ = try await caller.sendLink(to: "you@example.org")
            let printed = try await eventually(within: 20, "the link on standard output") {
                server.program.output.first { $0.contains("oobCode=") }
            }
            #expect(printed.contains(server.url))
            #expect(taken.messages.isEmpty)
            let listed = try await caller.get("/mailbox/messages")
            #expect(listed.json?["messages"]?.array?.count == 1)
            try await server.stop()
        }

        @Test(arguments: ["X-Forwarded-For: 203.0.113.7", "Forwarded: for=203.0.113.7", "Host: auth.example.com"])
        func `development refuses who comes through a proxy or by another name`(header: String) async throws {
            let folder = try Folder()
            let server = try await TestedServer.start(in: folder)
            let caller = try server.caller()
            let host = header.hasPrefix("Host") ? "" : "Host: 127.0.0.1\r\n"
            try await caller.send(
                "POST /v1/accounts:signUp?key=k HTTP/1.1\r\n\(host)\(header)\r\nContent-Length: 2\r\n\r\n{}"
            )
            let reply = try await caller.reply()
            #expect(reply.status == 403)
            #expect(reply.text.contains("Development mode"))
            try await server.stop()
        }

        @Test func `the socket of a killed server is no obstacle, that of a living one is, and a stop removes it`()
            async throws
        {
            let folder = try Folder()
            let path = folder("admin.sock")
            let killed = try await TestedServer.start(in: folder, ["ADMIN_LISTEN": "unix:\(path)"])
            let word = "latchkey: The admin listener is on unix:\(path): every process of this user"
            #expect(killed.program.output.contains { $0.hasPrefix(word) })
            try await killed.kill()
            #expect(FileManager.default.fileExists(atPath: path))
            let server = try await TestedServer.start(in: folder, ["ADMIN_LISTEN": "unix:\(path)"])
            let second = try await Program.run(
                ["serve"],
                environment: TestedServer.environment(folder, ["ADMIN_LISTEN": "unix:\(path)"]),
                in: folder
            )
            #expect(second.status == 1)
            #expect(second.errors.contains("another program listens there already"))
            try await server.stop()
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        @Test func `a taken port is named`() async throws {
            let folder = try Folder()
            let server = try await TestedServer.start(in: folder)
            let environment = TestedServer.environment(folder, ["LISTEN": "127.0.0.1:\(server.port)"])
            let result = try await Program.run(["serve"], environment: environment, in: folder)
            #expect(result.status == 1)
            #expect(result.errors.contains("\(server.port)"))
            try await server.stop()
        }

        private func productionSettings(_ more: [String: String]) -> [String: String] {
            [
                "MODE": "production", "PUBLIC_URL": "https://auth.example.com", "SECRET": Self.secret,
                "MAIL_FROM": "Example <no-reply@example.com>",
            ].merging(more) { $1 }
        }

        private func production(_ folder: Folder, port: UInt16) -> [String: String] {
            let settings = productionSettings(["SMTP_URL": "smtp://127.0.0.1:\(port)"])
            var environment = TestedServer.environment(folder, settings)
            environment["LATCHKEY_MAILBOX_LISTEN"] = nil
            return environment
        }

        private func startProduction(_ folder: Folder, _ mail: SMTPServer) async throws -> TestedServer {
            try await TestedServer.start(in: folder, mail: mail, productionSettings([:]))
        }

        private func shell(_ words: [String], _ folder: Folder) async throws -> (status: Int32, output: String) {
            let program = try Program(command: words, environment: [:], in: folder)
            let status = try await program.end()
            return (status, program.output.joined(separator: "\n"))
        }
    }
}
