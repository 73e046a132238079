import Database
import JSON
import Testing

@Suite("Notices of changed addresses")
struct NoticeTests {
    private static let settings = ["EMAIL_PRIVACY": "false", "SIGN_IN_ANONYMOUS": "true"]

    /// Signs in and changes the address this many times; each change ends the session and returns a new one.
    ///
    /// - Returns: the newest ID token.
    @discardableResult
    private static func changeAddress(
        _ tokens: Tokens,
        times: Int,
        _ server: TestServer
    ) throws -> String {
        var idToken = tokens.idToken
        for number in 0..<times {
            let answer = try server.call(
                "accounts:update",
                ["idToken": .string(idToken), "email": .string("x\(number)@example.com"), "returnSecureToken": true]
            )
            try #require(answer.status == 200, "\(answer.text)")
            idToken = answer["idToken"]
        }
        return idToken
    }

    /// Gives a user an unproven address.
    private static func unprove(_ tokens: Tokens, _ server: TestServer) throws {
        let uid = tokens.uid
        try server.withDatabase { transaction in
            try transaction.execute(
                """
                UPDATE users SET email = 'victim@example.com', email_verified_at = NULL, initial_email = NULL
                WHERE uid = \(uid)
                """
            )
        }
    }

    @Test func `a hundred changes put no notice into an unproven mailbox`() async throws {
        try await TestServer.runInProduction(Self.settings) { server in
            let ann = try server.signIn("ann@example.com")
            try Self.unprove(ann, server)
            try Self.changeAddress(ann, times: 100, server)
            try server.waitUntilMailsAreFinished()
            #expect(try server.messages().map(\.to) == ["ann@example.com"])
            let codes = try server.withDatabase { transaction in
                try transaction.first("SELECT count(*) FROM action_codes WHERE purpose = 'RECOVER_EMAIL'") {
                    try $0.integer(0)
                }
            }
            #expect(codes == 0)
        }
    }

    @Test func `in development an unproven address gets the code that Firebase's emulator makes`() async throws {
        try await TestServer.run(Self.settings) { server in
            let ann = try server.signIn("ann@example.com")
            try Self.unprove(ann, server)
            try Self.changeAddress(ann, times: 1, server)
            let mail = try server.message(after: 1)
            #expect(mail.to == "victim@example.com" && mail.parameter("mode") == "recoverEmail")
            let codes = try server.send("GET", "/emulator/v1/projects/demo-latchkey/oobCodes")
            #expect(codes.text.contains("RECOVER_EMAIL"), "\(codes.text)")
        }
    }

    @Test func `a proven address hears of every change, and the eleventh of a day is refused`() async throws {
        try await TestServer.runInProduction(Self.settings) { server in
            server.clock.startHour()
            let ann = try server.signIn("ann@example.com")
            // Unknown clients use up their half of the address's e-mails, which does not delay any notice.
            for source in ["127.0.0.2", "127.0.0.3"] {
                for _ in 0..<3 {
                    let body: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"]
                    _ = try server.call("accounts:sendOobCode", body, from: source)
                }
            }
            try server.waitUntilMailsAreFinished()
            let known = try server.messages().count
            let idToken = try Self.changeAddress(ann, times: 10, server)
            let refused = try server.call(
                "accounts:update",
                ["idToken": .string(idToken), "email": "x10@example.com"]
            )
            #expect(refused.status == 429 && refused.code == "TOO_MANY_ATTEMPTS_TRY_LATER", "\(refused.text)")
            try server.waitUntilMailsAreFinished()
            let notices = try server.messages().dropFirst(known)
            #expect(notices.count == 10 && notices.allSatisfy { $0.to == "ann@example.com" }, "\(notices.map(\.to))")
        }
    }
}
