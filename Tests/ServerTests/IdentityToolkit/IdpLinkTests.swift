import Database
import JSON
import Server
import Testing

@Suite("Links to identity providers")
struct IdpLinkTests {
    private static let ann = ProviderPerson(email: "ann@example.com", name: "Ann")

    @Test func `a guest who links keeps the UID, and every session that the guest had ends`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let second = try server.refresh(guest.refreshToken)
            let linked = try Tokens(server.signIn(Self.ann, idToken: guest.idToken))
            #expect(linked.uid == guest.uid)
            #expect(linked.answer.json["isNewUser"] == nil)
            let user = try server.user(linked.idToken)
            #expect(user.providerIDs == ["google.com"])
            #expect(user["email"] == "ann@example.com")
            #expect(user["emailVerified"] == true)
            #expect(user["displayName"] == nil, "a link takes the address and no profile")
            let claims = try Claims(linked.idToken)
            #expect(claims["provider_id"] == nil)
            #expect(claims["firebase"]?["sign_in_provider"] == "google.com")
            for token in [guest.idToken, second["id_token"]] {
                #expect(try server.lookup(token).code == "TOKEN_EXPIRED")
            }
            for token in [guest.refreshToken, second["refresh_token"]] {
                #expect(try server.refresh(token).code == "TOKEN_EXPIRED")
            }
            #expect(try server.call("accounts:signOut", ["refreshToken": .string(linked.refreshToken)]).status == 200)
            #expect(try Tokens(server.signIn(Self.ann)).uid == guest.uid, "no guest any more: signing out keeps them")
        }
    }

    @Test func `a user who links keeps address, profile, other providers and sessions`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            _ = try server.call("accounts:update", ["idToken": .string(ann.idToken), "displayName": "Mine"])
            let foo = ProviderPerson(provider: "foo.com", subject: "f", email: "else@example.com", name: "Other")
            let first = try Tokens(server.signIn(foo, idToken: ann.idToken))
            let second = try Tokens(server.signIn(Self.ann, idToken: first.idToken))
            #expect([first.uid, second.uid] == [ann.uid, ann.uid])
            let user = try server.user(second.idToken)
            #expect(user["email"] == "ann@example.com")
            #expect(user["displayName"] == "Mine")
            #expect(user.providerIDs == ["password", "foo.com", "google.com"])
            for token in [ann.idToken, first.idToken] { #expect(try server.lookup(token).status == 200) }
            let claims = try Claims(second.idToken)
            #expect(
                claims["firebase"]?["identities"] == [
                    "email": ["ann@example.com"], "foo.com": ["f"], "google.com": ["123456789"],
                ]
            )
        }
    }

    @Test func `another identity at the same provider takes the place of the first`() async throws {
        try await TestServer.run { server in
            let ann = try Tokens(server.signIn(Self.ann))
            let other = ProviderPerson(subject: "other", email: "other@example.com")
            let linked = try Tokens(server.signIn(other, idToken: ann.idToken))
            let rows = try server.user(linked.idToken)["providerUserInfo"]?.array
            #expect(rows?.map { $0["rawId"] } == ["other"])
            #expect(rows?.map { $0["email"] } == ["other@example.com"])
            #expect(try server.user(linked.idToken)["email"] == "ann@example.com")
        }
    }

    @Test func `the proven address of a provider proves the same one of the user, whose sessions end`() async throws {
        try await TestServer.run { server in
            let unproven = ProviderPerson(
                provider: "foo.com",
                subject: "f",
                email: "ann@example.com",
                isVerified: false
            )
            let user = try Tokens(server.signIn(unproven))
            #expect(try server.user(user.idToken)["emailVerified"] == false)
            let linked = try Tokens(server.signIn(Self.ann, idToken: user.idToken))
            #expect(linked.uid == user.uid)
            #expect(linked.answer.json["emailVerified"] == true)
            let after = try server.user(linked.idToken)
            #expect(after["emailVerified"] == true)
            #expect(after.providerIDs == ["foo.com", "google.com"], "who links has both")
            #expect(try server.lookup(user.idToken).code == "TOKEN_EXPIRED")
        }
    }

    @Test func `an unproven address of a provider proves nothing`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let person = ProviderPerson(email: "ann@example.com", isVerified: false)
            let linked = try Tokens(server.signIn(person, idToken: guest.idToken))
            #expect(linked.answer.json["emailVerified"] == false)
            #expect(try server.user(linked.idToken)["emailVerified"] == false)
            var other = person
            other.provider = "foo.com"
            let again = try Tokens(server.signIn(other, idToken: linked.idToken))
            #expect(try server.user(again.idToken)["emailVerified"] == false)
        }
    }

    /// The kinds of conflict.
    enum Conflict: String, CaseIterable, Sendable {
        case ownIdentity, identityOfAnother, emailOfAnother, unprovenEmailOfAnother

        var code: String {
            switch self {
            case .ownIdentity, .identityOfAnother: "FEDERATED_USER_ID_ALREADY_LINKED"
            case .emailOfAnother, .unprovenEmailOfAnother: "EMAIL_EXISTS"
            }
        }
    }

    @Test(arguments: Conflict.allCases, [false, true])
    func `an identity of another user cannot be linked, and nothing changes`(
        conflict: Conflict,
        byGuest: Bool
    ) async throws {
        try await TestServer.run { server in
            let owner = try Tokens(server.signIn(IdpLinkTests.ann))
            var person = IdpLinkTests.ann
            let token: String
            switch conflict {
            case .ownIdentity: token = owner.idToken
            case .identityOfAnother, .emailOfAnother, .unprovenEmailOfAnother:
                token = try byGuest ? server.guest().idToken : server.signIn("bob@example.com").idToken
                if conflict != .identityOfAnother { person.provider = "apple.com" }
                person.isVerified = conflict != .unprovenEmailOfAnother
            }
            let before = try server.dump()
            let plain = try server.signIn(person, idToken: token)
            #expect(plain.status == 400)
            #expect(plain.code == conflict.code)
            #expect(plain.keys == ["error"])

            let withCredential = try server.signIn(person, idToken: token, returnsCredential: true)
            #expect(withCredential.status == 200)
            #expect(withCredential["errorMessage"] == conflict.code)
            #expect(
                withCredential.keys.filter { $0 != "firstName" && $0 != "lastName" } == [
                    "kind", "context", "providerId", "displayName", "fullName", "email", "emailVerified", "rawUserInfo",
                    "federatedId", "oauthAccessToken", "oauthIdToken", "errorMessage",
                ]
            )
            #expect(try server.dump() == before)
            #expect(try server.lookup(token).status == 200, "the session goes on")
        }
    }

    @Test func `errors of the session are a 400, also with returnIdpCredential`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            #expect(try server.call("accounts:delete", ["idToken": .string(guest.idToken)]).status == 200)
            for token in [guest.idToken, "x"] {
                let answer = try server.signIn(Self.ann, idToken: token, returnsCredential: true)
                #expect(answer.status == 400)
                #expect(answer.code == (token == "x" ? "INVALID_ID_TOKEN" : "USER_NOT_FOUND"))
            }
        }
    }

    @Test func `of two guests who link one identity at once, one has it`() async throws {
        try await TestServer.run { server in
            let guests = try (0..<8).map { _ in try server.guest() }
            let answers = try server.callAtOnce(
                guests.map { guest in
                    (
                        "accounts:signInWithIdp",
                        TestServer.idpBody("google.com", UnsignedToken.make(Self.ann.claims), guest.idToken)
                    )
                }
            )
            #expect(answers.count { $0.status == 200 } == 1)
            #expect(answers.count { $0.code == "FEDERATED_USER_ID_ALREADY_LINKED" } == 7)
            let identities = try server.withDatabase {
                try $0.all("SELECT uid FROM identities") { try $0.text(0) }
            }
            #expect(identities == answers.filter { $0.status == 200 }.map { $0["localId"] })
        }
    }

    @Test func `where addresses may repeat, a link neither meets nor takes one`() async throws {
        try await TestServer.run { server in
            _ = try server.signIn("ann@example.com")
            try server.allowDuplicateEmails()
            let guest = try server.guest()
            let linked = try Tokens(server.signIn(Self.ann, idToken: guest.idToken))
            #expect(linked.uid == guest.uid)
            #expect(try server.user(linked.idToken)["email"] == nil)
        }
    }

    @Test func `an unlinked provider is no sign-in method any more, and free for others`() async throws {
        try await TestServer.run { server in
            let foo = ProviderPerson(provider: "foo.com", subject: "f")
            let ann = try server.signIn("ann@example.com")
            let linked = try Tokens(server.signIn(foo, idToken: ann.idToken))
            let unlinked = try server.call(
                "accounts:update",
                ["idToken": .string(linked.idToken), "deleteProvider": ["foo.com"]]
            )
            #expect(unlinked.status == 200)
            #expect(unlinked.json.providerIDs == ["password"])
            #expect(unlinked["idToken"].isEmpty, "the session goes on")
            let refreshed = try Claims(server.refresh(linked.refreshToken)["id_token"])
            #expect(refreshed["firebase"]?["identities"] == ["email": ["ann@example.com"]])
            let guest = try server.guest()
            #expect(try Tokens(server.signIn(foo, idToken: guest.idToken)).uid == guest.uid)
            #expect(try Tokens(server.signIn(foo)).uid == guest.uid)
        }
    }

    // MARK: onConflict

    @Test(arguments: [Conflict.identityOfAnother, .emailOfAnother])
    func `with onConflict merge a guest becomes part of the account`(conflict: Conflict) async throws {
        try await TestServer.run { server in
            let owner = try Tokens(server.signIn(IdpLinkTests.ann))
            let guest = try server.guest()
            #expect(try server.document("PUT", "notes/n", #"{"n":1}"#, guest.idToken).status == 201)
            var person = IdpLinkTests.ann
            if conflict == .emailOfAnother { person.provider = "apple.com" }
            let answer = try server.signIn(person, idToken: guest.idToken, onConflict: "merge")
            let merged = try Tokens(answer)
            #expect(merged.uid == owner.uid)
            #expect(answer.json["merged"] == true)
            #expect(answer.json["mergeReport"]?["anonymousLocalId"] == .string(guest.uid))
            #expect(answer.json["isNewUser"] == nil)
            #expect(try server.allDocuments(merged.idToken) == ["notes/n": ["n": 1]])
            let providers = try server.user(merged.idToken).providerIDs
            #expect(providers == (conflict == .emailOfAnother ? ["google.com", "apple.com"] : ["google.com"]))
            #expect(try Claims(merged.idToken)["firebase"]?["sign_in_provider"] == .string(person.provider))
            #expect(try server.lookup(guest.idToken).code == "USER_NOT_FOUND")
            #expect(try server.refresh(guest.refreshToken).code == "TOKEN_EXPIRED")
        }
    }

    @Test(arguments: [Conflict.identityOfAnother, .emailOfAnother])
    func `with onConflict report a conflict tells what a merge would do`(conflict: Conflict) async throws {
        try await TestServer.run { server in
            let owner = try Tokens(server.signIn(IdpLinkTests.ann))
            let guest = try server.guest()
            #expect(try server.document("PUT", "notes/n", #"{"n":1}"#, guest.idToken).status == 201)
            var person = IdpLinkTests.ann
            if conflict == .emailOfAnother { person.provider = "apple.com" }
            let before = try server.dump()
            let answer = try server.signIn(person, idToken: guest.idToken, onConflict: "report")
            #expect(try server.dump() == before)
            #expect(
                answer.code == (conflict == .emailOfAnother ? "EMAIL_EXISTS" : "FEDERATED_USER_ID_ALREADY_LINKED")
            )
            let report = answer.json["error"]?["mergeReport"]
            #expect(report?["dryRun"] == true)
            #expect(report?["anonymousLocalId"] == .string(guest.uid))
            #expect(report?["localId"] == .string(owner.uid))
            #expect(report?["documents"]?["moved"]?.int64 == 1)
        }
    }

    @Test func `with onConflict merge and no conflict, a guest links`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let answer = try Tokens(server.signIn(Self.ann, idToken: guest.idToken, onConflict: "merge"))
            #expect(answer.uid == guest.uid)
            #expect(answer.answer.json["merged"] == nil)
        }
    }

    @Test func `an unproven address, one's own identity and a user who is no guest are never merged`() async throws {
        try await TestServer.run { server in
            let owner = try Tokens(server.signIn(Self.ann))
            let guest = try server.guest()
            let bob = try server.signIn("bob@example.com")
            var unproven = Self.ann
            unproven.provider = "foo.com"
            unproven.isVerified = false
            let before = try server.dump()
            for (person, token, code) in [
                (unproven, guest.idToken, "EMAIL_EXISTS"),
                (Self.ann, owner.idToken, "FEDERATED_USER_ID_ALREADY_LINKED"),
                (Self.ann, bob.idToken, "NOT_ANONYMOUS"),
            ] {
                let answer = try server.signIn(person, idToken: token, onConflict: "merge")
                #expect(answer.status == 400)
                #expect(answer.code == code)
            }
            #expect(try server.dump() == before)
        }
    }
}
