import Foundation
import JSON
import Testing

/// The contract's section 3.5.
@Suite("Contract, 3.5: changing users")
struct UpdateContractTests {
    private static func change(_ uid: String, _ members: JSONValue, _ server: TestServer) throws -> Answer {
        var object = members.object ?? JSONObject()
        object["localId"] = .string(uid)
        return try server.owner("/accounts:update", .object(object))
    }

    @Test func `an administrator must name an existing user`() async throws {
        try await TestServer.run { server in
            let nameless = try server.owner("/accounts:update", ["displayName": "x"])
            #expect(nameless.code == "MISSING_LOCAL_ID")
            let nobody = try server.owner("/accounts:update", ["localId": "nobody"])
            #expect(nobody.code == "USER_NOT_FOUND")
        }
    }

    @Test func `a profile is set, kept by null and deleted`() async throws {
        try await TestServer.run { server in
            let uid = try server.make(["email": "ann@example.com"])
            let set = try Self.change(uid, ["displayName": "Ann", "photoUrl": "http://x/a"], server)
            #expect(set["kind"] == "identitytoolkit#SetAccountInfoResponse")
            #expect(set["localId"] == uid)
            #expect(set["displayName"] == "Ann")
            #expect(set["photoUrl"] == "http://x/a")
            #expect(set["email"] == "ann@example.com")
            #expect(set.json["emailVerified"] == false)
            for name in ["idToken", "refreshToken", "expiresIn"] { #expect(!set.keys.contains(name), "\(name)") }
            _ = try Self.change(uid, ["displayName": nil], server)
            #expect(try server.found(uid)["displayName"] == "Ann")
            _ = try Self.change(uid, ["deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL", "PASSWORD"]], server)
            let user = try server.found(uid)
            #expect(user["displayName"] == nil)
            #expect(user["photoUrl"] == nil)
        }
    }

    @Test(arguments: ["PROVIDER", "RAW_USER_INFO"])
    func `deleting other attributes is not implemented`(_ attribute: String) async throws {
        try await TestServer.run { server in
            let uid = try server.make([:])
            #expect(try Self.change(uid, ["deleteAttribute": [.string(attribute)]], server).status == 501)
        }
    }

    @Test func `an administrator sets emailVerified, disableUser and the times`() async throws {
        try await TestServer.run { server in
            let uid = try server.make(["email": "ann@example.com"])
            let answer = try Self.change(
                uid,
                [
                    "emailVerified": true, "disableUser": true, "createdAt": "1500000000000",
                    "lastLoginAt": 1_600_000_000_000,
                ],
                server
            )
            #expect(answer.status == 200, "\(answer.text)")
            let user = try server.found(uid)
            #expect(user["emailVerified"] == true)
            #expect(user["disabled"] == true)
            #expect(user["createdAt"] == "1500000000000")
            #expect(user["lastLoginAt"] == "1600000000000")
            _ = try Self.change(uid, ["disableUser": false, "emailVerified": false], server)
            #expect(try server.found(uid)["disabled"]?.bool != true)
            #expect(try server.found(uid)["emailVerified"]?.bool != true)
        }
    }

    static let claims: [(String, String)] = [
        ("{\"a\":\"" + String(repeating: "x", count: 1000) + "\"}", "CLAIMS_TOO_LARGE"), ("{", "INVALID_CLAIMS"),
        ("[]", "INVALID_CLAIMS"), ("1", "INVALID_CLAIMS"), ("null", "INVALID_CLAIMS"), ("{}", "ok"),
        (#"{"role":"admin"}"#, "ok"),
    ]

    @Test(arguments: claims)
    func `claims are a short JSON object`(_ text: String, code: String) async throws {
        try await TestServer.run { server in
            let uid = try server.make([:])
            let answer = try Self.change(uid, ["customAttributes": .string(text)], server)
            #expect(answer.code == code)
            if code == "ok" { #expect(try server.found(uid)["customAttributes"]?.string ?? "{}" == text) }
        }
    }

    @Test(arguments: [
        "iss", "aud", "sub", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf", "auth_time", "firebase",
        "at_hash", "c_hash",
    ])
    func `a reserved claim is refused by its name`(_ claim: String) async throws {
        try await TestServer.run { server in
            let uid = try server.make([:])
            let answer = try Self.change(uid, ["customAttributes": .string("{\"\(claim)\":1}")], server)
            #expect(answer.message == "FORBIDDEN_CLAIM : \(claim)")
        }
    }

    @Test func `an administrator's address is unproven, unique and well-formed`() async throws {
        try await TestServer.run { server in
            _ = try server.make(["email": "taken@b.co"])
            let uid = try server.make(["email": "ann@example.com", "emailVerified": true])
            #expect(try Self.change(uid, ["email": "nobody"], server).code == "INVALID_EMAIL")
            #expect(try Self.change(uid, ["email": "Taken@b.co"], server).code == "EMAIL_EXISTS")
            #expect(try Self.change(uid, ["email": "New@b.co"], server).status == 200)
            let user = try server.found(uid)
            #expect(user["email"] == "new@b.co")
            #expect(user["emailVerified"]?.bool != true)
            #expect(user["initialEmail"] == "ann@example.com")
        }
    }

    @Test func `the same address again changes nothing`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let known = try server.messages().count
            #expect(try Self.change(ann.uid, ["email": "ANN@example.com"], server).status == 200)
            let user = try server.found(ann.uid)
            #expect(user["emailVerified"] == true)
            #expect(user["initialEmail"] == nil)
            #expect(try server.lookup(ann.idToken).status == 200)
            #expect(try server.messages().count == known)
        }
    }

    @Test func `the first address is kept over several changes, and each change sends it a recovery link`() async throws
    {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            for (index, email) in ["b@example.com", "c@example.com"].enumerated() {
                let known = try server.messages().count
                #expect(try Self.change(ann.uid, ["email": .string(email)], server).status == 200, "\(index)")
                let mail = try server.message(after: known)
                #expect(mail.to == "ann@example.com")
                #expect(mail.parameter("mode") == "recoverEmail")
            }
            #expect(try server.found(ann.uid)["initialEmail"] == "ann@example.com")
            let code = try #require(try server.messages().last?.oobCode)
            let recovered = try server.call("accounts:update", ["oobCode": .string(code)])
            #expect(recovered["email"] == "ann@example.com", "\(recovered.text)")
            #expect(recovered.json["emailVerified"] == true)
        }
    }

    @Test(arguments: [["email": "n@example.com"], ["validSince": "99999999999"]] as [JSONValue])
    func `a new address, and validSince, end all tokens before`(_ change: JSONValue) async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            #expect(try Self.change(ann.uid, change, server).status == 200)
            #expect(try server.lookup(ann.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.refresh(ann.refreshToken).code == "TOKEN_EXPIRED")
        }
    }

    @Test func `an administrator's validSince is stored as given, as string or number`() async throws {
        try await TestServer.run { server in
            let uid = try server.make([:])
            for value: JSONValue in ["1700000000", 1_700_000_001] {
                #expect(try Self.change(uid, ["validSince": value], server).status == 200)
                let text = value.string ?? value.int64.map(String.init)
                #expect(try server.found(uid)["validSince"]?.string == text)
            }
        }
    }

    @Test func `a provider is linked as given, once`() async throws {
        try await TestServer.run { server in
            let ann = try server.make(["localId": "ann"]), bob = try server.make(["localId": "bob"])
            for (row, code) in [
                (["rawId": "7"], "MISSING_PROVIDER_ID"), (["providerId": "google.com"], "MISSING_RAW_ID"),
            ] as [(JSONValue, String)] {
                #expect(try Self.change(ann, ["linkProviderUserInfo": row], server).code == code)
            }
            let row: JSONValue = [
                "providerId": "google.com", "rawId": "7", "email": "ann@gmail.com", "displayName": "Ann",
                "photoUrl": "http://x/a", "screenName": "ann",
            ]
            let linked = try Self.change(ann, ["linkProviderUserInfo": row], server)
            #expect(linked.json["providerUserInfo"]?.array?.first?["rawId"] == "7", "\(linked.text)")
            let stored = try #require(try server.found(ann)["providerUserInfo"]?.array?.first)
            for (name, value) in row.object?.members ?? [] { #expect(stored[name] == value, "\(name)") }
            let taken = try Self.change(bob, ["linkProviderUserInfo": row], server)
            #expect(taken.code == "FEDERATED_USER_ID_ALREADY_LINKED")
            _ = try Self.change(ann, ["linkProviderUserInfo": ["providerId": "google.com", "rawId": "8"]], server)
            #expect(try server.found(ann)["providerUserInfo"]?.array?.map { $0["rawId"] } == ["8"])
        }
    }

    @Test func `unlinking answers the remaining providers, and unlinking password removes the address`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            _ = try Self.change(ann.uid, ["linkProviderUserInfo": ["providerId": "google.com", "rawId": "7"]], server)
            let answer = try server.call(
                "accounts:update",
                ["idToken": .string(ann.idToken), "deleteProvider": ["google.com"]]
            )
            #expect(answer.json.providers == ["password"])
            #expect(!answer.keys.contains("idToken"))
            let other = try Self.change(ann.uid, ["deleteProvider": ["password"]], server)
            #expect(other.status == 200)
            let user = try server.found(ann.uid)
            for name in ["email", "emailVerified", "emailLinkSignin", "providerUserInfo"] {
                #expect(user[name] == nil, "\(name)")
            }
        }
    }

    static let clients: [(JSONValue, Int, String)] = [
        ([:], 400, "INVALID_REQ_TYPE"), (["localId": "x", "displayName": "y"], 400, "INVALID_REQ_TYPE"),
        (["idToken": "x", "customAttributes": "{}"], 400, "INSUFFICIENT_PERMISSION"),
        (["idToken": "x", "displayName": "y"], 400, "INVALID_ID_TOKEN"),
        (["idToken": "x", "disableUser": true], 400, "INVALID_ID_TOKEN"),
        (["idToken": "x", "email": "nobody"], 400, "INVALID_ID_TOKEN"),
        (["oobCode": "x"], 400, "INVALID_OOB_CODE"),
    ]

    @Test func `a client's forbidden members are refused in order`() async throws {
        try await TestServer.run { server in
            for (body, status, code) in Self.clients {
                let answer = try server.call("accounts:update", body)
                #expect(answer.status == status && answer.code == code, "\(body): \(answer.text)")
            }
            let guest = try server.guest()
            let own: [JSONValue] = [
                ["disableUser": true], ["disableUser": false],
                ["linkProviderUserInfo": ["providerId": "google.com", "rawId": "7"]],
            ]
            for body in own {
                var members = try #require(body.object)
                members["idToken"] = .string(guest.idToken)
                #expect(try server.call("accounts:update", .object(members)).code == "OPERATION_NOT_ALLOWED", "\(body)")
            }
            let gone = try server.guest()
            _ = try server.call("accounts:delete", ["idToken": .string(gone.idToken)])
            for (token, code) in [(guest.idToken, "INVALID_EMAIL"), (gone.idToken, "USER_NOT_FOUND")] {
                let answer = try server.call("accounts:update", ["idToken": .string(token), "email": "nobody"])
                #expect(answer.code == code)
            }
            for name in ["provider", "upgradeToFederatedLogin"] {
                var members = JSONObject()
                members.append("idToken", .string(guest.idToken))
                members.append(name, name == "provider" ? ["x"] : true)
                #expect(try server.call("accounts:update", .object(members)).status == 501, "\(name)")
            }
        }
    }

    @Test func `a client's validSince is now, whatever it says`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let answer = try server.call("accounts:update", ["idToken": .string(ann.idToken), "validSince": "1"])
            #expect(!answer["idToken"].isEmpty)
            let since = try #require(try server.found(ann.uid)["validSince"]?.string.flatMap { Int64($0) })
            #expect(abs(since - Int64(Date.now.timeIntervalSince1970)) < 60)
            #expect(try Claims(answer["idToken"])["firebase"]?["sign_in_provider"] == "password")
        }
    }

    @Test func `a sign-in code cannot be applied, and is kept`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            #expect(try server.call("accounts:update", ["oobCode": .string(asked.oobCode)]).status == 501)
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
        }
    }

    @Test func `a change by an e-mailed code sets neither the first address nor validSince`() async throws {
        try await TestServer.run { server in
            let uid = try server.make(["email": "ann@example.com"])
            let before = try server.found(uid)["validSince"]
            let code = try server.owner(
                "/accounts:sendOobCode",
                [
                    "requestType": "VERIFY_AND_CHANGE_EMAIL", "email": "ann@example.com", "newEmail": "new@example.com",
                    "returnOobLink": true,
                ]
            )["oobCode"]
            let applied = try server.call("accounts:update", ["oobCode": .string(code)])
            #expect(applied["email"] == "new@example.com", "\(applied.text)")
            #expect(applied["newEmail"] == "new@example.com")
            #expect(applied.json["emailVerified"] == true)
            let user = try server.found(uid)
            #expect(user["initialEmail"] == nil)
            #expect(user["validSince"] == before)
            #expect(try server.call("accounts:update", ["oobCode": .string(code)]).code == "INVALID_OOB_CODE")
        }
    }

    @Test func `a code of a user who is gone is invalid, and one for a taken address is kept`() async throws {
        try await TestServer.run { server in
            let uid = try server.make(["email": "ann@example.com"])
            func code(_ type: String, _ more: JSONValue = [:]) throws -> String {
                var members = JSONObject()
                members.append("requestType", .string(type))
                members.append("email", "ann@example.com")
                members.append("returnOobLink", true)
                for (name, value) in more.object?.members ?? [] { members[name] = value }
                return try server.owner("/accounts:sendOobCode", .object(members))["oobCode"]
            }
            let change = try code("VERIFY_AND_CHANGE_EMAIL", ["newEmail": "new@example.com"])
            let verify = try code("VERIFY_EMAIL")
            let other = try server.make(["email": "new@example.com"])
            #expect(try server.call("accounts:update", ["oobCode": .string(change)]).code == "EMAIL_EXISTS")
            _ = try server.owner("/accounts:delete", ["localId": .string(other)])
            #expect(try server.call("accounts:update", ["oobCode": .string(change)]).status == 200)
            let last = try server.make(["email": "ann@example.com"])
            _ = try server.owner("/accounts:delete", ["localId": .string(uid)])
            _ = try server.owner("/accounts:delete", ["localId": .string(last)])
            #expect(try server.call("accounts:update", ["oobCode": .string(verify)]).code == "INVALID_OOB_CODE")
        }
    }
}
