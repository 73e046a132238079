import LatchkeyClient
import Synchronization
import Testing

@Suite("Token renewal", .timeLimit(.minutes(2))) struct TokenTests {
    let clock = TestClock()

    /// Starts a server with one anonymous user; `token` answers the refreshes.
    func server(token: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply) throws -> ScriptedServer {
        try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": Wire.signedIn(uid: "u1")
            case "/v1/accounts:lookup": Wire.user(uid: "u1")
            case "/v1/token": token(request)
            default: .error("UNEXPECTED")
            }
        }
    }

    @Test func `a token that is good for long is not renewed`() async throws {
        let server = try server { _ in .lost }
        let auth = try makeAuth(server.url, clock: clock)
        try await auth.signInAnonymously()
        clock.advance(by: 3600 - 31)
        #expect(try await auth.idToken() == Wire.idToken(uid: "u1"))
        #expect(server.requests(for: "/token").isEmpty)
    }

    @Test func `a token with less than thirty seconds left is renewed`() async throws {
        let server = try server { _ in Wire.refreshed(uid: "u1", serial: 1, refresh: "refresh-1") }
        let auth = try makeAuth(server.url, clock: clock)
        try await auth.signInAnonymously()
        clock.advance(by: 3600 - 29)
        #expect(try await auth.idToken() == Wire.idToken(uid: "u1", serial: 1))
        #expect(server.requests(for: "/token").map(\.text) == ["grant_type=refresh_token&refresh_token=refresh-0"])
    }

    /// Opens the gate a second after the last of fifty callers has started, so that all of them wait for one renewal.
    private static func open(_ gate: ScriptedServer.Gate, afterLastOf started: Counter) {
        guard started.next() == 49 else { return }
        Task {
            try? await Task.sleep(for: .seconds(1))
            gate.open()
        }
    }

    @Test(arguments: [false, true])
    func `fifty callers share one renewal`(isForced: Bool) async throws {
        let serial = Counter(), started = Counter()
        let gate = ScriptedServer.Gate()
        let server = try server { _ in
            let number = serial.next() + 1
            return .after(gate, Wire.refreshed(uid: "u1", serial: number, refresh: "refresh-\(number)"))
        }
        let auth = try makeAuth(server.url, clock: clock)
        try await auth.signInAnonymously()
        clock.advance(by: 4000)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    Self.open(gate, afterLastOf: started)
                    return try await auth.idToken(forcingRefresh: isForced)
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == [Wire.idToken(uid: "u1", serial: 1)])
        #expect(server.requests(for: "/token").count == 1)
    }

    @Test func `fifty callers share one failure`() async throws {
        let gate = ScriptedServer.Gate(), started = Counter()
        let server = try server { _ in .after(gate, .error("PROJECT_DISABLED")) }
        let auth = try makeAuth(server.url, clock: clock)
        try await auth.signInAnonymously()
        clock.advance(by: 4000)
        let codes = await withTaskGroup(of: AuthError.Code?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    Self.open(gate, afterLastOf: started)
                    return await code { try await auth.idToken() }
                }
            }
            return await group.reduce(into: Set<AuthError.Code?>()) { $0.insert($1) }
        }
        #expect(codes == [AuthError.Code(rawValue: "projectDisabled")])
        #expect(server.requests(for: "/token").count == 1)
    }

    @Test func `forcing renews a good token, each time anew`() async throws {
        let serial = Counter()
        let server = try server { _ in
            let number = serial.next() + 1
            return Wire.refreshed(uid: "u1", serial: number, refresh: "refresh-\(number)")
        }
        let auth = try makeAuth(server.url, clock: clock)
        try await auth.signInAnonymously()
        #expect(try await auth.idToken(forcingRefresh: true) == Wire.idToken(uid: "u1", serial: 1))
        #expect(try await auth.idToken(forcingRefresh: true) == Wire.idToken(uid: "u1", serial: 2))
        #expect(server.requests(for: "/token").last?.text.hasSuffix("refresh-1") == true)
    }

    @Test(
        arguments: [
            ScriptedServer.Reply.lost, .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<htm"),
            .raw("not HTTP\r\n\r\n"),
            .json("{}"), .json("<html>502</html>", status: 502), .json("[", status: 200),
            .error("UNAVAILABLE", status: 503),
        ]
    )
    func `a lost or garbled answer is asked for again with the same token`(fault: ScriptedServer.Reply) async throws {
        let tries = Counter()
        let server = try server { _ in
            tries.next() == 0 ? fault : Wire.refreshed(uid: "u1", serial: 1, refresh: "refresh-1")
        }
        let auth = try makeAuth(server.url, clock: clock)
        try await auth.signInAnonymously()
        clock.advance(by: 4000)
        #expect(try await auth.idToken() == Wire.idToken(uid: "u1", serial: 1))
        let sent = server.requests(for: "/token").map(\.text)
        #expect(sent.count == 2)
        #expect(Set(sent).count == 1)
    }

    @Test func `a server that stays away costs the call, never the session`() async throws {
        let server = try server { _ in .lost }
        let auth = try makeAuth(server.url, clock: clock)
        try await auth.signInAnonymously()
        clock.advance(by: 4000)
        #expect(await code { try await auth.idToken() } == .networkRequestFailed)
        #expect(auth.currentUser?.uid == "u1")
        #expect(server.requests(for: "/token").count == 3)
    }

    @Test(
        arguments: [
            ("TOKEN_EXPIRED", AuthError.Code.userTokenExpired), ("USER_NOT_FOUND", .userTokenExpired),
            ("USER_DISABLED", .userDisabled), ("INVALID_REFRESH_TOKEN", .invalidRefreshToken),
        ]
    )
    func `a session that is over signs the local user out`(serverCode: String, expected: AuthError.Code) async throws {
        let server = try server { _ in .error(serverCode) }
        let store = MemorySessionStore()
        let auth = try makeAuth(server.url, store: store, clock: clock)
        try await auth.signInAnonymously()
        clock.advance(by: 4000)
        #expect(await code { try await auth.idToken() } == expected)
        #expect(auth.state == .noUser)
        #expect(try store.load().isEmpty)
        #expect(await code { try await auth.idToken() } == .noCurrentUser)
    }

    @Test(arguments: ["TOO_MANY_ATTEMPTS_TRY_LATER", "INVALID_ID_TOKEN", "PROJECT_DISABLED"])
    func `any other refusal keeps the session`(serverCode: String) async throws {
        let server = try server { _ in .error(serverCode) }
        let auth = try makeAuth(server.url, clock: clock)
        try await auth.signInAnonymously()
        clock.advance(by: 4000)
        _ = await code { try await auth.idToken() }
        #expect(auth.currentUser?.uid == "u1")
        #expect(server.requests(for: "/token").count == 1)
    }

    @Test func `a renewal for another user is not taken`() async throws {
        let server = try server { _ in Wire.refreshed(uid: "u2", serial: 1, refresh: "refresh-1") }
        let auth = try makeAuth(server.url, clock: clock)
        try await auth.signInAnonymously()
        #expect(await code { try await auth.idToken(forcingRefresh: true) } == .internalError)
        #expect(try await auth.idToken() == Wire.idToken(uid: "u1"))
    }

    @Test func `a token that another process renewed is used`() async throws {
        let server = try server { _ in Wire.refreshed(uid: "u1", serial: 1, refresh: "refresh-1") }
        let folder = try TemporaryFolder()
        let store = FileSessionStore(path: folder.path + "/s.json", server: server.url)
        let first = try makeAuth(server.url, store: store, clock: clock)
        try await first.signInAnonymously()
        let second = try makeAuth(server.url, store: store, clock: clock)
        clock.advance(by: 4000)
        async let one = first.idToken()
        async let two = second.idToken()
        #expect(try await [one, two] == Array(repeating: Wire.idToken(uid: "u1", serial: 1), count: 2))
        #expect(server.requests(for: "/token").count == 1)
    }

    @Test func `a caller who is cancelled does not take the renewal from the others`() async throws {
        let server = try server { _ in
            .late(.milliseconds(300), Wire.refreshed(uid: "u1", serial: 1, refresh: "refresh-1"))
        }
        let auth = try makeAuth(server.url, clock: clock)
        try await auth.signInAnonymously()
        clock.advance(by: 4000)
        let impatient = Task { try await auth.idToken() }
        try await Task.sleep(for: .milliseconds(50))
        let patient = Task { try await auth.idToken() }
        impatient.cancel()
        #expect(try await patient.value == Wire.idToken(uid: "u1", serial: 1))
        #expect(server.requests(for: "/token").count == 1)
    }

    @Test func `a token that the server calls expired is renewed once before giving up`() async throws {
        let lookups = Counter()
        let server = try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": Wire.signedIn(uid: "u1")
            case "/v1/token": Wire.refreshed(uid: "u1", serial: 1, refresh: "refresh-1")
            default: lookups.next() == 1 ? .error("TOKEN_EXPIRED") : Wire.user(uid: "u1")
            }
        }
        let auth = try makeAuth(server.url, clock: clock)
        try await auth.signInAnonymously()
        let user = try await auth.reload()
        #expect(user.uid == "u1")
        let tokens = server.requests(for: ":lookup").map { $0["idToken"] }
        #expect(tokens.suffix(2) == [Wire.idToken(uid: "u1"), Wire.idToken(uid: "u1", serial: 1)])
    }

    @Test(arguments: ["TOKEN_EXPIRED", "USER_NOT_FOUND", "USER_DISABLED"])
    func `a call that says the session is over signs out`(serverCode: String) async throws {
        let lookups = Counter()
        let server = try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": Wire.signedIn(uid: "u1")
            case "/v1/token": .error(serverCode)
            default: lookups.next() == 0 ? Wire.user(uid: "u1") : .error(serverCode)
            }
        }
        let auth = try makeAuth(server.url, clock: clock)
        try await auth.signInAnonymously()
        _ = await code { try await auth.reload() }
        #expect(auth.state == .noUser)
    }
}
