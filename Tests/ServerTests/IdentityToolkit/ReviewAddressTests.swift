import JSON
import Server
import Testing

@Suite("Review addresses")
struct ReviewAddressTests {
    private static let file = """
        { reviewAddresses: [{ email: "Review@Example.com", code: "open-sesame", until: "2999-12-31" }] }
        """

    private static func ask(_ server: TestServer, idToken: String? = nil) throws -> Answer {
        var object: [String: JSONValue] = [:]
        if let idToken { object["idToken"] = .string(idToken) }
        var members = JSONObject()
        members["requestType"] = "EMAIL_SIGNIN"
        members["email"] = "review@example.com"
        if let idToken { members["idToken"] = .string(idToken) }
        return try server.call("accounts:sendOobCode", .object(members))
    }

    @Test func `a review address signs in by its fixed code, without any mail`() async throws {
        try await TestServer.run(file: Self.file) { server in
            let asked = try Self.ask(server)
            #expect(
                asked.keys == ["kind", "email", "requestId", "ticket", "confirmation", "expiresIn"],
                "the answer looks like any other"
            )
            #expect(try server.redeemTicket(asked["ticket"], code: "open-sesamf").code == "INVALID_SIGN_IN_CODE")
            let answer = try server.redeemTicket(asked["ticket"], code: "open-sesame")
            #expect(answer.status == 200)
            #expect(answer["email"] == "review@example.com")
            _ = try server.askForLink("marker@example.com")
            #expect(try server.messages().count == 1)
            let again = try server.redeemTicket(try Self.ask(server)["ticket"], code: "open-sesame")
            #expect(again["localId"] == answer["localId"])
        }
    }

    @Test func `a review address never opens the account of a real user`() async throws {
        try await TestServer.run { server in
            _ = try server.signIn("review@example.com")
        }
        try await TestServer.run(file: Self.file) { server in
            // A real user who got the address before it became a review address.
            let real = try server.guest()
            let set = try server.call(
                "accounts:update",
                ["idToken": .string(real.idToken), "email": "review@example.com"]
            )
            #expect(set.status == 200)
            let answer = try server.redeemTicket(try Self.ask(server)["ticket"], code: "open-sesame")
            #expect(answer.code == "OPERATION_NOT_ALLOWED")
        }
    }

    @Test func `a review address never opens an administrator's account`() async throws {
        try await TestServer.run(file: Self.file) { server in
            let first = try server.redeemTicket(try Self.ask(server)["ticket"], code: "open-sesame")
            let desk = try Operator(file: server.file, environment: server.environment)
            defer { desk.close() }
            try desk.setAdministrator(true, first["localId"])
            let answer = try server.redeemTicket(try Self.ask(server)["ticket"], code: "open-sesame")
            #expect(answer.code == "OPERATION_NOT_ALLOWED")
        }
    }

    @Test func `a review address that is over is one like any other`() async throws {
        let file = """
            { reviewAddresses: [{ email: "review@example.com", code: "open-sesame", until: "2020-01-01" }] }
            """
        try await TestServer.run(file: file) { server in
            let asked = try server.askForLink("review@example.com")
            #expect(try server.redeemTicket(asked.ticket, code: "open-sesame").code == "INVALID_SIGN_IN_CODE")
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).status == 200)
        }
    }

    @Test func `a fixed code is guessed no more often than any other`() async throws {
        try await TestServer.run(file: Self.file) { server in
            let asked = try Self.ask(server)
            for _ in 0..<3 {
                #expect(try server.redeemTicket(asked["ticket"], code: "12345678").code == "INVALID_SIGN_IN_CODE")
            }
            #expect(try server.redeemTicket(asked["ticket"], code: "open-sesame").code == "TICKET_ENDED")
        }
    }
}
