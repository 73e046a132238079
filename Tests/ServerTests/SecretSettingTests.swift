import Foundation
import Server
import Testing

@Suite("Secrets in the configuration") struct SecretSettingTests {
    private static let production = [
        "LATCHKEY_MODE": "production", "LATCHKEY_PUBLIC_URL": "https://auth.example.com",
        "LATCHKEY_MAIL_FROM": "Example <no-reply@example.com>", "LATCHKEY_SMTP_URL": "smtp://mail.example.com",
    ]

    private static func problems(_ environment: [String: String]) throws -> [String] {
        do {
            _ = try Configuration.load(file: nil, environment: production.merging(environment) { _, new in new })
            return []
        } catch let error as ConfigurationError {
            return error.problems
        }
    }

    @Test func `a file that cannot be read is one problem, named by its setting`() throws {
        #expect(
            try Self.problems(["LATCHKEY_SECRET_FILE": "/nonexistent/secret"]) == [
                "LATCHKEY_SECRET_FILE: /nonexistent/secret cannot be read; check the path and its permissions"
            ]
        )
    }

    @Test func `a secret given twice is one problem`() throws {
        let secret = String(repeating: "s", count: 40)
        let problems = try Self.problems(["LATCHKEY_SECRET": secret, "LATCHKEY_SECRET_FILE": "/nonexistent/secret"])
        #expect(problems == ["LATCHKEY_SECRET_FILE: give either secret or secretFile, not both"])
    }

    @Test func `a variable for one spelling goes before the other in the file`() throws {
        try TestServer.inFolder { folder in
            let file = folder.appending(path: "latchkey.json5").path
            let listen = folder.appending(path: "listen").path
            try "{ databaseFile: '/nonexistent/url', postgresql: { listenURL: 'postgresql://file' } }"
                .write(toFile: file, atomically: true, encoding: .utf8)
            try "postgresql://listen".write(toFile: listen, atomically: true, encoding: .utf8)
            _ = try Configuration.load(
                file: file,
                environment: [
                    "LATCHKEY_DATABASE": "postgresql://db",
                    "LATCHKEY_POSTGRESQL_LISTEN_URL_FILE": listen,
                ]
            )
            #expect(throws: ConfigurationError.self) { try Configuration.load(file: file, environment: [:]) }
        }
    }

    @Test func `what is wrong with a database's URL is said without it`() throws {
        for key in ["LATCHKEY_DATABASE", "LATCHKEY_POSTGRESQL_LISTEN_URL", "LATCHKEY_POSTGRESQL_REPLICA_URL"] {
            let others = ["LATCHKEY_SECRET": TestServer.secret, "LATCHKEY_DATABASE": "postgresql://db"]
            let problems = try Self.problems(others.merging([key: "postgresql://u:hush/hush@h"]) { _, new in new })
            #expect(problems.count == 1)
            #expect(problems.first?.hasPrefix("\(key): is no URL that libpq reads") == true)
            #expect(problems.first?.contains("hush") == false)
        }
        let prepared = try Self.problems([
            "LATCHKEY_SECRET": TestServer.secret, "LATCHKEY_DATABASE": "postgresql://db?prepare=off",
            "LATCHKEY_POSTGRESQL_LISTEN_URL": "postgresql://db?prepare=off",
        ])
        #expect(prepared == ["LATCHKEY_POSTGRESQL_LISTEN_URL: takes no prepare=; that of database holds"])
    }

    @Test func `no secret at all is a problem of production`() throws {
        let problems = try Self.problems([:])
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("secret: production needs one") == true)
    }

    @Test func `an operator's command makes no database where there is none`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path(percentEncoded: false)
        let error = #expect(throws: StartError.self) {
            try Operator(file: nil, environment: ["LATCHKEY_DATABASE": "sqlite:\(path)/latchkey.db"])
        }
        #expect(error?.description.contains("--config") == true)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a copy does not replace a file unless told to`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path(percentEncoded: false)
        let op = try Operator(
            file: nil,
            environment: ["LATCHKEY_DATABASE": "sqlite:\(path)/latchkey.db"],
            makesDatabase: true
        )
        defer { op.close() }
        try op.backUp(to: "\(path)/copy.db", replacing: false)
        let error = #expect(throws: Operator.Failure.self) { try op.backUp(to: "\(path)/copy.db", replacing: false) }
        #expect(error?.description == "\(path)/copy.db exists already; --force replaces it")
        try op.backUp(to: "\(path)/copy.db", replacing: true)
    }
}
