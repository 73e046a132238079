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
            return error.problems.map(\.description)
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
                    "LATCHKEY_DATABASE": "postgresql://db", "LATCHKEY_SECRET": TestServer.secret,
                    "LATCHKEY_POSTGRESQL_LISTEN_URL_FILE": listen,
                ]
            )
            #expect(throws: ConfigurationError.self) {
                try Configuration.load(file: file, environment: ["LATCHKEY_SECRET": TestServer.secret])
            }
        }
    }

    @Test func `what is wrong with a database's URL is said without it`() throws {
        for key in ["LATCHKEY_DATABASE", "LATCHKEY_POSTGRESQL_LISTEN_URL", "LATCHKEY_POSTGRESQL_REPLICA_URL"] {
            let others = ["LATCHKEY_SECRET": TestServer.secret, "LATCHKEY_DATABASE": "postgresql://db"]
            let problems = try Self.problems(others.merging([key: "postgresql://u:hush/hush@h"]) { _, new in new })
            #expect(problems.count == 1)
            #expect(problems.first?.hasPrefix("\(key): is not a URL that libpq can read") == true)
            #expect(problems.first?.contains("hush") == false)
        }
        let prepared = try Self.problems([
            "LATCHKEY_SECRET": TestServer.secret, "LATCHKEY_DATABASE": "postgresql://db?prepare=off",
            "LATCHKEY_POSTGRESQL_LISTEN_URL": "postgresql://db?prepare=off",
        ])
        #expect(prepared == ["LATCHKEY_POSTGRESQL_LISTEN_URL: must not have prepare=; the one of database applies"])
    }

    @Test func `no secret at all is a problem of production`() throws {
        let problems = try Self.problems([:])
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("secret: production needs one") == true)
    }

    @Test func `a long secret of few different bytes is a problem of production`() throws {
        let few = String(repeating: "abcdefg", count: 8)
        for secret in [String(repeating: "x", count: 64), few, "\(few) \(TestServer.secret)"] {
            let problems = try Self.problems(["LATCHKEY_SECRET": secret])
            #expect(problems.count == 1)
            #expect(problems.first?.hasPrefix("LATCHKEY_SECRET: the secret has fewer than 8 different bytes") == true)
            #expect(problems.first?.contains("abc") == false)
        }
        #expect(try Self.problems(["LATCHKEY_SECRET": String(repeating: "abcdefgh", count: 4)]).isEmpty)
        _ = try Configuration.load(file: nil, environment: ["LATCHKEY_SECRET": few])
    }

    @Test func `an older secret of few different bytes is warned of, so that it can be replaced`() throws {
        let configuration = try Configuration.load(
            file: nil,
            environment: Self.production.merging([
                "LATCHKEY_SECRET": "\(TestServer.secret) \(String(repeating: "x", count: 64))"
            ]) { $1 }
        )
        #expect(configuration.warnings.count == 1)
        #expect(configuration.warnings.first?.contains("secret 2 has fewer than 8 different bytes") == true)
    }

    private static let hookSecret = "whsec_\(Data(TestServer.secret.utf8).base64EncodedString())"

    /// The settings that name files with secrets, and valid contents of these files.
    private static let files = [
        "SECRET_FILE": TestServer.secret, "ADMIN_KEY_FILE": TestServer.secret,
        "SMTP_URL_FILE": "smtp://mail.example.com", "DATABASE_FILE": "postgresql://db",
        "POSTGRESQL_LISTEN_URL_FILE": "postgresql://db", "POSTGRESQL_REPLICA_URL_FILE": "postgresql://db",
        "HOOK_SECRETS_ORDERS_FILE": hookSecret,
    ]

    @Test(arguments: files.keys.sorted(), [0o600, 0o640, 0o440, 0o644, 0o660, 0o602])
    func `a secret file that others may write is a problem, a world-readable one a warning`(
        variable: String,
        mode: Int
    ) throws {
        try TestServer.inFolder { folder in
            let path = folder.appending(path: "secret").path
            try #require(Self.files[variable]).write(toFile: path, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            var environment = Self.production
            environment["LATCHKEY_SECRET"] = TestServer.secret
            environment["LATCHKEY_DATABASE"] = "postgresql://db"
            let name = "LATCHKEY_\(variable)"
            environment[String(name.dropLast(5))] = nil
            environment[name] = path
            let file = folder.appending(path: "latchkey.json5").path
            let hook = "{ name: 'orders', url: 'https://app.example.com/h', events: ['user.deleted'] }"
            try "{ hooks: [\(hook)] }".write(toFile: file, atomically: true, encoding: .utf8)
            if !variable.hasPrefix("HOOK") { environment["LATCHKEY_HOOK_SECRETS_ORDERS"] = Self.hookSecret }
            do {
                let configuration = try Configuration.load(file: file, environment: environment)
                #expect(mode & 0o022 == 0)
                #expect(configuration.warnings.count == (mode == 0o644 ? 1 : 0))
                #expect(configuration.warnings.allSatisfy { $0.contains("\(name): \(path) may be read by") })
            } catch let error as ConfigurationError {
                #expect(mode & 0o022 != 0, "\(error)")
                #expect(error.problems.count == 1, "\(error)")
                #expect(error.problems.first?.description.contains("\(name): \(path) may be written by") == true)
            }
            // Development mode gives no warnings.
            environment["LATCHKEY_MODE"] = "development"
            #expect(try Configuration.load(file: file, environment: environment).warnings.isEmpty)
        }
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
        #expect(error?.description == "\(path)/copy.db already exists; --force replaces it")
        try op.backUp(to: "\(path)/copy.db", replacing: true)
    }
}
