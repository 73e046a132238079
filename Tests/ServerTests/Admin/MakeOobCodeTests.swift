import JSON
import Testing

@Suite("Links of administrators")
struct MakeOobCodeTests {
    private static func make(_ server: TestServer, _ members: JSONValue) throws -> Answer {
        var object = members.object ?? JSONObject()
        object["returnOobLink"] = true
        return try server.admin("accounts:sendOobCode", .object(object))
    }

    @Test func `a sign-in link is answered and not mailed, and signs in`() async throws {
        try await TestServer.run { server in
            let answer = try Self.make(
                server,
                [
                    "requestType": "EMAIL_SIGNIN", "email": "Ann@example.com",
                    "continueUrl": "https://app.example.com/in",
                ]
            )
            #expect(answer.status == 200)
            #expect(answer.keys == ["kind", "email", "oobCode", "oobLink", "requestId"])
            #expect(answer["email"] == "ann@example.com")
            #expect(answer["oobCode"].utf8.count == 54)
            let link = answer["oobLink"]
            #expect(link.contains("mode=signIn") && link.contains("oobCode=\(answer["oobCode"])"))
            #expect(link.contains("apiKey=") && link.contains("continueUrl=https%3A%2F%2Fapp.example.com%2Fin"))
            let ann = try Tokens(server.redeem(answer["oobCode"], "ann@example.com"))
            #expect(try server.redeem(answer["oobCode"], "ann@example.com").code == "INVALID_OOB_CODE")
            #expect(try server.user(ann.idToken)["emailVerified"] == true)
            #expect(try server.messages().isEmpty)
        }
    }

    @Test func `verification and change are made by address, or by token`() async throws {
        try await TestServer.run { server in
            try server.create(["localId": "ann", "email": "ann@example.com"])
            let verify = try Self.make(server, ["requestType": "VERIFY_EMAIL", "email": "ANN@example.com"])
            #expect(verify["oobLink"].contains("mode=verifyEmail"))
            let applied = try server.call("accounts:update", ["oobCode": .string(verify["oobCode"])])
            #expect(applied.json["emailVerified"] == true)
            let change = try Self.make(
                server,
                ["requestType": 7, "email": "ann@example.com", "new_email": "New@example.com"]
            )
            #expect(change["email"] == "ann@example.com", "the present one")
            #expect(change["oobLink"].contains("mode=verifyAndChangeEmail"))
            #expect(
                try server.call("accounts:update", ["oobCode": .string(change["oobCode"])])["newEmail"]
                    == "new@example.com"
            )
            let notice = try server.message(after: 0)
            #expect(notice.to == "ann@example.com", "as after every change")
            let bob = try server.signIn("bob@example.com")
            let byToken = try Self.make(
                server,
                ["requestType": "VERIFY_EMAIL", "idToken": .string(bob.idToken), "email": "ignored"]
            )
            #expect(byToken["email"] == "bob@example.com")
            #expect(byToken.keys.contains("oobLink"))
        }
    }

    static let refusals: [(name: String, body: JSONValue, status: Int, code: String)] = [
        ("nothing", [:], 400, "MISSING_REQ_TYPE"),
        ("no URL", ["requestType": "EMAIL_SIGNIN", "continueUrl": "x"], 400, "INVALID_CONTINUE_URI"),
        ("nobody", ["requestType": "EMAIL_SIGNIN"], 400, "MISSING_EMAIL"),
        ("no address", ["requestType": "EMAIL_SIGNIN", "email": "x"], 400, "INVALID_EMAIL"),
        ("nobody to verify", ["requestType": "VERIFY_EMAIL"], 400, "MISSING_EMAIL"),
        ("a stranger", ["requestType": "VERIFY_EMAIL", "email": "x@example.com"], 400, "USER_NOT_FOUND"),
        ("a bad token", ["requestType": "VERIFY_EMAIL", "idToken": "x"], 400, "INVALID_ID_TOKEN"),
        ("no new address, first", ["requestType": "VERIFY_AND_CHANGE_EMAIL"], 400, "MISSING_NEW_EMAIL"),
        (
            "no old address", ["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "n@example.com"], 400,
            "MISSING_EMAIL"
        ),
        (
            "a taken one",
            ["requestType": "VERIFY_AND_CHANGE_EMAIL", "email": "ann@example.com", "newEmail": "bob@example.com"], 400,
            "EMAIL_EXISTS"
        ),
        ("a password of nobody", ["requestType": "PASSWORD_RESET"], 400, "MISSING_EMAIL"),
        ("a password", ["requestType": "PASSWORD_RESET", "email": "ann@example.com"], 400, "OPERATION_NOT_ALLOWED"),
        (
            "another type", ["requestType": "RECOVER_EMAIL", "email": "ann@example.com"], 501,
            "NOT_IMPLEMENTED : Latchkey does not support requests"
        ),
    ]

    @Test func `what cannot be made is refused in the order that clients know`() async throws {
        try await TestServer.run { server in
            try server.create(["email": "ann@example.com"])
            try server.create(["email": "bob@example.com"])
            for (name, body, status, code) in Self.refusals {
                let answer = try Self.make(server, body)
                #expect(answer.status == status, "\(name): \(answer.text)")
                #expect(answer.message.hasPrefix(code), "\(name): \(answer.text)")
            }
            let client = try server.call(
                "accounts:sendOobCode",
                ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com", "returnOobLink": true]
            )
            #expect(client.code == "INSUFFICIENT_PERMISSION")
        }
    }

    @Test func `without asking for the link the mail goes out, and the answer says no more than to clients`()
        async throws
    {
        try await TestServer.run { server in
            let answer = try server.admin(
                "accounts:sendOobCode",
                ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"],
                scoped: false
            )
            #expect(answer.status == 200 && !answer.keys.contains("oobCode") && !answer.keys.contains("oobLink"))
            #expect(try server.message(after: 0).to == "ann@example.com")
            let missing = try server.admin(
                "accounts:sendOobCode",
                ["requestType": "VERIFY_EMAIL", "email": "a@example.com"]
            )
            #expect(missing.code == "INVALID_ID_TOKEN")
        }
    }

    @Test func `links are made while mails to the address are at their limit`() async throws {
        try await TestServer.run(["LIMITS_MAILS_PER_ADDRESS": "2"]) { server in
            for _ in 0..<5 {
                let answer = try Self.make(server, ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"])
                #expect(answer.status == 200)
            }
        }
    }
}
