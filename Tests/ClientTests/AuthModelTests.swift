import LatchkeyApp
import LatchkeyClient
import Observation
import Testing

@Suite("The state that views observe", .timeLimit(.minutes(1))) @MainActor struct AuthModelTests {
    /// Waits for the next change of the model's state.
    private func change(of model: AuthModel, after action: () async throws -> Void) async throws {
        let (changes, continuation) = AsyncStream<Void>.makeStream()
        withObservationTracking {
            _ = model.state
        } onChange: {
            continuation.yield()
        }
        try await action()
        for await _ in changes { break }
        // The change is announced before it is made.
        await Task.yield()
    }

    @Test func `it starts with the stored state and follows each change`() async throws {
        let server = try ScriptedServer { request in
            switch request.path.split(separator: "?")[0] {
            case "/v1/accounts:signUp": Wire.signedIn(uid: "g1", extra: #","isNewUser":true"#)
            case "/v1/accounts:lookup": Wire.user(uid: "g1")
            case "/v1/accounts:signOut": .json(#"{"reset":true}"#)
            default: .error("UNEXPECTED")
            }
        }
        let auth = try makeAuth(server.url)
        let model = AuthModel(auth)
        #expect(model.state == .noUser && model.user == nil)
        try await change(of: model) { try await auth.signInAnonymously() }
        #expect(model.user?.uid == "g1")
        #expect(AuthModel(auth).user?.uid == "g1", "another model of the same object")
        try await change(of: model) { try await auth.signOut() }
        #expect(model.state == .noUser)
    }

    @Test func `it ends with its last reference`() async throws {
        let auth = try makeAuth("http://127.0.0.1:1")
        var model: AuthModel? = AuthModel(auth)
        weak let ended = model
        #expect(ended != nil)
        model = nil
        // Its task holds no reference while it waits.
        for _ in 0..<1000 where ended != nil { await Task.yield() }
        #expect(ended == nil)
    }
}
