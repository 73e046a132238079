import Foundation
import LatchkeyApp
import LatchkeyClient
import Testing

@Suite("Sign-ins and links", .timeLimit(.minutes(2))) struct SignInTests {
    /// Starts a server with an anonymous user u1; `redeem` answers for the link.
    func server(redeem: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply) throws -> ScriptedServer {
        try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": .late(.milliseconds(100), Wire.signedIn(uid: "u1"))
            case "/v1/accounts:signInWithEmailLink": redeem(request)
            case "/v1/accounts:lookup":
                (request["idToken"] ?? "") == Wire.idToken(uid: "u1")
                    ? Wire.user(uid: "u1") : Wire.user(uid: "u1", email: "a@b.c")
            case "/v1/accounts:signOut": .json(#"{"reset":true}"#)
            default: .error("UNEXPECTED")
            }
        }
    }

    static func linked(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
        Wire.signedIn(uid: "u1", email: "a@b.c", serial: 5, refresh: "refresh-5")
    }

    @Test func `callers who ask at once make one anonymous user`() async throws {
        let server = try server(redeem: Self.linked)
        let auth = try makeAuth(server.url)
        let results = try await withThrowingTaskGroup(of: AuthResult.self) { group in
            for _ in 0..<50 {
                group.addTask { try await auth.signInAnonymously() }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(results.map(\.user.uid)) == ["u1"])
        #expect(server.requests(for: ":signUp").count == 1)
        let again = try await auth.signInAnonymously()
        #expect(!again.isNewUser)
        #expect(server.requests(for: ":signUp").count == 1)
    }

    @Test func `two processes on one session file make one anonymous user`() async throws {
        let server = try server(redeem: Self.linked)
        let folder = try TemporaryFolder()
        let store = FileSessionStore(path: folder.path + "/s.json", server: server.url)
        let first = try makeAuth(server.url, store: store), second = try makeAuth(server.url, store: store)
        async let one = first.signInAnonymously()
        async let two = second.signInAnonymously()
        #expect(try await [one.user.uid, two.user.uid] == ["u1", "u1"])
        #expect(server.requests(for: ":signUp").count == 1)
    }

    @Test func `a sign-up whose answers are all lost makes no user`() async throws {
        let server = try ScriptedServer { _ in .lost }
        let auth = try makeAuth(server.url)
        #expect(await code { try await auth.signInAnonymously() } == .networkRequestFailed)
        #expect(server.requests.count == 3)
        #expect(auth.state == .noUser)
    }

    @Test func `a user survives a restart`() async throws {
        let server = try server(redeem: Self.linked)
        let folder = try TemporaryFolder()
        let store = FileSessionStore(path: folder.path + "/s.json", server: server.url)
        let clock = TestClock()
        let user = try await makeAuth(server.url, store: store, clock: clock).signInAnonymously().user
        let restarted = try makeAuth(server.url, store: store, clock: clock)
        #expect(restarted.state == .anonymous(user))
        #expect(try await restarted.idToken() == Wire.idToken(uid: "u1"))
        #expect(user.creationDate == Date(timeIntervalSince1970: 1_790_000_000))
    }

    @Test func `linking keeps the UID and is announced, in order`() async throws {
        let server = try server(redeem: Self.linked)
        let auth = try makeAuth(server.url)
        var states = auth.states().makeAsyncIterator()
        #expect(await states.next() == .noUser)
        try await auth.signInAnonymously()
        let result = try await auth.link(withEmail: "a@b.c", link: Wire.link)
        #expect(result.isLinked)
        #expect(result.user.email == "a@b.c")
        try await auth.signOut()

        guard case .anonymous(let guest) = await states.next() else {
            Issue.record("no anonymous user")
            return
        }
        guard case .authenticated(let user) = await states.next() else {
            Issue.record("linking was not announced")
            return
        }
        #expect(guest.uid == user.uid)
        #expect(user.email == "a@b.c")
        #expect(user.isEmailVerified)
        #expect(await states.next() == .noUser)
        let sent = server.requests(for: ":signInWithEmailLink").first
        #expect(sent?["idToken"] == Wire.idToken(uid: "u1"))
        #expect(sent?["oobCode"] == Wire.action)
        #expect(sent?["onConflict"] == nil)
    }

    @Test func `every listener sees every change`() async throws {
        let server = try server(redeem: Self.linked)
        let auth = try makeAuth(server.url)
        let streams = (0..<10).map { _ in auth.states() }
        try await auth.signInAnonymously()
        try await auth.signOut()
        for stream in streams {
            var seen: [String] = []
            for await state in stream.prefix(3) { seen.append(state.user?.uid ?? "-") }
            #expect(seen == ["-", "u1", "-"])
        }
    }

    @Test func `a renewed token is no change of state`() async throws {
        let server = try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": Wire.signedIn(uid: "u1")
            case "/v1/token": Wire.refreshed(uid: "u1", serial: 1, refresh: "r1")
            case "/v1/accounts:signOut": .json("{}")
            default: Wire.user(uid: "u1")
            }
        }
        let auth = try makeAuth(server.url)
        let stream = auth.states()
        try await auth.signInAnonymously()
        _ = try await auth.idToken(forcingRefresh: true)
        try await auth.reload()
        try await auth.signOut()
        var seen: [String] = []
        for await state in stream.prefix(3) { seen.append(state.user?.uid ?? "-") }
        #expect(seen == ["-", "u1", "-"])
    }

    @Test func `an address of another account changes nothing, and the link can sign in there`() async throws {
        let server = try server { request in
            request["idToken"] != nil ? .error("EMAIL_EXISTS") : Wire.signedIn(uid: "u1", email: "a@b.c", serial: 5)
        }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        let before = auth.state
        #expect(await code { try await auth.link(withEmail: "a@b.c", link: Wire.link) } == .emailAlreadyInUse)
        #expect(auth.state == before)
        #expect(try await auth.idToken() == Wire.idToken(uid: "u1"))
        let result = try await auth.signIn(withEmail: "a@b.c", link: Wire.link)
        #expect(result.user.email == "a@b.c")
        #expect(!result.isLinked)
    }

    @Test func `a lost answer to linking is asked for again with the same session`() async throws {
        let tries = Counter()
        let server = try server { request in
            tries.next() == 0 ? .lost : Self.linked(request)
        }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        let result = try await auth.link(withEmail: "a@b.c", link: Wire.link)
        #expect(result.isLinked)
        let sent = server.requests(for: ":signInWithEmailLink").map(\.text)
        #expect(sent.count == 2)
        #expect(Set(sent).count == 1)
    }

    @Test func `a lost answer to a sign-in is not asked for again`() async throws {
        let server = try server { _ in .lost }
        let auth = try makeAuth(server.url)
        #expect(await code { try await auth.signIn(withEmail: "a@b.c", link: Wire.link) } == .networkRequestFailed)
        #expect(server.requests.count == 1)
    }

    @Test func `a redemption goes on when its caller is cancelled`() async throws {
        let server = try server { request in
            .late(.milliseconds(300), Self.linked(request))
        }
        let auth = try makeAuth(server.url)
        let caller = Task { try await auth.signIn(withEmail: "a@b.c", link: Wire.link) }
        try await Task.sleep(for: .milliseconds(100))
        caller.cancel()
        _ = await caller.result
        #expect(auth.currentUser?.email == "a@b.c")
    }

    @Test(arguments: ["", "123456", "https://x.example/?mode=verifyEmail&oobCode=\(Wire.action)"])
    func `what is no sign-in link is not sent`(link: String) async throws {
        let server = try server(redeem: Self.linked)
        let auth = try makeAuth(server.url)
        #expect(await code { try await auth.signIn(withEmail: "a@b.c", link: link) } == .invalidActionCode)
        #expect(await code { try await auth.link(withEmail: "a@b.c", link: link) } == .invalidActionCode)
        #expect(server.requests.isEmpty)
    }

    @Test func `linking without a user, or with an address already, is not sent`() async throws {
        let server = try server(redeem: Self.linked)
        let auth = try makeAuth(server.url)
        #expect(await code { try await auth.link(withEmail: "a@b.c", link: Wire.link) } == .noCurrentUser)
        try await auth.signIn(withEmail: "a@b.c", link: Wire.link)
        #expect(await code { try await auth.link(withEmail: "d@b.c", link: Wire.link) } == .providerAlreadyLinked)
        #expect(server.requests(for: ":signInWithEmailLink").count == 1)
    }

    @Test func `an ID token of another user than the answer names is refused`() async throws {
        let token = Wire.idToken(uid: "u2")
        let server = try ScriptedServer { _ in
            .json(#"{"localId":"u1","idToken":"\#(token)","refreshToken":"r","expiresIn":"3600"}"#)
        }
        let auth = try makeAuth(server.url)
        #expect(await code { try await auth.signInAnonymously() } == .internalError)
        #expect(auth.state == .noUser)
    }

    @Test func `a sign-in stands when the rest of the user cannot be asked for`() async throws {
        let server = try ScriptedServer { request in
            request.path.hasSuffix(":lookup") ? .lost : Wire.signedIn(uid: "u1", email: "a@b.c")
        }
        let auth = try makeAuth(server.url)
        let user = try await auth.signIn(withEmail: "a@b.c", link: Wire.link).user
        #expect(user.uid == "u1")
        #expect(user.email == "a@b.c")
        #expect(user.creationDate == nil)
    }

    @Test func `requests carry key, language and name, and no secret in the URL`() async throws {
        let server = try server(redeem: Self.linked)
        let configuration = try Auth.Configuration(
            server: server.url,
            apiKey: "the-key",
            languageCode: "pt-BR",
            userAgent: "Notes/2.1"
        )
        let auth = try Auth(configuration: configuration, transport: URLSessionTransport(), store: MemorySessionStore())
        try await auth.signInAnonymously()
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.path == "/v1/accounts:signUp")
        #expect(request.headers["x-goog-api-key"] == "the-key")
        #expect(request.headers["x-firebase-locale"] == "pt-BR")
        #expect(request.headers["user-agent"] == "Notes/2.1")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["x-client-version"] == nil)
        #expect(request["returnSecureToken"] == nil)
        #expect(request.text == #"{"returnSecureToken":true}"#)
    }
}
