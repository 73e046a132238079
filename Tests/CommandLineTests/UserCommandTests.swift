import Foundation
import PostgreSQLHarness
import Testing

/// `latchkey users`, in a separate process.
@Suite("Users from the command line", .timeLimit(.minutes(3))) struct UserCommandTests {
    @Test(arguments: [("new", "new@example.com"), ("old", "old@example.com")])
    func `resolve gives a contested account to the address that --keep names`(kept: String, address: String)
        async throws
    {
        let folder = NSTemporaryDirectory() + "latchkey-user-command-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try PostgreSQLServer.shared.get()
        let url = try server.makeDatabase()
        func latchkey(_ words: [String]) async throws -> ProgramResult {
            let environment = ["LATCHKEY_SECRET": DatabaseCommandTests.secret]
            return try await runProgram(words + ["--database", url], input: "", environment: environment)
        }
        let users = folder + "/users.json"
        let user = #"{"users":[{"localId":"u1","email":"new@example.com","emailVerified":true}]}"#
        try Data(user.utf8).write(to: URL(filePath: users))
        #expect(try await latchkey(["import", "firebase", users]).status == 0)
        try server.psql(url, "UPDATE users SET contested_at = 1, contested_email = 'old@example.com'")

        let asked = try await latchkey(["users", "resolve", "u1", "--keep", kept])
        #expect(asked.status == 2 && asked.error.contains("It cannot be undone.") && asked.error.contains("--yes"))
        let done = try await latchkey(["users", "resolve", "u1", "--keep", kept, "--yes"])
        #expect(done.status == 0 && done.output.contains(address), "\(done.output) \(done.error)")
        #expect(try await latchkey(["users", "list"]).output.contains("u1  \(address)"))
        let again = try await latchkey(["users", "resolve", "u1", "--keep", kept])
        #expect(again.status == 1, "nothing is contested any more")
    }
}
