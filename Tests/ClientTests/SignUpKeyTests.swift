import Foundation
import LatchkeyClient
import Synchronization
import Testing

@Suite("Repeated sign-ups", .timeLimit(.minutes(2))) struct SignUpKeyTests {
    /// Starts a server that loses this many answers to sign-ups and then returns a guest for each key.
    private static func server(losing losses: Int = 0, refusing: Int = 0) throws -> ScriptedServer {
        let signUps = Counter()
        return try ScriptedServer { request in
            guard request.path == "/v1/accounts:signUp" else { return Wire.user(uid: "u1") }
            let number = signUps.next()
            if number < losses { return .lost }
            if number < losses + refusing { return .error("IDEMPOTENCY_KEY_USED : Sign up anew.", status: 409) }
            return Wire.signedIn(uid: "u1")
        }
    }

    private static func keys(_ server: ScriptedServer) -> [String] {
        server.requests(for: ":signUp").map { $0.headers["idempotency-key"] ?? "" }
    }

    @Test func `a lost answer is asked for again with the same key`() async throws {
        let server = try Self.server(losing: 2)
        let auth = try makeAuth(server.url)
        #expect(try await auth.signInAnonymously().user.uid == "u1")
        let keys = Self.keys(server)
        #expect(keys.count == 3)
        #expect(Set(keys).count == 1)
        #expect(keys.first?.utf8.count == 43)
    }

    @Test func `an app that was restarted after a lost answer sends the same key`() async throws {
        let server = try Self.server(losing: 3)
        let folder = try TemporaryFolder()
        let store = FileSessionStore(path: folder.path + "/s.json", server: server.url)
        let first = try makeAuth(server.url, store: store)
        #expect(await code { try await first.signInAnonymously() } == .networkRequestFailed)
        #expect(try store.load().signUpKey == Self.keys(server).first)
        let second = try makeAuth(server.url, store: store)
        try await second.signInAnonymously()
        #expect(Set(Self.keys(server)).count == 1)
        #expect(try store.load().signUpKey == nil, "a key is used for one guest")
        try await second.signOut()
        try await second.signInAnonymously()
        #expect(Set(Self.keys(server)).count == 2)
    }

    @Test func `a key is stored before it is sent`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s.json"
        let stored = Mutex("")
        let server = try ScriptedServer { request in
            guard request.path == "/v1/accounts:signUp" else { return Wire.user(uid: "u1") }
            let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
            stored.withLock { $0 = text }
            return Wire.signedIn(uid: "u1")
        }
        try await makeAuth(server.url, store: FileSessionStore(path: path, server: server.url)).signInAnonymously()
        let key = try #require(Self.keys(server).first)
        #expect(stored.withLock { $0 }.contains(key))
    }

    @Test func `a key that was used is replaced by a new one`() async throws {
        let server = try Self.server(refusing: 1)
        let auth = try makeAuth(server.url)
        #expect(try await auth.signInAnonymously().user.uid == "u1")
        #expect(Set(Self.keys(server)).count == 2)
        let other = try Self.server(refusing: 9)
        let refused = try makeAuth(other.url)
        #expect(await code { try await refused.signInAnonymously() } != nil)
        #expect(Self.keys(other).count == 2, "not for ever")
    }

    @Test func `a session that an older version stored is kept`() async throws {
        let state = PersistedState(signUpKey: String(repeating: "k", count: 43))
        let text = String(decoding: try JSONEncoder().encode(PersistedState()), as: UTF8.self)
        #expect(text == "{}", "what older versions write")
        #expect(try JSONDecoder().decode(PersistedState.self, from: Data(text.utf8)).signUpKey == nil)
        #expect(!state.isEmpty)
        #expect(!"\(state)".contains("kkk"))
    }
}
