import JSON
import Testing

/// The contract's section 3.4.
@Suite("Contract, 3.4: looking users up")
struct LookupContractTests {
    private static func uids(_ answer: Answer) -> [String] {
        answer.json["users"]?.array?.compactMap { $0["localId"]?.string } ?? []
    }

    @Test func `an administrator finds by UID, address and provider, each user once`() async throws {
        try await TestServer.run { server in
            for name in ["a", "b", "c"] {
                _ = try server.make(["localId": .string(name), "email": .string("\(name)@example.com")])
            }
            _ = try server.owner(
                "/accounts:update",
                ["localId": "c", "linkProviderUserInfo": ["providerId": "google.com", "rawId": "7"]]
            )
            let answer = try server.owner(
                "/accounts:lookup",
                [
                    "localId": ["b", "nobody", "b"], "email": ["A@Example.com", "b@example.com"],
                    "federatedUserId": [
                        ["providerId": "google.com", "rawId": "7"], ["providerId": "apple.com", "rawId": "7"],
                    ],
                ]
            )
            #expect(answer["kind"] == "identitytoolkit#GetAccountInfoResponse")
            #expect(Self.uids(answer) == ["b", "a", "c"])
        }
    }

    @Test func `no user found is an answer without users`() async throws {
        try await TestServer.run { server in
            let bodies: [JSONValue] = [
                [:], ["localId": []], ["localId": ["nobody"]], ["email": ["nobody@b.co"]], ["phoneNumber": ["+1"]],
                ["federatedUserId": [["providerId": "google.com", "rawId": "7"]]],
            ]
            for body in bodies {
                let answer = try server.owner("/accounts:lookup", body)
                #expect(answer.status == 200, "\(body)")
                #expect(answer.keys == ["kind"], "\(body): \(answer.text)")
            }
        }
    }

    @Test func `looking up by initialEmail is not implemented`() async throws {
        try await TestServer.run { server in
            let answer = try server.owner("/accounts:lookup", ["initialEmail": ["a@b.co"]])
            #expect(answer.status == 501)
        }
    }

    @Test func `a client sees its own user, whichever user it asks for`() async throws {
        try await TestServer.run { server in
            let other = try server.guest(), guest = try server.guest()
            let answer = try server.call(
                "accounts:lookup",
                ["idToken": .string(guest.idToken), "localId": [.string(other.uid)]]
            )
            #expect(Self.uids(answer) == [guest.uid])
            #expect(try server.call("accounts:lookup", ["localId": [.string(other.uid)]]).code == "MISSING_ID_TOKEN")
        }
    }
}
