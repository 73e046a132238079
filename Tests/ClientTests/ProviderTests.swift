import Foundation
import LatchkeyApp
import LatchkeyClient
import Testing

@Suite("Identity providers", .timeLimit(.minutes(2))) struct ProviderTests {
    private static func credential(
        _ subject: String,
        provider: String = "google.com",
        email: String? = nil,
        isVerified: Bool = true
    ) -> ProviderCredential {
        let address = email.map { #","email":"\#($0)","email_verified":\#(isVerified)"# } ?? ""
        let claims = #"{"sub":"\#(subject)"\#(address)}"#
        let token = [#"{"alg":"none"}"#, claims].map(Wire.base64URL).joined(separator: ".") + "."
        return ProviderCredential(providerID: provider, idToken: token)
    }

    private func withServer(_ body: (() throws -> Auth) async throws -> Void) async throws {
        let server = try RealServer()
        do {
            try await body {
                try Auth(
                    configuration: Auth.Configuration(server: server.url, requestTimeout: .seconds(10)),
                    transport: URLSessionTransport(),
                    store: MemorySessionStore()
                )
            }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test func `a new identity makes an account, and signs in to it on another device`() async throws {
        try await withServer { makeAuth in
            let credential = Self.credential("ann", email: "ann@example.com")
            let first = try await makeAuth().signIn(with: credential)
            #expect(first.isNewUser)
            #expect(first.user.email == "ann@example.com")
            #expect(first.user.providers.map(\.id) == ["google.com"])
            let second = try await makeAuth().signIn(with: credential)
            #expect(second.outcome == .signedIn(second.user))
            #expect(second.user.uid == first.user.uid)
        }
    }

    @Test func `a guest keeps the UID, and where the identity has an account becomes part of it`() async throws {
        try await withServer { makeAuth in
            let credential = Self.credential("ann")
            let auth = try makeAuth()
            let guest = try await auth.signInAnonymously().user
            let linked = try await auth.link(with: credential)
            #expect(linked.outcome == .linked(linked.user))
            #expect(linked.user.uid == guest.uid)
            #expect(!linked.user.isAnonymous)

            let other = try makeAuth()
            let second = try await other.signInAnonymously().user
            #expect(await code { try await other.link(with: credential) } == .credentialAlreadyInUse)
            #expect(other.currentUser == second, "nothing has changed")
            guard case .merged(let user, let report) = try await other.continue(with: credential) else {
                Issue.record("not merged")
                return
            }
            #expect(user.uid == guest.uid)
            #expect(report.anonymousUID == second.uid)
            #expect(other.currentUser?.uid == guest.uid)
        }
    }

    @Test func `without a guest, going on signs in`() async throws {
        try await withServer { makeAuth in
            let auth = try makeAuth()
            guard case .signedUp(let user) = try await auth.continue(with: Self.credential("ann")) else {
                Issue.record("not signed up")
                return
            }
            guard case .signedIn(let again) = try await auth.continue(with: Self.credential("ann")) else {
                Issue.record("not signed in")
                return
            }
            #expect(again.uid == user.uid)
        }
    }

    @Test func `an address that the provider does not prove asks for another sign-in method`() async throws {
        try await withServer { makeAuth in
            _ = try await makeAuth().signIn(with: Self.credential("ann", email: "ann@example.com"))
            let auth = try makeAuth()
            let unproven = Self.credential("x", provider: "oidc.x", email: "ann@example.com", isVerified: false)
            #expect(await code { try await auth.signIn(with: unproven) } == .accountExistsWithDifferentCredential)
            #expect(auth.currentUser == nil)
            let guest = try await auth.signInAnonymously().user
            #expect(await code { try await auth.link(with: unproven) } == .emailAlreadyInUse)
            #expect(auth.currentUser == guest)
        }
    }

    @Test func `the nonce is sent as the app drew it`() async throws {
        let server = try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signInWithIdp": Wire.signedIn(uid: "u1", email: "a@b.c")
            default: Wire.user(uid: "u1", email: "a@b.c")
            }
        }
        let auth = try makeAuth(server.url)
        try await auth.signIn(with: ProviderCredential(providerID: "apple.com", idToken: "a.b.c", nonce: "n&=+ é"))
        let request = try #require(server.requests(for: ":signInWithIdp").first)
        #expect(request["postBody"] == "providerId=apple.com&id_token=a.b.c&nonce=n%26%3D%2B%20%C3%A9")
        #expect(request["idToken"] == nil)
    }

    @Test func `a lost answer is not asked for again: the token may be good for one sign-in only`() async throws {
        let server = try ScriptedServer { _ in .lost }
        let auth = try makeAuth(server.url)
        #expect(await code { try await auth.signIn(with: Self.credential("x")) } == .networkRequestFailed)
        #expect(server.requests.count == 1)
    }

    @Test func `a custom token signs in to the user that it names`() async throws {
        let server = try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signInWithCustomToken":
                request["token"] == "custom" ? Wire.signedIn(uid: "u1", email: "a@b.c") : .error("INVALID_CUSTOM_TOKEN")
            default: Wire.user(uid: "u1", email: "a@b.c")
            }
        }
        let auth = try makeAuth(server.url)
        #expect(try await auth.signIn(withCustomToken: "custom").user.uid == "u1")
        #expect(await code { try await auth.signIn(withCustomToken: "other") } == .invalidCustomToken)
        #expect(auth.currentUser?.uid == "u1")
    }

    @Test func `a credential shows no secret`() {
        let credential = ProviderCredential(providerID: "google.com", idToken: "secret", nonce: "secret")
        var text = "\(credential)"
        dump(credential, to: &text)
        #expect(!text.contains("secret"))
        #expect(text.contains("google.com"))
    }
}
