import Foundation
import LatchkeyClient
import Testing

/// What an app does with a URL that opened it.
@Suite("URLs that open the app") struct HandleURLTests {
    private static let here = Wire.link + "&latchkeyRequestId=r1"
    private static let elsewhere = Wire.link + "&latchkeyRequestId=r2"

    private static func described(_ state: String) -> ScriptedServer.Reply {
        .json(
            #"{"kind":"k","requestId":"r2","email":"a***@b.c","device":"Firefox · Linux","#
                + #""requestedAt":"2026-11-21T10:00:00.125Z","state":"\#(state)","#
                + #""approveUrl":"https://auth.example/auth/action?mode=signIn&oobCode=x"}"#
        )
    }

    private func server(
        redeem: ScriptedServer.Reply = Wire.signedIn(uid: "u1", email: "a@b.c", extra: #","isNewUser":true"#),
        query: ScriptedServer.Reply = described("waiting")
    ) throws -> ScriptedServer {
        try ScriptedServer { request in
            switch request.path.split(separator: "?")[0] {
            case "/v1/accounts:sendOobCode":
                .json(#"{"requestId":"r1","email":"a@b.c","ticket":"t1","confirmation":"427"}"#)
            case "/v1/accounts:signInWithEmailLink": redeem
            case "/v1/accounts:querySignInLink": query
            case "/v1/accounts:denySignInLink": .json(#"{"kind":"k","denied":true}"#)
            case "/v1/accounts:lookup": Wire.user(uid: "u1", email: "a@b.c")
            default: .error("UNEXPECTED")
            }
        }
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test(arguments: ["https://notes.example/welcome", "https://x.example/?mode=verifyEmail&oobCode=\(Wire.action)"])
    func `a URL that is no sign-in link is the app's own`(_ text: String) async throws {
        let server = try server()
        #expect(try await makeAuth(server.url).handle(url: url(text)) == nil)
        #expect(server.requests.isEmpty)
    }

    @Test func `a link that was requested here signs in with the address of the request`() async throws {
        let server = try server()
        let auth = try makeAuth(server.url)
        try await auth.sendSignInLink(to: "a@b.c")
        guard case .finished(.signedUp(let user)) = try await auth.handle(url: url(Self.here)) else {
            Issue.record("the sign-in is finished")
            return
        }
        #expect(user.uid == "u1")
        let sent = try #require(server.requests(for: ":signInWithEmailLink").first)
        #expect(sent["email"] == "a@b.c" && sent["oobCode"] == Wire.action)
        #expect(server.requests(for: ":querySignInLink").isEmpty)
    }

    @Test(arguments: ["waiting", "approved"])
    func `a link of another device changes nothing until the person chooses`(_ state: String) async throws {
        let server = try server(query: Self.described(state))
        let auth = try makeAuth(server.url)
        guard case .elsewhere(let link) = try await auth.handle(url: url(Self.elsewhere)) else {
            Issue.record("another device asked")
            return
        }
        #expect(link.description.device == "Firefox · Linux" && link.description.maskedEmail == "a***@b.c")
        #expect(link.approveURL.absoluteString.hasPrefix("https://auth.example/auth/action"))
        #expect(server.requests.count == 1 && auth.currentUser == nil)
        try await link.deny()
        #expect(server.requests(for: ":denySignInLink").first?["oobCode"] == Wire.action)
    }

    @Test func `the person may continue here, and decides about the guest`() async throws {
        let server = try server()
        let auth = try makeAuth(server.url)
        guard case .elsewhere(let link) = try await auth.handle(url: url(Self.elsewhere)) else {
            Issue.record("another device asked")
            return
        }
        try await link.continueHere(email: "typed@b.c", guest: .leave)
        let sent = try #require(server.requests(for: ":signInWithEmailLink").first)
        #expect(sent["email"] == "typed@b.c" && sent["idToken"] == nil)
        #expect(auth.currentUser?.uid == "u1")
    }

    @Test(arguments: ["used", "ended", "expired", "paused"])
    func `a link that is over says what became of it`(_ state: String) async throws {
        let server = try server(query: Self.described(state))
        guard case .over(let link) = try await makeAuth(server.url).handle(url: url(Self.elsewhere)) else {
            Issue.record("the link is over")
            return
        }
        #expect(link.description?.state.rawValue == state)
        #expect(link.error == nil)
    }

    @Test(arguments: ["INVALID_OOB_CODE", "EXPIRED_OOB_CODE"])
    func `a refused link is over, requested here or not`(_ code: String) async throws {
        let server = try server(redeem: .error(code), query: .error(code))
        let auth = try makeAuth(server.url)
        try await auth.sendSignInLink(to: "a@b.c")
        for link in [Self.here, Self.elsewhere] {
            guard case .over(let ended) = try await auth.handle(url: url(link)) else {
                Issue.record("the link is over")
                continue
            }
            #expect(ended.error?.serverCode == code)
        }
    }

    @Test func `after a lost answer the app may call again`() async throws {
        let server = try server(redeem: .lost, query: .lost)
        let auth = try makeAuth(server.url)
        try await auth.sendSignInLink(to: "a@b.c")
        for link in [Self.here, Self.elsewhere] {
            await #expect(throws: AuthError.self) { try await auth.handle(url: url(link)) }
        }
        #expect(auth.pendingSignIn?.id == "r1")
    }
}
