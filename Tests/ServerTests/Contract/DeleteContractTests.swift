import JSON
import Testing

/// The contract's section 3.6.
@Suite("Contract, 3.6: deleting users")
struct DeleteContractTests {
    @Test func `an administrator must name an existing user`() async throws {
        try await TestServer.run { server in
            #expect(try server.owner("/accounts:delete", [:]).code == "MISSING_LOCAL_ID")
            #expect(try server.owner("/accounts:delete", ["localId": "nobody"]).code == "USER_NOT_FOUND")
            let uid = try server.make([:])
            let answer = try server.owner("/accounts:delete", ["localId": .string(uid)])
            #expect(answer.text == #"{"kind":"identitytoolkit#DeleteAccountResponse"}"#)
            #expect(try server.owner("/accounts:lookup", ["localId": [.string(uid)]]).keys == ["kind"])
        }
    }

    @Test func `a client deletes its own user, whichever localId it sends, and its tokens end`() async throws {
        try await TestServer.run { server in
            #expect(try server.call("accounts:delete").code == "MISSING_ID_TOKEN")
            #expect(try server.call("accounts:delete", ["localId": "x"]).code == "MISSING_ID_TOKEN")
            #expect(try server.call("accounts:delete", ["idToken": "x"]).code == "INVALID_ID_TOKEN")
            let other = try server.make(["localId": "other"]), guest = try server.guest()
            let answer = try server.call(
                "accounts:delete",
                ["idToken": .string(guest.idToken), "localId": .string(other)]
            )
            #expect(answer.text == #"{"kind":"identitytoolkit#DeleteAccountResponse"}"#)
            #expect(try server.found(other)["localId"] == "other")
            #expect(try server.lookup(guest.idToken).code == "USER_NOT_FOUND")
            #expect(try server.refresh(guest.refreshToken).code == "INVALID_REFRESH_TOKEN")
        }
    }

    @Test func `a deleted provider user who signs in again is a new user`() async throws {
        try await TestServer.run { server in
            let first = try Tokens(server.signIn(provider: "google.com", ["sub": "7"]))
            _ = try server.call("accounts:delete", ["idToken": .string(first.idToken)])
            let second = try server.signIn(provider: "google.com", ["sub": "7"])
            #expect(second["localId"] != first.uid)
            #expect(second.json["isNewUser"] == true)
        }
    }
}
