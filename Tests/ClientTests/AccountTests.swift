import Foundation
import LatchkeyClient
import Synchronization
import Testing

@Suite("Account calls", .timeLimit(.minutes(2))) struct AccountTests {
    func server(
        _ special: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply
    ) throws -> ScriptedServer {
        try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": Wire.signedIn(uid: "u1")
            case "/v1/accounts:lookup": Wire.user(uid: "u1")
            default: special(request)
            }
        }
    }

    @Test func `signing out tells the server and forgets everything`() async throws {
        let server = try server { _ in .json(#"{"reset":true}"#) }
        let folder = try TemporaryFolder()
        let store = FileSessionStore(path: folder.path + "/s.json", server: server.url)
        let auth = try makeAuth(server.url, store: store)
        try await auth.signInAnonymously()
        let result = try await auth.signOut()
        #expect(result.wasReset)
        #expect(auth.state == .noUser)
        #expect(try store.load().isEmpty)
        #expect(server.requests(for: ":signOut").map { $0["refreshToken"] } == ["refresh-0"])
    }

    @Test func `signing out without a session sends no request`() async throws {
        let server = try server { _ in .lost }
        let result = try await makeAuth(server.url).signOut()
        #expect(!result.wasReset)
        #expect(server.requests.isEmpty)
    }

    @Test func `signing out works here when the server is away, and says so`() async throws {
        let server = try server { _ in .lost }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        #expect(await code { try await auth.signOut() } == .networkRequestFailed)
        #expect(auth.state == .noUser)
    }

    @Test func `a lost answer to signing out is as good as one`() async throws {
        let tries = Counter()
        let server = try server { _ in tries.next() == 0 ? .lost : .error("TOKEN_EXPIRED") }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        let result = try await auth.signOut()
        #expect(result.wasReset)
    }

    @Test func `a changed profile is announced`() async throws {
        let server = try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": Wire.signedIn(uid: "u1")
            case "/v1/accounts:update": .json(#"{"localId":"u1","displayName":"Ada"}"#)
            default: .json(#"{"users":[{"localId":"u1","displayName":"Ada"}]}"#)
            }
        }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        let user = try await auth.updateProfile(displayName: .set("Ada"), photoURL: .removed)
        #expect(user.displayName == "Ada")
        #expect(auth.currentUser == user)
        let sent = try #require(server.requests(for: ":update").first)
        #expect(sent["displayName"] == "Ada")
        #expect(sent.text.contains(#""deleteAttribute":["PHOTO_URL"]"#))
        #expect(!sent.text.contains("photoUrl"))
    }

    @Test func `deleting signs out`() async throws {
        let server = try server { _ in .json("{}") }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        try await auth.delete()
        #expect(auth.state == .noUser)
    }

    @Test func `a deletion that needs a fresh sign-in keeps the user`() async throws {
        let server = try server { _ in .error("CREDENTIAL_TOO_OLD_LOGIN_AGAIN") }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        #expect(await code { try await auth.delete() } == .requiresRecentLogin)
        #expect(auth.currentUser?.uid == "u1")
    }

    @Test func `a session that cannot be stored is used, and stored later`() async throws {
        let server = try server { _ in Wire.refreshed(uid: "u1", serial: 1, refresh: "refresh-1") }
        let store = FullDisk()
        let auth = try makeAuth(server.url, store: store)
        store.isFull.withLock { $0 = true }
        #expect(await code { try await auth.signInAnonymously() } == .storageFailed)
        #expect(auth.currentUser?.uid == "u1")
        store.isFull.withLock { $0 = false }
        #expect(try await auth.idToken(forcingRefresh: true) == Wire.idToken(uid: "u1", serial: 1))
        #expect(try store.load().session?.refreshToken == "refresh-1")
    }

    @Test func `a damaged session file stops the start and stays`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s.json"
        try "garbage".write(toFile: path, atomically: true, encoding: .utf8)
        let store = FileSessionStore(path: path, server: "http://127.0.0.1:1")
        #expect(await code { try makeAuth("http://127.0.0.1:1", store: store) } == .storageFailed)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "garbage")
    }

    @Test func `a closed port is a network failure`() async throws {
        let port = try ScriptedServer { _ in .lost }.port
        let auth = try makeAuth("http://127.0.0.1:\(port)")
        #expect(await code { try await auth.signInAnonymously() } == .networkRequestFailed)
    }
}

/// A store whose disk can be full.
private final class FullDisk: SessionStore {
    let isFull = Mutex(false)
    private let state = Mutex(PersistedState())

    func load() throws -> PersistedState {
        state.withLock { $0 }
    }

    func save(_ state: PersistedState) throws {
        guard !isFull.withLock({ $0 }) else { throw TransportFailure("no space left on device") }
        self.state.withLock { $0 = state }
    }
}
