import Foundation
import JSON
import PostgreSQLHarness
import Testing

/// Databases that earlier versions left behind (Tests/Fixtures/make), with e-mails that their relay did not take.
@Suite("A database of an earlier version")
struct FixtureTests {
    @Test(arguments: ["schema-11"])
    func `opens, and its sessions, documents and e-mails go on`(name: String) async throws {
        try await Self.run(name) { server, scene in
            let guest = try #require(scene["guest"]), ann = try #require(scene["ann"])
            var idTokens: [String] = []
            for user in [guest, ann] {
                let token = try server.refresh(Self.text(user, "refreshToken"))
                idTokens.append(token["id_token"])
                #expect(token["user_id"] == Self.text(user, "uid"))
                let document = try server.send(
                    "GET",
                    "/v1/documents/notes/first",
                    headers: ["Authorization: Bearer \(token["id_token"])"]
                )
                #expect(document.json == scene["document"])
            }

            try server.eventually("all mails have left") { try server.allMessages().count == 6 }
            let mails = try server.allMessages()
            // The address of the sixth has changed to the new one since it was queued.
            #expect(
                mails.map { "\($0.to) \($0.parameter("mode"))" }.sorted() == [
                    "ann@example.com ", "ann@example.com revertMethodChange", "ann@example.com signIn",
                    "ben@example.com recoverEmail", "ben@example.net ", "new@example.com signIn",
                ]
            )
            func mail(_ address: String, _ mode: String) throws -> Mail {
                try #require(mails.first { $0.to == address && $0.parameter("mode") == mode })
            }
            let code = try mail("new@example.com", "signIn").oobCode
            let linked = try server.redeem(code, "new@example.com", idToken: idTokens[0])
            #expect(linked["localId"] == Self.text(guest, "uid"))
            let entered = try server.redeemTicket(
                Self.text(ann, "ticket"),
                code: mail("ann@example.com", "signIn").digits
            )
            #expect(entered["localId"] == Self.text(ann, "uid"), "\(entered.text)")
            let recovered = try server.call(
                "accounts:update",
                ["oobCode": .string(mail("ben@example.com", "recoverEmail").oobCode)]
            )
            #expect(recovered["email"] == "ben@example.com", "\(recovered.text)")
            let reverted = try server.answerLink(mail("ann@example.com", "revertMethodChange").oobCode, "revert")
            #expect(reverted.status == 200)
        }
    }

    private static func text(_ value: JSONValue, _ name: String) -> String { value[name]?.string ?? "" }

    /// Runs a server on a copy of a fixture, a minute after it was made.
    private static func run(
        _ name: String,
        _ body: @escaping @Sendable (TestServer, JSONValue) throws -> Void
    ) async throws {
        let fixture = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/\(name)")
        let scenes = try JSONValue.parse(Array(Data(contentsOf: fixture.appending(path: "scene.json"))))
        let scene = try #require(scenes[TestDatabase.Engine.current.rawValue])
        let clock = TestClock()
        clock.set(try #require(scene["madeAt"]?.int64) + 60_000)
        try await TestServer.gate.pass {
            try await TestServer.inThread {
                try TestServer.inFolder { folder in
                    let database = try TestDatabase(
                        in: folder.path,
                        fromFile: fixture.appending(path: "latchkey.db").path,
                        orDump: fixture.appending(path: "latchkey.sql").path
                    )
                    let settings = ["SECRET": TestServer.secret, "EMAIL_PRIVACY": "true"]
                    try TestServer.serve(settings, folder: folder, database: database, clock: clock) {
                        try body($0, scene)
                    }
                }
            }
        }
    }
}
