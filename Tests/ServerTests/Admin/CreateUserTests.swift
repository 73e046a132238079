import AccountDatabase
import Database
import JSON
import Server
import Testing

@Suite("Creation of users by administrators")
struct CreateUserTests {
    @Test func `a user is created with all that is given, and no session begins`() async throws {
        try await TestServer.run { server in
            let answer = try server.admin(
                "accounts",
                [
                    "localId": "ann", "email": "Ann@Example.com", "displayName": "Ann",
                    "photoUrl": "https://x.example/a",
                    "emailVerified": true, "disabled": true,
                ]
            )
            #expect(answer.status == 200)
            #expect(answer.keys == ["kind", "localId", "displayName", "email"])
            #expect(answer["kind"] == "identitytoolkit#SignupNewUserResponse")
            #expect(answer["email"] == "ann@example.com")
            let user = try server.find(uid: "ann")
            #expect(user["emailVerified"] == true && user["disabled"] == true)
            #expect(user["displayName"]?.string == "Ann" && user["photoUrl"]?.string == "https://x.example/a")
            #expect(
                user["providerUserInfo"] == nil && user["emailLinkSignin"] == nil,
                "an address alone is no sign-in method"
            )
            #expect(user["validSince"] == nil, "nothing was ever revoked")
        }
    }

    @Test func `nothing is needed, and the user is no guest`() async throws {
        try await TestServer.run { server in
            for scoped in [true, false] {
                let answer = try server.admin(scoped ? "accounts" : "accounts:signUp", scoped: scoped)
                #expect(answer.keys == ["kind", "localId"])
                let uid = answer["localId"]
                #expect(uid.utf8.count == 28)
                #expect(try server.find(uid: uid).names == ["localId", "lastLoginAt", "createdAt", "lastRefreshAt"])
                #expect(try !server.isGuest(uid))
            }
            let unverified = try server.create(["email": "b@example.com"])
            #expect(try server.find(uid: unverified)["emailVerified"] == false)
        }
    }

    static let refusals: [(name: String, body: JSONValue, status: Int, code: String)] = [
        ("a UID that is taken", ["localId": "taken"], 400, "DUPLICATE_LOCAL_ID"),
        ("an address that is taken", ["email": "TAKEN@example.com"], 400, "EMAIL_EXISTS"),
        ("both", ["localId": "taken", "email": "taken@example.com"], 400, "DUPLICATE_LOCAL_ID"),
        ("no address", ["email": "nonsense"], 400, "INVALID_EMAIL"),
        ("a long UID", ["localId": .string(String(repeating: "x", count: 129))], 400, "INVALID_LOCAL_ID"),
        ("a UID with a line end", ["localId": "a\nb"], 400, "INVALID_LOCAL_ID"),
        ("a token with a UID", ["localId": "x", "idToken": "x"], 400, "UNEXPECTED_PARAMETER : User ID"),
        ("a token", ["idToken": "x"], 400, "OPERATION_NOT_ALLOWED"),
        ("a password", ["password": "secret"], 400, "OPERATION_NOT_ALLOWED"),
        ("a telephone number", ["phoneNumber": "+41441234567"], 501, "NOT_IMPLEMENTED : "),
        (
            "a second factor", ["mfaInfo": [["phoneInfo": "+41441234567"]]], 501,
            "NOT_IMPLEMENTED : Latchkey does not support second factors"
        ),
        ("a name with control characters", ["displayName": "a\u{7}"], 400, "INVALID_PROFILE"),
        ("a number for a name", ["displayName": 1], 400, "Invalid JSON payload"),
    ]

    @Test func `what cannot be is refused, and nothing is made`() async throws {
        try await TestServer.run { server in
            try server.create(["localId": "taken", "email": "taken@example.com"])
            for (name, body, status, code) in Self.refusals {
                let answer = try server.admin("accounts", body)
                #expect(answer.status == status, "\(name): \(answer.text)")
                #expect(answer.message.hasPrefix(code), "\(name): \(answer.text)")
            }
            #expect(try server.admin("accounts:query", ["returnUserInfo": false])["recordsCount"] == "1")
        }
    }

    @Test func `a UID that was deleted may come again, without what spoke for the one before`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "off"]) { server in
            let ann = try server.signIn("ann@example.com")
            let known = try server.messages().count
            let asked = try server.call(
                "accounts:update",
                ["idToken": .string(ann.idToken), "email": "other@example.com"]
            )
            #expect(asked.status == 200)
            let wayBack = try server.message(after: known)
            try server.withOperator { try $0.setAdministrator(true, ann.uid) }
            #expect(try server.admin("accounts:delete", ["localId": .string(ann.uid)]).status == 200)
            #expect(try server.administrators().isEmpty)

            #expect(try server.create(["localId": .string(ann.uid), "email": "new@example.com"]) == ann.uid)
            #expect(try server.lookup(ann.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.refresh(ann.refreshToken).code == "INVALID_REFRESH_TOKEN")
            let recovered = try server.call("accounts:update", ["oobCode": .string(wayBack.oobCode)])
            #expect(recovered.code == "INVALID_OOB_CODE", "an old link does not open the new account")
            #expect(try server.find(uid: ann.uid)["email"]?.string == "new@example.com")
            #expect(try server.admin("accounts:delete", ["localId": .string(ann.uid)]).status == 200, "and go again")
            #expect(try server.find(["localId": [.string(ann.uid)]]).isEmpty)
        }
    }

    @Test func `a UID that was merged away is never given again`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            try server.elsewhere { store in
                try store.database.writeNow { try $0.deleteUser(guest.uid, mergedInto: "other") }
            }
            let answer = try server.admin("accounts", ["localId": .string(guest.uid)])
            #expect(answer.code == "DUPLICATE_LOCAL_ID")
        }
    }

    @Test func `of many who create the same user at once, one does`() async throws {
        try await TestServer.run { server in
            let body: JSONValue = ["localId": "ann", "email": "ann@example.com"]
            let answers = try server.adminAtOnce(Array(repeating: ("accounts", body), count: 20))
            #expect(answers.filter { $0.status == 200 }.count == 1)
            #expect(answers.filter { $0.code == "DUPLICATE_LOCAL_ID" }.count == 19)
        }
    }
}
