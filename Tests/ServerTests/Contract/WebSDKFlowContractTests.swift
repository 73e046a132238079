import JSON
import Testing

/// The contract's section 3.18.
@Suite("Contract, 3.18: flows of Firebase's web SDK")
struct WebSDKFlowContractTests {
    /// Runs a flow in a mode.
    private static func run(
        _ mode: ServerMode,
        _ settings: [String: String] = [:],
        _ flow: @escaping @Sendable (WebSDKClient) throws -> Void
    ) async throws {
        try await mode.run(settings) { server, desk in try flow(WebSDKClient(server: server, desk: desk)) }
    }

    @Test(arguments: ServerMode.allCases)
    func `a guest signs in, stays one over reloads and refreshes, and has a profile`(mode: ServerMode) async throws {
        try await Self.run(mode) { sdk in
            var guest = try sdk.signInAnonymously()
            let uid = guest.uid
            #expect(guest.isAnonymous)
            try sdk.refresh(&guest)
            try sdk.updateProfile(&guest, displayName: "Ann")
            try sdk.reload(&guest)
            #expect(guest.uid == uid && guest.isAnonymous && guest.record["displayName"] == "Ann")
        }
    }

    @Test(arguments: ServerMode.allCases)
    func `a guest links an address with an e-mail link, and keeps the UID`(mode: ServerMode) async throws {
        try await Self.run(mode) { sdk in
            var user = try sdk.signInAnonymously()
            let uid = user.uid
            let code = try sdk.sendSignInLinkToEmail("ann@example.com")
            try sdk.linkWithCredential(&user, "ann@example.com", code)
            #expect(user.uid == uid && !user.isAnonymous && user.providers == ["password"])
            try sdk.refresh(&user)
            #expect(try sdk.signIn("ann@example.com").uid == uid)
        }
    }

    @Test(arguments: ServerMode.allCases)
    func `where the operator wants it, a guest that links what an account has becomes that account`(
        mode: ServerMode
    ) async throws {
        try await Self.run(mode, ["FIREBASE_ON_CONFLICT": "merge"]) { sdk in
            let ann = try sdk.signIn("ann@example.com")
            let bob = try sdk.signIn(provider: "bob")
            var guest = try sdk.signInAnonymously()
            let note: JSONValue = ["text": "of the guest"]
            try sdk.server.set("notes/a", guest.idToken, note)
            try sdk.linkWithCredential(&guest, "ann@example.com", try sdk.sendSignInLinkToEmail("ann@example.com"))
            #expect(guest.uid == ann.uid && guest.providers == ["password"])
            #expect(try sdk.server.allDocuments(guest.idToken)["notes/a"] == note, "the guest's documents came along")
            try sdk.refresh(&guest)
            var second = try sdk.signInAnonymously()
            try sdk.linkWithCredential(&second, provider: "bob")
            #expect(second.uid == bob.uid)

            var account = ann
            #expect(throws: WebSDKClient.Failure.self, "only a guest is merged") {
                try sdk.linkWithCredential(&account, provider: "bob")
            }
        }
    }

    @Test(arguments: ["error", nil])
    func `unless the operator wants it, a guest that links what an account has gets an error`(
        setting: String?
    ) async throws {
        let settings = setting.map { ["FIREBASE_ON_CONFLICT": $0] } ?? [:]
        try await Self.run(.development, settings) { sdk in
            _ = try sdk.signIn("ann@example.com")
            var guest = try sdk.signInAnonymously()
            let code = try sdk.sendSignInLinkToEmail("ann@example.com")
            let failure = #expect(throws: WebSDKClient.Failure.self) {
                try sdk.linkWithCredential(&guest, "ann@example.com", code)
            }
            #expect(failure?.code == "EMAIL_EXISTS")
        }
    }

    @Test func `a call of another client, or with an onConflict of its own, is not merged by the setting`() async throws
    {
        try await Self.run(.development, ["FIREBASE_ON_CONFLICT": "merge"]) { sdk in
            _ = try sdk.signIn("ann@example.com")
            let guest = try sdk.signInAnonymously()
            let code = try sdk.sendSignInLinkToEmail("ann@example.com")
            let body: JSONValue = [
                "email": "ann@example.com", "oobCode": .string(code), "idToken": .string(guest.idToken),
            ]
            #expect(try sdk.server.call("accounts:signInWithEmailLink", body).code == "EMAIL_EXISTS")
            var explicit = try #require(body.object)
            explicit["onConflict"] = "error"
            let answer = try sdk.server.call(
                "accounts:signInWithEmailLink",
                .object(explicit),
                headers: WebSDKClient.headers
            )
            #expect(answer.code == "EMAIL_EXISTS")
        }
    }

    @Test(arguments: ServerMode.allCases)
    func `a guest and an account link a provider's credential, and sign in by it`(mode: ServerMode) async throws {
        try await Self.run(mode) { sdk in
            var guest = try sdk.signInAnonymously()
            let uid = guest.uid
            try sdk.linkWithCredential(&guest, provider: "guest-subject")
            #expect(guest.uid == uid && guest.providers == [ServerMode.provider])
            #expect(try sdk.signIn(provider: "guest-subject").uid == uid)
            var ann = try sdk.signIn("ann@example.com")
            try sdk.linkWithCredential(&ann, provider: "ann-subject")
            #expect(ann.providers == ["password", ServerMode.provider])
            #expect(try sdk.signIn(provider: "ann-subject").uid == ann.uid)
            // In the other direction: an address for a user of a provider.
            var bob = try sdk.signIn(provider: "bob-subject")
            let code = try sdk.sendSignInLinkToEmail("bob@example.com")
            try sdk.linkWithCredential(&bob, "bob@example.com", code)
            #expect(bob.providers == ["password", ServerMode.provider])
        }
    }

    @Test(arguments: ServerMode.allCases)
    func `an account reauthenticates with an e-mail link and with a provider`(mode: ServerMode) async throws {
        try await Self.run(mode) { sdk in
            var ann = try sdk.signIn("ann@example.com")
            try sdk.linkWithCredential(&ann, provider: "ann-subject")
            let uid = ann.uid
            sdk.server.clock.advance(seconds: 60)
            let before = try #require(try Claims(ann.idToken)["auth_time"]?.int64)
            try sdk.reauthenticateWithCredential(&ann, "ann@example.com")
            let mailed = try #require(try Claims(ann.idToken)["auth_time"]?.int64)
            #expect(ann.uid == uid && mailed >= before + 60)
            sdk.server.clock.advance(seconds: 60)
            try sdk.reauthenticateWithCredential(&ann, provider: "ann-subject")
            #expect(try ann.uid == uid && Claims(ann.idToken)["auth_time"]?.int64 ?? 0 >= mailed + 60)
        }
    }

    @Test(arguments: ServerMode.allCases)
    func `an address is changed by verifyBeforeUpdateEmail and applyActionCode, and the user reloads`(
        mode: ServerMode
    ) async throws {
        try await Self.run(mode) { sdk in
            var ann = try sdk.signIn("ann@example.com")
            let uid = ann.uid
            let code = try sdk.verifyBeforeUpdateEmail(&ann, "new@example.com")
            let checked = try sdk.checkActionCode(code)
            #expect(checked["requestType"] == "VERIFY_AND_CHANGE_EMAIL" && checked["newEmail"] == "new@example.com")
            try sdk.applyActionCode(code)
            try sdk.reload(&ann)
            #expect(ann.uid == uid && ann.email == "new@example.com" && ann.record["emailVerified"] == true)
            try sdk.refresh(&ann)
            try sdk.reload(&ann)
            #expect(try sdk.signIn("new@example.com").uid == uid)
        }
    }

    @Test(arguments: ServerMode.allCases)
    func `providers and the address are unlinked, down to none`(mode: ServerMode) async throws {
        try await Self.run(mode) { sdk in
            var ann = try sdk.signIn("ann@example.com")
            let uid = ann.uid
            try sdk.linkWithCredential(&ann, provider: "ann-subject")
            try sdk.unlink(&ann, "password")
            try sdk.reload(&ann)
            #expect(ann.providers == [ServerMode.provider] && ann.email == nil)
            try sdk.unlink(&ann, ServerMode.provider)
            try sdk.reload(&ann)
            #expect(ann.uid == uid && ann.providers.isEmpty)
        }
    }

    @Test(arguments: ServerMode.allCases)
    func `a guest and accounts of each kind are deleted right after sign-in`(mode: ServerMode) async throws {
        try await Self.run(mode) { sdk in
            let guest = try sdk.signInAnonymously()
            let mailed = try sdk.signIn("ann@example.com")
            let provided = try sdk.signIn(provider: "bob-subject", email: "bob@example.com")
            for var user in [guest, mailed, provided] {
                try sdk.delete(user)
                #expect(throws: WebSDKClient.Failure.self) { try sdk.reload(&user) }
            }
            #expect(try sdk.signIn("ann@example.com").uid != mailed.uid)
        }
    }

    @Test(arguments: ServerMode.allCases)
    func `the SDK keeps a user of an old sign-in, who reauthenticates`(mode: ServerMode) async throws {
        try await Self.run(mode) { sdk in
            var ann = try sdk.signIn("ann@example.com")
            try sdk.linkWithCredential(&ann, provider: "ann-subject")
            sdk.server.clock.advance(seconds: 16 * 60)
            try sdk.refresh(&ann)
            let changes: [(inout WebSDKClient.User) throws -> Void] = [
                { user in _ = try sdk.verifyBeforeUpdateEmail(&user, "new@example.com") },
                { user in try sdk.unlink(&user, ServerMode.provider) },
                { user in try sdk.linkWithCredential(&user, provider: "other-subject") },
                { user in try sdk.delete(user) },
            ]
            for change in changes {
                let failure = #expect(throws: WebSDKClient.Failure.self) { try change(&ann) }
                #expect(failure?.code == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
                try sdk.reload(&ann)
            }
            try sdk.updateProfile(&ann, displayName: "Ann")
            try sdk.reauthenticateWithCredential(&ann, "ann@example.com")
            let code = try sdk.verifyBeforeUpdateEmail(&ann, "new@example.com")
            try sdk.applyActionCode(code)
            try sdk.reload(&ann)
            try sdk.unlink(&ann, ServerMode.provider)
            try sdk.delete(ann)
        }
    }
}
