import Accounts
import Foundation
import JSON
import PostgreSQLHarness
import Server
import Testing

@Suite("Operator commands")
struct OperatorTests {
    private static func with(_ server: TestServer, _ body: (Operator) throws -> Void) throws {
        let desk = try Operator(file: server.file, environment: server.environment)
        defer { desk.close() }
        try body(desk)
    }

    @Test func `a new key is published at once, signs once caches have it, and old tokens go on`() async throws {
        try await TestServer.run { server in
            func published() throws -> [String] {
                try server.send("GET", "/.well-known/jwks.json").json["keys"]?.array?.compactMap { $0["kid"]?.string }
                    ?? []
            }
            func kid(_ tokens: Tokens) throws -> String { try Claims(tokens.idToken).header["kid"]?.string ?? "" }
            let old = try server.guest()
            let first = try published()
            try Self.with(server) { desk in
                let key = try desk.rotateKeys(algorithm: "EdDSA")
                #expect(key.state == "next")
                #expect(try desk.keys().map(\.state) == ["signing", "next"])
            }
            try server.eventually("the new key is published") { try published().count == 2 }
            #expect(try kid(server.guest()) == first.first)
            // A client may have fetched the keys from a node that did not know the new key, and keep them for an hour.
            server.clock.advance(seconds: 3630)
            // The server checks its keys every 0.2 s in this test.
            Thread.sleep(forTimeInterval: 0.6)
            let late = try server.guest()
            #expect(try kid(late) == first.first)
            server.clock.advance(seconds: 60)
            try server.eventually("the new key signs") { try kid(server.guest()) != first.first }
            #expect(try published().count == 2)
            #expect(try server.lookup(late.idToken).status == 200)
            #expect(try server.refresh(old.refreshToken).status == 200)
            server.clock.advance(seconds: 3 * 3600)
            try server.eventually("the old key is gone") { try published().count == 1 }
        }
    }

    @Test func `a command needs no secret that it does not use`() async throws {
        let hooks = """
            { hooks: [{ name: 'crm', url: 'https://crm.example.com/x', events: ['user.created'] }],
              adminKeyFile: '/nonexistent/key', smtpURLFile: '/nonexistent/smtp',
              tls: { certificate: '/etc/hostname', key: '/nonexistent/tls.pem' } }
            """
        try await TestServer.run { server in
            let file = server.folder.appending(path: "service.json5").path
            try hooks.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(throws: ConfigurationError.self) {
                try Configuration.load(file: file, environment: server.environment)
            }
            _ = try server.guest()
            let desk = try Operator(file: file, environment: server.environment)
            defer { desk.close() }
            #expect(try desk.keys().count == 1)
            let storage = try Configuration.load(file: file, environment: server.environment, secrets: .storage)
            #expect(storage.policy.hooks.map(\.hook) == ["crm"], "an operator's change is still told to the hook")
            #expect(throws: ConfigurationError.self, "the mail server's URL is what this command uses") {
                try Configuration.load(file: file, environment: server.environment, secrets: .mail)
            }
            var production = server.environment
            production["LATCHKEY_MODE"] = "production"
            production["LATCHKEY_PUBLIC_URL"] = "https://auth.example.com"
            production["LATCHKEY_MAIL_FROM"] = "x@example.com"
            production["LATCHKEY_SECRET"] = nil
            _ = try Configuration.load(file: file, environment: production, secrets: .none)
            #expect(throws: ConfigurationError.self, "a production's database belongs to its secret") {
                try Configuration.load(file: file, environment: production, secrets: .storage)
            }
        }
    }

    @Test func `after resealing the old secret is no longer needed`() async throws {
        let newer = "another-secret-of-the-tests-with-more-than-32-bytes"
        try await TestServer.runInProduction { server in
            let ann = try server.signIn("ann@example.com")
            try server.restarted(["SECRET": "\(newer),\(TestServer.secret)"]) { both in
                let refreshed = try both.refresh(ann.refreshToken)
                #expect(refreshed.status == 200)
                try Self.with(both) { desk in
                    let resealed = try [desk.resealKeys().keys, desk.resealKeys().keys]
                    #expect(resealed == [1, 0])
                }
                try both.restarted(["SECRET": newer]) { new in
                    let answer = try new.lookup(refreshed["id_token"])
                    #expect(answer.status == 200, "the signing key is the same")
                    #expect(try new.refresh(refreshed["refresh_token"]).status == 200)
                    #expect(try new.refresh(ann.refreshToken).code == "INVALID_REFRESH_TOKEN", "the old secret is gone")
                }
            }
        }
    }

    @Test func `a secret that does not belong to the database stops the start`() async throws {
        try await TestServer.runInProduction { server in
            _ = try server.guest()
            let error = #expect(throws: StartError.self) {
                try server.restarted(["SECRET": "quite-another-secret-with-more-than-32-bytes"]) { _ in }
            }
            #expect("\(error.map { "\($0)" } ?? "")".contains("does not belong to this database"))
            try server.restarted { _ = try $0.guest() }
        }
    }

    @Test(.enabled(if: TestDatabase.isFile, "a file has a place beside it"))
    func `development makes its secret beside the database, for its owner only`() async throws {
        try await TestServer.run { server in
            let path = "\(server.folder.path)/latchkey.db.secret"
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            let guest = try server.guest()
            try server.restarted { again in
                let answer = try again.refresh(guest.refreshToken)
                #expect(answer.status == 200)
            }
        }
    }

    @Test(.enabled(if: TestDatabase.isFile, "a server has backups of its own"))
    func `a backup made while serving opens as a database with the users in it`() async throws {
        try await TestServer.runInProduction { server in
            var guests = try (0..<50).map { _ in try server.guest() }
            let ann = try server.signIn("ann@example.com")
            let copy = "\(server.folder.path)/copy.db"
            try Self.with(server) { desk in
                try desk.backUp(to: copy, replacing: false)
                #expect(throws: (any Error).self) { try desk.backUp(to: copy, replacing: false) }
            }
            guests.append(try server.guest())
            try server.restarted(["DATABASE": "sqlite:\(copy)"]) { restored in
                let user = try restored.user(ann.idToken)
                #expect(user["email"]?.string == "ann@example.com")
                for guest in guests.dropLast() { #expect(try restored.lookup(guest.idToken).status == 200) }
                #expect(try guests.last.map { try restored.lookup($0.idToken).code } == "USER_NOT_FOUND")
                #expect(try restored.signIn("ann@example.com").uid == ann.uid)
            }
        }
    }

    @Test(.enabled(if: !TestDatabase.isFile, "a file can be backed up"))
    func `a server has backups of its own, and is left to them`() async throws {
        try await TestServer.run { server in
            try server.withOperator { desk in
                let copy = "\(server.folder.path)/copy.db"
                let error = #expect(throws: (any Error).self) { try desk.backUp(to: copy, replacing: false) }
                #expect("\(error.map { "\($0)" } ?? "")".contains("pg_dump"))
                #expect(!FileManager.default.fileExists(atPath: copy))
            }
        }
    }

    @Test func `what an operator changes, a running server knows`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            try Self.with(server) { desk in
                #expect(try desk.user(ann.uid).email == "ann@example.com")
                #expect(try desk.users(after: nil, limit: 10).items.map(\.uid) == [ann.uid])
                try desk.setAdministrator(true, ann.uid)
                #expect(try desk.administrators() == [ann.uid])
                try desk.eraseUser(ann.uid)
                #expect(try desk.administrators().isEmpty)
                #expect(throws: Operator.Failure.self) { try desk.user(ann.uid) }
            }
            #expect(try server.lookup(ann.idToken).code == "USER_NOT_FOUND")
            #expect(try server.refresh(ann.refreshToken).code == "INVALID_REFRESH_TOKEN")
        }
    }

    @Test func `the outbox is listed in pages, and an unknown page is refused`() async throws {
        try await TestServer.runInProduction { server in
            for number in 0..<3 { _ = try server.askForLink("u\(number)@example.com") }
            try Self.with(server) { desk in
                let all = try desk.outbox(state: nil, limit: 10).items.map(\.id)
                let first = try desk.outbox(state: nil, limit: 2)
                #expect(first.items.map(\.id) == Array(all.prefix(2)) && first.nextPage == all[1])
                let second = try desk.outbox(state: nil, page: first.nextPage, limit: 2)
                #expect(second.items.map(\.id) == [all[2]] && second.nextPage == nil)
                #expect(throws: Operator.Failure.self) { try desk.outbox(state: nil, page: "unknown", limit: 2) }
            }
        }
    }

    @Test func `the outbox tells where mails stand and never what they say`() async throws {
        try await TestServer.runInProduction { server in
            let asked = try server.askForLink("ann@example.com")
            try Self.with(server) { desk in
                try server.eventually("the mail is sent") { try desk.outbox(state: "sent", limit: 10).items.count == 1 }
                let text = "\(try desk.outbox(state: nil, limit: 10))"
                for secret in ["ann@", asked.oobCode, asked.mail.digits] { #expect(!text.contains(secret)) }
            }
            let bytes = try server.bytesAtRest()
            #expect(bytes.firstRange(of: Array("signing_keys".utf8)) != nil, "this is where it would be")
            for secret in [asked.oobCode, asked.ticket, asked.mail.link] {
                #expect(bytes.firstRange(of: Array(secret.utf8)) == nil, "nothing usable at rest")
            }
        }
    }
}
