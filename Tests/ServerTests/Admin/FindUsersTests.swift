import JSON
import Testing

@Suite("Look-ups by administrators")
struct FindUsersTests {
    @Test func `by UID, address and provider, in this order and each once`() async throws {
        try await TestServer.run { server in
            for uid in ["a", "b", "c"] {
                try server.create(["localId": .string(uid), "email": .string("\(uid)@example.com")])
            }
            let linked = try server.change("c", ["linkProviderUserInfo": ["providerId": "google.com", "rawId": "7"]])
            #expect(linked.status == 200)
            let found = try server.find(
                [
                    "federatedUserId": [
                        ["providerId": "google.com", "rawId": "7"], ["providerId": "google.com", "rawId": "8"],
                        ["providerId": "google.com"], ["rawId": "7"],
                    ],
                    "email": ["B@Example.com", "a@example.com", "nobody@example.com", "no address"],
                    "localId": ["b", "nobody", "b"],
                    "phoneNumber": ["+1"],
                ]
            )
            #expect(found.compactMap { $0["localId"]?.string } == ["b", "a", "c"])
            let snake = try server.find(["federated_user_id": [["provider_id": "google.com", "raw_id": "7"]]])
            #expect(snake.compactMap { $0["localId"]?.string } == ["c"])
        }
    }

    @Test func `no user found means no list at all`() async throws {
        try await TestServer.run { server in
            for body: JSONValue in [[:], ["localId": ["x"]], ["email": ["x@example.com"]]] {
                let answer = try server.admin("accounts:lookup", body)
                #expect(answer.status == 200)
                #expect(answer.keys == ["kind"])
                #expect(answer["kind"] == "identitytoolkit#GetAccountInfoResponse")
            }
        }
    }

    @Test func `what it cannot look for is said`() async throws {
        try await TestServer.run { server in
            let initial = try server.admin("accounts:lookup", ["initialEmail": ["a@example.com"]])
            #expect(initial.status == 501)
            #expect(initial.json["error"]?["status"]?.string == "NOT_IMPLEMENTED")
            let many = JSONValue.array(Array(repeating: "x", count: 101))
            #expect(try server.admin("accounts:lookup", ["localId": many]).status == 400)
            let identities = JSONValue.array(Array(repeating: ["providerId": "p", "rawId": "r"], count: 101))
            #expect(try server.admin("accounts:lookup", ["federatedUserId": identities]).status == 400)
        }
    }

    @Test func `the bearer decides whose call it is, on the client's path too`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let scoped = try server.admin("accounts:lookup", ["localId": [.string(guest.uid)]])
            let plain = try server.admin("accounts:lookup", ["localId": [.string(guest.uid)]], scoped: false)
            #expect(scoped.text == plain.text && scoped.status == 200)
            let client = try server.call("accounts:lookup", ["localId": [.string(guest.uid)]])
            #expect(client.code == "MISSING_ID_TOKEN")
            let byKey = try server.send(
                "POST",
                "/v1/projects/demo-latchkey/accounts:lookup?key=k",
                body: Array(#"{"localId":["\#(guest.uid)"]}"#.utf8)
            )
            #expect(byKey.status == 400 && byKey.code == "INSUFFICIENT_PERMISSION")
        }
    }

    @Test func `a user object has what is set, and nothing else`() async throws {
        try await TestServer.run { server in
            let uid = try server.create(["email": "ann@example.com"])
            let changed = try server.change(
                uid,
                [
                    "customAttributes": #"{"role":"editor"}"#, "createdAt": 1_000, "lastLoginAt": "2000",
                    "validSince": 3, "displayName": "Ann",
                    "linkProviderUserInfo": [
                        "providerId": "oidc.example", "rawId": "s-1", "email": "ann@work.example", "displayName": "A",
                        "photoUrl": "https://x.example/a", "screenName": "ann",
                    ],
                ]
            )
            #expect(changed.status == 200)
            let user = try server.find(uid: uid)
            #expect(
                user.names == [
                    "localId", "email", "emailVerified", "displayName", "customAttributes", "providerUserInfo",
                    "validSince", "lastLoginAt", "createdAt", "lastRefreshAt",
                ]
            )
            #expect(user["customAttributes"]?.string == #"{"role":"editor"}"#)
            #expect(user["createdAt"]?.string == "1000" && user["lastLoginAt"]?.string == "2000")
            #expect(user["validSince"]?.string == "3")
            #expect(
                user["providerUserInfo"]?.array?.first
                    == [
                        "providerId": "oidc.example", "rawId": "s-1", "federatedId": "s-1",
                        "email": "ann@work.example", "displayName": "A", "photoUrl": "https://x.example/a",
                        "screenName": "ann",
                    ]
            )
        }
    }
}
