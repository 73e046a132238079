import AccountDatabase
import Database
import Foundation
import JSON
import PostgreSQLHarness
import SMTPHarness
import Server
import Testing

@Suite("Data of one user")
struct UserDataTests {
    /// Makes the operator's tables, with rows of two users.
    private static func makeTables(_ server: TestServer, _ ann: String, _ bob: String) throws {
        try server.withDatabase { transaction in
            let binary: SQL = TestDatabase.isFile ? "BLOB" : "BYTEA"
            let bytes: SQL = TestDatabase.isFile ? "x'00ff10'" : "'\\x00ff10'"
            try transaction.execute(
                """
                CREATE TABLE notes (id INTEGER PRIMARY KEY, owner TEXT NOT NULL REFERENCES users (uid) ON DELETE CASCADE,
                    reader TEXT REFERENCES users (uid) ON DELETE SET NULL, body TEXT, size DOUBLE PRECISION, picture \(binary))
                """
            )
            try transaction.execute("INSERT INTO notes VALUES (1, \(ann), \(bob), 'of \"Ann\"', 1.5, \(bytes))")
            try transaction.execute("INSERT INTO notes VALUES (2, \(bob), \(ann), 'of Bob', NULL, NULL)")
            try transaction.execute("INSERT INTO notes VALUES (3, \(bob), NULL, 'secret of Bob', NULL, NULL)")
        }
    }

    private static func put(_ server: TestServer, _ token: String, _ name: String, _ content: String) throws {
        let answer = try server.send(
            "PUT",
            "/v1/documents/\(name)",
            headers: ["Authorization: Bearer \(token)", "Content-Type: application/json"],
            body: Array(content.utf8)
        )
        try #require(answer.status < 300, "\(answer.text)")
    }

    private static func export(_ server: TestServer, _ name: String) throws -> JSONValue {
        var bytes: [UInt8] = []
        try server.withOperator { desk in _ = try desk.exportUser(name) { bytes += $0 } }
        return try JSONValue.parse(bytes)
    }

    @Test func `an export has all of a user's data, and nothing of others`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com"), bob = try server.signIn("bob@example.com")
            try Self.makeTables(server, ann.uid, bob.uid)
            try Self.put(server, ann.idToken, "diary/1", #"{"of":"Ann"}"#)
            try Self.put(server, bob.idToken, "diary/1", #"{"of":"secret of Bob"}"#)
            let merged = try server.guest()
            let merge = try server.call(
                "accounts:merge",
                ["idToken": .string(ann.idToken), "anonymousIdToken": .string(merged.idToken)]
            )
            #expect(merge.status == 200, "\(merge.text)")
            let export = try Self.export(server, "ann@example.com")
            #expect(
                export.names == [
                    "format", "exportedAt", "user", "identities", "sessions", "standing", "merges", "mailTrace",
                    "audit", "tables",
                    "documents",
                ]
            )
            #expect(export["format"] == "latchkey-user-1")
            #expect(export["user"]?["email"]?.string == "ann@example.com" && export["user"]?["uid"]?.string == ann.uid)
            #expect(export["sessions"]?.array?.isEmpty == false)
            #expect(export["merges"]?.array?.first?["guest"]?.string == merged.uid)
            let events = export["audit"]?.array?.compactMap { $0["event"]?.string } ?? []
            #expect(events.first == "user.exported" && events.last == "user.created")
            let notes = export["tables"]?["notes"]?.array ?? []
            #expect(notes.count == 2, "\(notes)")
            let own = notes.first { $0["id"] == 1 }, read = notes.first { $0["id"] == 2 }
            #expect(own?["owner"]?.string == ann.uid && own?["reader"] == .null && own?["body"] == #"of "Ann""#)
            let size = own?["size"].map { String(decoding: $0.serialized(), as: UTF8.self) }
            #expect(size == "1.5" && own?["picture"]?.string == "AP8Q")
            #expect(read?["owner"] == .null && read?["reader"]?.string == ann.uid)
            #expect(export["documents"]?.array?.count == 1)
            let text = String(decoding: export.serialized(), as: UTF8.self)
            for foreign in [bob.uid, "bob@", "secret of Bob", ann.refreshToken, ann.idToken] {
                #expect(!text.contains(foreign), "\(foreign)")
            }
            try server.withOperator { desk in
                #expect(throws: Operator.Failure.self) { try desk.exportUser("nobody") { _ in } }
            }
        }
    }

    @Test func `an export of many documents and entries has each once`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            try server.withDatabase { transaction in
                for number in 0..<1200 {
                    try transaction.execute(
                        """
                        INSERT INTO audit_log (at, event, uid, detail)
                        VALUES (\(transaction.now), 'e', \(ann.uid), \("\(number)"))
                        """
                    )
                    try transaction.execute(
                        """
                        INSERT INTO documents (uid, collection, name, bytes, version, created_at, updated_at, content)
                        VALUES (\(ann.uid), 'c', \("n\(number)"), 2, \(number), 1, 1, '{}')
                        """
                    )
                }
            }
            let export = try Self.export(server, ann.uid)
            let ids = export["documents"]?.array?.compactMap { $0["id"]?.string } ?? []
            #expect(ids.count == 1200 && Set(ids).count == 1200)
            let details =
                export["audit"]?.array?.filter { $0["event"] == "e" }.compactMap { $0["detail"]?.string } ?? []
            #expect(details.count == 1200 && Set(details).count == 1200)
        }
    }

    @Test func `an erased user leaves the UID alone`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com"), bob = try server.signIn("bob@example.com")
            _ = try server.signIn("ann@example.com")
            try Self.put(server, ann.idToken, "diary/1", #"{"of":"Ann"}"#)
            _ = try server.askForLink("ann@example.com")
            try server.waitUntilMailsAreFinished()
            try server.withDatabase { transaction in
                // An e-mail that waits for its next attempt.
                try transaction.execute("UPDATE outbox SET reason = 'x' WHERE state <> 'queued'")
            }
            let before = try server.dump()
            try server.withOperator { desk in
                let supposed = try desk.eraseUser(ann.uid, isDryRun: true)
                #expect(supposed.removed["sessions"] == 2 && supposed.removed["documents"] == 1)
            }
            #expect(try server.dump() == before, "a dry run changes nothing")
            try server.withOperator { desk in
                let receipt = try desk.eraseUser(ann.uid)
                #expect(receipt.uid == ann.uid && receipt.actor.hasPrefix("login:"))
                #expect(receipt.removed["sessions"] == 2 && receipt.removed["documents"] == 1)
                #expect((receipt.removed["tickets"] ?? 0) >= 3 && (receipt.removed["links"] ?? 0) >= 3)
                #expect((receipt.removed["mails"] ?? 0) >= 3 && (receipt.removed["counters"] ?? 0) > 0)
                #expect(throws: Operator.Failure.self) { try desk.eraseUser(ann.uid) }
                let entries = try desk.audit(.init(), limit: 10).items
                #expect(entries.first?.event == "user.erased" && entries.first?.detail?.contains("sessions 2") == true)
            }
            let left = try server.dump()
            #expect(!left.contains { $0.contains("ann@example.com") }, "\(left)")
            let tables = left.filter { $0.contains(ann.uid) }.compactMap { $0.split(separator: "|").first }
            #expect(Set(tables) == ["audit_log", "former_users"])
            #expect(left.contains { $0.contains("bob@example.com") })
            #expect(try server.lookup(bob.idToken).status == 200)
            #expect(try server.signIn("ann@example.com").uid != ann.uid, "the address may sign up again")
        }
    }

    @Test func `an address that was never proven brings its user no stranger's data, and keeps it from erasure`()
        async throws
    {
        try await TestServer.run { server in
            let planter = try server.guest()
            try server.withDatabase { transaction in
                try transaction.execute("UPDATE users SET email = 'victim@example.com' WHERE uid = \(planter.uid)")
            }
            _ = try server.askForLink("victim@example.com")
            let export = try Self.export(server, planter.uid)
            #expect(export["mailTrace"]?.array?.isEmpty == true)
            try server.withOperator { desk in
                let receipt = try desk.eraseUser(planter.uid)
                #expect(receipt.removed["tickets"] == nil && receipt.removed["trace"] == nil)
                #expect(try desk.trace("victim@example.com").items.count == 1)
            }
        }
    }

    @Test func `an export names the devices of its user's own requests only`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            _ = try server.askForLink("ann@example.com")
            let requests = try Self.export(server, ann.uid)["mailTrace"]?.array ?? []
            #expect(requests.count >= 2)
            let events = requests.flatMap { $0["events"]?.array ?? [] }
            #expect(events.contains { $0["event"] == "queued" && $0["device"] == nil && $0["network"] == nil })
        }
    }

    @Test func `an e-mail that waits is erased with its user, and those of others stay`() async throws {
        try await TestServer.runInProduction { server in
            let ann = try server.signIn("ann@example.com")
            _ = try server.signIn("bob@example.com")
            try server.waitUntilMailsAreFinished()
            server.smtp?.faults = .transient(451)
            for email in ["ann@example.com", "bob@example.com"] {
                let asked = try server.call(
                    "accounts:sendOobCode",
                    ["requestType": "EMAIL_SIGNIN", "email": .string(email)]
                )
                #expect(asked.status == 200)
            }
            func waiting() throws -> Int { try server.withDatabase { try $0.waitingPayloads().count } }
            #expect(try waiting() == 2)
            try server.withOperator { _ = try $0.eraseUser(ann.uid) }
            #expect(try waiting() == 1)
        }
    }
}
