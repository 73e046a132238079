import LatchkeyClient
import Testing

/// Merging after a sign-in, with the token of the previous guest.
@Suite("Merges after a sign-in", .timeLimit(.minutes(2))) struct MergeTests {
    static let guestToken = Wire.idToken(uid: "u1")
    static let ownToken = Wire.idToken(uid: "u2", email: "a@b.c")

    func server(
        merge: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply = { _ in Self.merged }
    ) throws -> ScriptedServer {
        try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": Wire.signedIn(uid: "u1")
            case "/v1/accounts:signInWithEmailLink": Wire.signedIn(uid: "u2", email: "a@b.c", refresh: "own")
            case "/v1/accounts:merge": merge(request)
            case "/v1/token":
                String(decoding: request.body, as: UTF8.self).hasSuffix("own")
                    ? Wire.refreshed(uid: "u2", email: "a@b.c", serial: 1, refresh: "own-1") : .error("TOKEN_EXPIRED")
            default:
                .json(#"{"users":[{"localId":"u2","email":"a@b.c","username":"Ann"}]}"#)
            }
        }
    }

    static let merged = ScriptedServer.Reply.json(#"{"localId":"u2","report":\#(ContinueTests.report)}"#)

    /// Makes an owner, and separately a guest.
    func people(_ server: ScriptedServer) async throws -> (owner: Auth, guest: Auth) {
        let owner = try makeAuth(server.url), guest = try makeAuth(server.url)
        try await owner.signIn(withEmail: "a@b.c", link: Wire.link)
        try await guest.signInAnonymously()
        return (owner, guest)
    }

    @Test func `both tokens are presented, the guest is gone, and the owner has what came along`() async throws {
        let server = try server()
        let (owner, guest) = try await people(server)
        let report = try await owner.merge(from: guest)
        #expect(report.documents.moved == 3)
        #expect(guest.currentUser == nil)
        #expect(owner.currentUser?.username == "Ann")
        let sent = try #require(server.requests(for: ":merge").first)
        #expect(sent["idToken"] == Self.ownToken && sent["anonymousIdToken"] == Self.guestToken)
        #expect(!sent.text.contains("dryRun"))
    }

    @Test func `a dry run changes no user`() async throws {
        let server = try server { _ in
            .json(#"{"localId":"u2","report":{"anonymousLocalId":"u1","localId":"u2","dryRun":true}}"#)
        }
        let (owner, guest) = try await people(server)
        let report = try await owner.mergeDryRun(from: guest)
        #expect(report.isDryRun && report.mergeID == nil && report.mergedAt == nil)
        #expect(guest.currentUser?.isAnonymous == true)
        #expect(server.requests(for: ":merge").first?.text.contains(#""dryRun":true"#) == true)
    }

    @Test func `a lost answer is asked for again`() async throws {
        let tries = Counter()
        let server = try server { _ in tries.next() == 0 ? .lost : Self.merged }
        let (owner, guest) = try await people(server)
        #expect(try await owner.merge(from: guest).mergeID == "m1")
        #expect(Set(server.requests(for: ":merge").map(\.text)).count == 1)
    }

    @Test func `a guest's session that is over does not sign the owner out`() async throws {
        let server = try server { _ in .error("TOKEN_EXPIRED") }
        let (owner, _) = try await people(server)
        let error = await code { try await owner.merge(anonymousIDToken: Self.guestToken) }
        #expect(error == .userTokenExpired)
        #expect(owner.currentUser?.uid == "u2")
        #expect(server.requests(for: ":merge").count == 2)
    }

    @Test func `an owner's token that is old is renewed`() async throws {
        let server = try server { request in
            request["idToken"] == Self.ownToken ? .error("TOKEN_EXPIRED") : Self.merged
        }
        let (owner, guest) = try await people(server)
        #expect(try await owner.merge(from: guest).mergeID == "m1")
    }

    @Test func `only a guest is merged, and only into an account`() async throws {
        let server = try server()
        let (owner, guest) = try await people(server)
        let nobody = try makeAuth(server.url)
        #expect(await code { try await guest.merge(from: guest) } == .notPermanent)
        #expect(await code { try await owner.merge(from: owner) } == .notAnonymous)
        #expect(await code { try await owner.merge(from: nobody) } == .noCurrentUser)
        #expect(await code { try await nobody.merge(from: guest) } == .noCurrentUser)
        #expect(server.requests(for: ":merge").isEmpty)
    }

    @Test(
        arguments: [
            ("USERNAME_TAKEN", AuthError.Code.usernameTaken), ("USERNAME_RESERVED", .usernameReserved),
            ("INVALID_USERNAME", .invalidUsername), ("MERGE_IN_PROGRESS", .mergeInProgress),
        ]
    )
    func `a username that cannot be had changes nothing`(serverCode: String, expected: AuthError.Code) async throws {
        let server = try ScriptedServer { request in
            request.path.hasSuffix(":setUsername") ? .error(serverCode, status: 409) : Wire.signedIn(uid: "u1")
        }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        let before = auth.state
        #expect(await code { try await auth.setUsername("Ann_1") } == expected)
        #expect(auth.state == before)
    }

    @Test func `usernames are claimed, found and given back`() async throws {
        let server = try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:setUsername":
                .json(request["username"].map { #"{"localId":"u1","username":"\#($0)"}"# } ?? #"{"localId":"u1"}"#)
            case "/v1/usernames/Bob%2F": .json(#"{"username":"Bob/","available":true}"#)
            case "/v1/usernames/ann": .json(#"{"username":"Ann","available":false,"localId":"u1"}"#)
            default: Wire.signedIn(uid: "u1")
            }
        }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        var states = auth.states().makeAsyncIterator()
        _ = await states.next()
        #expect(try await auth.setUsername("Ann").username == "Ann")
        #expect(await states.next()?.user?.username == "Ann")
        let found = try await auth.username(named: "ann")
        #expect(found.username == "Ann" && !found.isAvailable && found.uid == "u1")
        #expect(try await auth.username(named: "Bob/").isAvailable)
        #expect(try await auth.releaseUsername().username == nil)
        let sent = server.requests(for: ":setUsername")
        #expect(sent.map(\.text) == [#"{"username":"Ann"}"#, #"{"username":null}"#])
        #expect(sent.allSatisfy { $0.headers["authorization"] == "Bearer \(Self.guestToken)" })
        #expect(sent.allSatisfy { $0.headers["x-goog-api-key"] == nil })
    }
}
