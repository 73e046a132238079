import Foundation
import PostgreSQLHarness
import Testing

/// `latchkey database`, in a separate process.
@Suite("Copies and checks from the command line", .timeLimit(.minutes(3))) struct DatabaseCommandTests {
    let folder = NSTemporaryDirectory() + "latchkey-database-command-" + UUID().uuidString
    static let secret = "a-secret-of-at-least-thirty-two-bytes"

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func cleanUp() { try? FileManager.default.removeItem(atPath: folder) }

    func latchkey(_ words: [String], secret: String? = secret) async throws -> ProgramResult {
        try await runProgram(words, input: "", environment: secret.map { ["LATCHKEY_SECRET": $0] } ?? [:])
    }

    /// Makes a database with a few users.
    func source() async throws -> String {
        let users = folder + "/users.json"
        try Data(#"{"users":[{"localId":"u1","email":"a@b.c"},{"localId":"u2"}]}"#.utf8).write(to: URL(filePath: users))
        let url = "sqlite:\(folder)/source.db"
        let done = try await latchkey(["import", "firebase", users, "--database", url])
        #expect(done.status == 0, "\(done.error)")
        return url
    }

    @Test func `a database goes to PostgreSQL and back, and is checked there`() async throws {
        defer { cleanUp() }
        let source = try await source()
        let server = try PostgreSQLServer.shared.get()
        let middle = try server.makeDatabase(), end = "sqlite:\(folder)/end.db"

        let there = try await latchkey(["database", "copy", "--from", source, "--to", middle])
        #expect(there.status == 0, "\(there.error)")
        #expect(there.output.contains("counts and checksums match"))
        let back = try await latchkey(["database", "copy", "--from", middle, "--to", end, "--json"])
        #expect(back.status == 0, "\(back.error)")
        #expect(back.output.contains(#""name":"users","rows":2"#))
        #expect(back.output.contains(#""sourceChanged":false"#))

        for url in [middle, end] {
            let check = try await latchkey(["database", "check", "--database", url])
            #expect(check.status == 0, "\(check.error)")
            #expect(check.output.contains("No problems found."))
            let users = try await latchkey(["users", "list", "--database", url])
            #expect(users.output.contains("u1  a@b.c"))
        }
        let again = try await latchkey(["database", "copy", "--from", source, "--to", middle])
        #expect(again.status == 1)
        #expect(again.error.contains("--force"))

        try server.psql(middle, "INSERT INTO former_users (uid, created_at, gone_at) VALUES ('u1', 1, 1)")
        let broken = try await latchkey(["database", "check", "--database", middle, "--json"])
        #expect(broken.status == 1)
        #expect(broken.output.contains(#""examples":["u1"],"rule":"user-twice""#))
        #expect(broken.error.contains(#""code":"findings""#))
    }

    @Test func `a secret that is not the source's is refused before anything is copied`() async throws {
        defer { cleanUp() }
        let source = try await source()
        let words = ["database", "copy", "--from", source, "--to", "sqlite:\(folder)/end.db"]
        let refused = try await latchkey(words, secret: "another-secret-of-thirty-two-bytes!!")
        #expect(refused.status == 1)
        #expect(refused.error.contains("secret does not belong"))
        #expect(!FileManager.default.fileExists(atPath: folder + "/end.db"))
        let given = try await latchkey(words, secret: nil)
        #expect(given.status == 0)
        let stranger = try await latchkey(
            ["users", "list", "--database", "sqlite:\(folder)/end.db"],
            secret: "another-secret-of-thirty-two-bytes!!"
        )
        #expect(stranger.status == 1)
        #expect(stranger.error.contains("secret does not belong"))
    }

    @Test(arguments: [["users", "list"], ["database", "check"], ["keys", "list"]])
    func `a database that cannot be reached ends with status 3`(words: [String]) async throws {
        defer { cleanUp() }
        let nowhere = "postgresql://latchkey@127.0.0.1:1/latchkey"
        let result = try await latchkey(words + ["--database", nowhere])
        #expect(result.status == 3)
        #expect(result.error.contains("Cannot reach the database"))
        let json = try await latchkey(words + ["--database", nowhere, "--json"])
        #expect(json.error.contains(#""code":"database-unreachable""#))
    }

    @Test func `neither URL is wrong usage, and a source that is not there is named`() async throws {
        defer { cleanUp() }
        #expect(try await latchkey(["database", "copy"]).status == 2)
        let missing = try await latchkey(
            ["database", "copy", "--from", "sqlite:\(folder)/none.db", "--to", "sqlite:\(folder)/end.db"]
        )
        #expect(missing.status == 1)
        #expect(missing.error.contains("none.db"))
        #expect(!FileManager.default.fileExists(atPath: folder + "/none.db"))
    }
}
