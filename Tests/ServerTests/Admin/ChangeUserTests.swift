import Database
import JSON
import Server
import Testing

@Suite("Changes of users by administrators")
struct ChangeUserTests {
    @Test func `the answer has no tokens, and what the user is now`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let answer = try server.change(
                ann.uid,
                ["displayName": "Ann", "photoUrl": "https://x.example/a", "validSince": 1, "emailVerified": false]
            )
            #expect(answer.status == 200)
            #expect(
                answer.keys == [
                    "kind", "localId", "email", "emailVerified", "displayName", "photoUrl", "providerUserInfo",
                ]
            )
            #expect(answer["kind"] == "identitytoolkit#SetAccountInfoResponse")
            #expect(answer.json["emailVerified"] == false)
            let deleted = try server.change(ann.uid, ["deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL", "EMAIL"]])
            #expect(deleted.keys == ["kind", "localId"])
        }
    }

    @Test func `revoking ends the sessions that began up to that second, and no later session`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let before = server.clock.now() / 1000
            let older = try server.change(guest.uid, ["validSince": .string(String(before - 60))])
            #expect(older.status == 200)
            #expect(try server.lookup(guest.idToken).status == 200, "it began after that")
            #expect(try server.refresh(guest.refreshToken).status == 200)
            let answer = try server.change(guest.uid, ["validSince": .number(JSONNumber(server.clock.now() / 1000))])
            #expect(answer.status == 200)
            #expect(try server.refresh(guest.refreshToken).code == "TOKEN_EXPIRED")
            #expect(try server.lookup(guest.idToken).code == "TOKEN_EXPIRED")
            let ann = try server.signIn("ann@example.com")
            #expect(
                try server.change(ann.uid, ["validSince": .number(JSONNumber(server.clock.now() / 1000))]).status == 200
            )
            server.clock.advance(seconds: 1)
            let again = try server.signIn("ann@example.com")
            #expect(try server.lookup(again.idToken).status == 200)
            #expect(try server.refresh(again.refreshToken).status == 200)
            for bad: JSONValue in [-1, "x", "99999999999999999", true] {
                #expect(try server.change(ann.uid, ["validSince": bad]).status == 400)
            }
            #expect(try server.change(ann.uid, ["createdAt": "9223372036854775807"]).status == 400)
        }
    }

    @Test func `disabling shuts a user out at once, and enabling lets them sign in again`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            #expect(try server.change(ann.uid, ["disableUser": true]).status == 200)
            #expect(try server.find(uid: ann.uid)["disabled"] == true)
            #expect(try server.lookup(ann.idToken).code == "USER_DISABLED")
            #expect(try server.refresh(ann.refreshToken).code == "USER_DISABLED")
            let asked = try server.askForLink("ann@example.com")
            #expect(try server.redeem(asked.oobCode, "ann@example.com").code == "USER_DISABLED")
            #expect(try server.change(ann.uid, ["disableUser": false]).status == 200)
            #expect(try server.find(uid: ann.uid)["disabled"] == nil)
            #expect(try server.refresh(ann.refreshToken).code == "TOKEN_EXPIRED", "its sessions have ended")
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
        }
    }

    static let ends: [(name: String, change: JSONValue, reason: String)] = [
        ("disabling", ["disableUser": true], "user.disabled"),
        ("revoking", ["validSince": "99999999999"], "user.revoked"),
        ("an address", ["email": "new@example.com"], "session.ended"),
        ("a sign-in method", ["linkProviderUserInfo": ["providerId": "google.com", "rawId": "1"]], "session.ended"),
    ]

    @Test(arguments: ends)
    func `streams end with what ends sessions`(name: String, change: JSONValue, reason: String) async throws {
        try await TestServer.run(pace: .every(.seconds(600))) { server in
            let guest = try server.guest()
            let stream = try EventStream(server, guest.idToken)
            _ = try stream.ready()
            #expect(try server.change(guest.uid, change).status == 200)
            #expect(try stream.end()["reason"] == reason)
        }
    }

    static let refusals: [(name: String, body: JSONValue, status: Int, code: String)] = [
        ("nobody", ["displayName": "x"], 400, "MISSING_LOCAL_ID"),
        ("an empty UID", ["localId": ""], 400, "MISSING_LOCAL_ID"),
        ("a provider, first of all", ["provider": ["x"]], 501, "NOT_IMPLEMENTED : "),
        ("an upgrade, first of all", ["upgradeToFederatedLogin": true], 501, "NOT_IMPLEMENTED : "),
        ("a stranger", ["localId": "nobody"], 400, "USER_NOT_FOUND"),
        ("a stranger with a bad address", ["localId": "nobody", "email": "x"], 400, "USER_NOT_FOUND"),
        ("bad claims of nobody", ["customAttributes": "x"], 400, "MISSING_LOCAL_ID"),
        ("bad claims of a stranger", ["localId": "nobody", "customAttributes": "x"], 400, "INVALID_CLAIMS"),
        ("no claims object", ["localId": "ann", "customAttributes": "[1]"], 400, "INVALID_CLAIMS"),
        ("claims twice", ["localId": "ann", "customAttributes": #"{"a":1,"a":2}"#], 400, "INVALID_CLAIMS"),
        ("U+0000 in claims", ["localId": "ann", "customAttributes": #"{"a":"\u0000"}"#], 400, "INVALID_CLAIMS"),
        (
            "many claims", ["localId": "ann", "customAttributes": .string(claims(of: 1001))], 400,
            "CLAIMS_TOO_LARGE"
        ),
        ("a claim of ours", ["localId": "ann", "customAttributes": #"{"aud":"x"}"#], 400, "FORBIDDEN_CLAIM : aud"),
        ("no address", ["localId": "ann", "email": "x"], 400, "INVALID_EMAIL"),
        ("an address that is taken", ["localId": "ann", "email": "BOB@example.com"], 400, "EMAIL_EXISTS"),
        ("a password", ["localId": "ann", "password": "secret"], 400, "OPERATION_NOT_ALLOWED"),
        ("a telephone number", ["localId": "ann", "phoneNumber": "+1"], 501, "NOT_IMPLEMENTED : "),
        (
            "the provider's data", ["localId": "ann", "deleteAttribute": ["PROVIDER"]], 501,
            "NOT_IMPLEMENTED : Latchkey cannot delete this attribute"
        ),
        (
            "the raw data, by number", ["localId": "ann", "deleteAttribute": [6]], 501,
            "NOT_IMPLEMENTED : Latchkey cannot delete this attribute"
        ),
        ("no provider", ["localId": "ann", "linkProviderUserInfo": ["rawId": "1"]], 400, "MISSING_PROVIDER_ID"),
        ("no id there", ["localId": "ann", "linkProviderUserInfo": ["providerId": "x"]], 400, "MISSING_RAW_ID"),
        (
            "another's identity",
            ["localId": "ann", "linkProviderUserInfo": ["providerId": "google.com", "rawId": "bob"]], 400,
            "FEDERATED_USER_ID_ALREADY_LINKED"
        ),
        (
            "what is no provider", ["localId": "ann", "linkProviderUserInfo": ["providerId": "email", "rawId": "1"]],
            400, "INVALID_PROVIDER_ID"
        ),
        ("a string for a switch", ["localId": "ann", "disableUser": "true"], 400, "Invalid JSON payload"),
    ]

    /// Returns claims whose text has this many bytes.
    private static func claims(of count: Int) -> String {
        #"{"a":"\#(String(repeating: "x", count: count - 8))"}"#
    }

    @Test func `what cannot be is refused, and nothing changes`() async throws {
        try await TestServer.run { server in
            try server.create(["localId": "ann", "email": "ann@example.com"])
            try server.create(["localId": "bob", "email": "bob@example.com"])
            let bob: JSONValue = ["linkProviderUserInfo": ["providerId": "google.com", "rawId": "bob"]]
            #expect(try server.change("bob", bob).status == 200)
            #expect(try server.change("bob", bob).status == 200, "what is the user's own already may be given again")
            let before = try server.find(["localId": ["ann", "bob"]])
            for (name, body, status, code) in Self.refusals {
                let answer = try server.admin("accounts:update", body)
                #expect(answer.status == status, "\(name): \(answer.text)")
                #expect(answer.message.hasPrefix(code), "\(name): \(answer.text)")
            }
            #expect(try server.find(["localId": ["ann", "bob"]]) == before)
        }
    }

    @Test func `claims are in the next token, and go again`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let largest = Self.claims(of: 1000)
            #expect(try server.change(ann.uid, ["customAttributes": .string(largest)]).status == 200)
            let token = try Claims(server.refresh(ann.refreshToken)["id_token"])
            #expect(token["a"]?.string?.count == 992)
            #expect(try server.change(ann.uid, ["customAttributes": "{}"]).status == 200)
            #expect(try Claims(server.refresh(ann.refreshToken)["id_token"])["a"] == nil)
            #expect(try server.find(uid: ann.uid)["customAttributes"]?.string == "{}")
            #expect(try server.change(ann.uid, ["customAttributes": ""]).status == 200)
            #expect(try server.find(uid: ann.uid)["customAttributes"] == nil)
        }
    }

    @Test func `a claim makes no user an administrator`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            #expect(
                try server.change(ann.uid, ["customAttributes": #"{"admin":true,"administrator":true}"#]).status == 200
            )
            let token = try server.refresh(ann.refreshToken)["id_token"]
            #expect(try Claims(token)["admin"] == true)
            #expect(try server.admin("accounts:lookup", as: token).status == 401)
        }
    }

    @Test func `a changed address ends the sessions and sends a recovery link to the first address`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let known = try server.messages().count
            let answer = try server.change(ann.uid, ["email": "Second@example.com"])
            #expect(answer["email"] == "second@example.com")
            #expect(answer.json["emailVerified"] == false)
            #expect(try server.lookup(ann.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.refresh(ann.refreshToken).code == "TOKEN_EXPIRED")
            let user = try server.find(uid: ann.uid)
            #expect(user["initialEmail"]?.string == "ann@example.com")
            #expect(user["validSince"] != nil)
            let first = try server.message(after: known)
            #expect(first.to == "ann@example.com" && first.parameter("mode") == "recoverEmail")
            #expect(try server.change(ann.uid, ["email": "third@example.com", "emailVerified": true]).status == 200)
            #expect(try server.message(after: known + 1).to == "ann@example.com")
            #expect(try server.find(uid: ann.uid)["emailVerified"] == true)
            #expect(try server.change(ann.uid, ["email": "third@example.com"]).status == 200)
            #expect(try server.find(uid: ann.uid)["emailVerified"] == true, "the same address is no change")
            let recovered = try server.call("accounts:update", ["oobCode": .string(first.oobCode)])
            #expect(recovered["email"] == "ann@example.com")
            #expect(try server.messages().count == known + 2)
        }
    }

    @Test func `providers are linked, replaced and unlinked`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            func link(_ subject: String) throws -> Answer {
                try server.change(
                    ann.uid,
                    ["linkProviderUserInfo": ["providerId": "google.com", "rawId": .string(subject)]]
                )
            }
            #expect(try link("1").json.providers == ["password", "google.com"])
            #expect(try link("2").json["providerUserInfo"]?.array?.last?["rawId"]?.string == "2")
            #expect(try server.find(uid: ann.uid).providers == ["password", "google.com"], "one row to a provider")
            let identities = try Claims(server.refresh(ann.refreshToken)["id_token"])["firebase"]?["identities"]
            #expect(identities == ["email": ["ann@example.com"], "google.com": ["2"]])
            #expect(try server.change(ann.uid, ["deleteProvider": ["google.com"]]).json.providers == ["password"])
            let last = try server.change(ann.uid, ["deleteProvider": ["password", "google.com"]])
            #expect(last.json["providerUserInfo"] == [])
            #expect(!last.keys.contains("email") && !last.keys.contains("emailVerified"))
            let other = try server.create(["localId": "bob"])
            let free: JSONValue = ["linkProviderUserInfo": ["providerId": "google.com", "rawId": "2"]]
            #expect(try server.change(other, free).status == 200, "what was unlinked is free")
        }
    }

    @Test func `of many who are given the same identity at once, one gets it`() async throws {
        try await TestServer.run { server in
            let uids = (0..<20).map { "u\($0)" }
            for uid in uids { try server.create(["localId": .string(uid)]) }
            let link: JSONValue = ["providerId": "google.com", "rawId": "1"]
            let answers = try server.adminAtOnce(
                uids.map { ("accounts:update", ["localId": .string($0), "linkProviderUserInfo": link]) }
            )
            #expect(answers.filter { $0.status == 200 }.count == 1)
            #expect(answers.filter { $0.code == "FEDERATED_USER_ID_ALREADY_LINKED" }.count == 19)
        }
    }

    static let gifts: [(name: String, change: JSONValue, staysGuest: Bool, endsSessions: Bool)] = [
        ("an address", ["email": "g@example.com"], false, true),
        ("a sign-in method", ["linkProviderUserInfo": ["providerId": "google.com", "rawId": "1"]], false, true),
        ("claims", ["customAttributes": #"{"a":1}"#], false, false),
        ("no claims", ["customAttributes": "{}"], true, false),
        ("a name", ["displayName": "G"], true, false),
    ]

    @Test(arguments: gifts)
    func `a guest who is given an address, a sign-in method or claims is no guest any more`(
        name: String,
        change: JSONValue,
        staysGuest: Bool,
        endsSessions: Bool
    ) async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            #expect(try server.change(guest.uid, change).status == 200)
            #expect(try server.isGuest(guest.uid) == staysGuest)
            #expect(try server.lookup(guest.idToken).status == (endsSessions ? 400 : 200))
            let again = try server.change(guest.uid, ["displayName": "x"])
            #expect(again.status == 200)
            guard !endsSessions else { return }
            let out = try server.call("accounts:signOut", ["refreshToken": .string(guest.refreshToken)])
            #expect(out.json["reset"]?.bool == staysGuest, "only a guest goes with its session")
        }
    }

    @Test func `a guest whose address an administrator calls proven is none any more, and keeps it`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "off"]) { server in
            let guest = try server.guest()
            let set = try server.call(
                "accounts:update",
                ["idToken": .string(guest.idToken), "email": "g@example.com"]
            )
            #expect(try server.isGuest(guest.uid))
            #expect(try server.change(guest.uid, ["emailVerified": true]).status == 200)
            #expect(try !server.isGuest(guest.uid))
            #expect(try server.lookup(set["idToken"]).code == "TOKEN_EXPIRED")
            #expect(try server.call("accounts:signOut", ["refreshToken": .string(set["refreshToken"])]).status == 200)
            let user = try server.find(uid: guest.uid)
            #expect(user["email"] == "g@example.com")
            #expect(user["emailVerified"] == true)
        }
    }

    @Test func `a guest in a suspended merge cannot be changed or deleted`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            try server.elsewhere { store in
                _ = try store.database.writeNow { transaction in
                    try transaction.execute("UPDATE users SET merge_id = 'm' WHERE uid = \(guest.uid)")
                }
            }
            #expect(try server.change(guest.uid, ["displayName": "x"]).code == "MERGE_IN_PROGRESS")
            #expect(try server.admin("accounts:delete", ["localId": .string(guest.uid)]).code == "MERGE_IN_PROGRESS")
            let batch = try server.admin("accounts:batchDelete", ["localIds": [.string(guest.uid)], "force": true])
            #expect(batch.json["errors"]?.array?.first?["message"]?.string?.hasPrefix("MERGE_IN_PROGRESS : ") == true)
            #expect(try server.lookup(guest.idToken).status == 200)
        }
    }
}
