import Foundation
import LatchkeyApp
import LatchkeyClient
import Testing

/// The client against a whole server: the product's main job, end to end.
@Suite("Calls against a real server", .timeLimit(.minutes(2))) struct RealServerTests {
    /// Runs a scenario on a separate server, with a client on the real clock.
    private func withServer(
        _ settings: [String: String] = [:],
        _ body: (RealServer, () throws -> Auth) async throws -> Void
    ) async throws {
        let server = try RealServer(settings)
        do {
            try await body(server) {
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

    @Test func `a guest who opens the e-mail link keeps the UID`() async throws {
        try await withServer { server, makeAuth in
            let auth = try makeAuth()
            let guest = try await auth.signInAnonymously().user
            #expect(guest.isAnonymous)
            _ = try await auth.sendSignInLink(to: "you@example.com")
            let link = try await server.mail(to: "you@example.com").link
            let linked = try await auth.link(withEmail: "you@example.com", link: link)
            #expect(linked.user.uid == guest.uid)
            #expect(!linked.user.isAnonymous)
            #expect(linked.user.email == "you@example.com")
            #expect(try await auth.reload().uid == guest.uid)
        }
    }

    @Test func `a guest whose answers are lost is made once`() async throws {
        try await withServer { server, _ in
            let store = MemorySessionStore()
            let auth = try Auth(
                configuration: Auth.Configuration(server: server.url, requestTimeout: .seconds(10)),
                transport: FaultyTransport(losing: 5, of: ":signUp"),
                store: store
            )
            await #expect(throws: AuthError.self) { try await auth.signInAnonymously() }
            let key = try #require(try store.load().signUpKey)
            let uid = try await auth.signInAnonymously().user.uid
            let again = try await URLSessionTransport().send(
                .init(
                    method: "POST",
                    url: "\(server.url)/v1/accounts:signUp?key=k",
                    headers: [HeaderField("Content-Type", "application/json"), HeaderField("Idempotency-Key", key)],
                    body: Array("{}".utf8),
                    timeout: .seconds(10)
                )
            )
            let text = String(decoding: again.body, as: UTF8.self)
            #expect(text.contains(uid) || again.status == 409)
        }
    }

    @Test func `a client pays for its guest and its mail by work where the server asks for it`() async throws {
        try await withServer(["LATCHKEY_CHALLENGE": "always"]) { server, makeAuth in
            let auth = try makeAuth()
            let guest = try await auth.signInAnonymously().user
            _ = try await auth.sendSignInLink(to: "work@example.com")
            let link = try await server.mail(to: "work@example.com").link
            #expect(try await auth.link(withEmail: "work@example.com", link: link).user.uid == guest.uid)
        }
    }

    @Test func `a second device signs in to the same account`() async throws {
        try await withServer { server, makeAuth in
            let first = try makeAuth()
            _ = try await first.sendSignInLink(to: "two@example.com")
            let link = try await server.mail(to: "two@example.com").link
            let owner = try await first.signIn(withEmail: "two@example.com", link: link)
            #expect(owner.isNewUser)

            let second = try makeAuth()
            _ = try await second.sendSignInLink(to: "two@example.com")
            let other = try await server.mail(to: "two@example.com", after: 1).link
            let again = try await second.signIn(withEmail: "two@example.com", link: other)
            #expect(again.user.uid == owner.user.uid)
            #expect(!again.isNewUser)
        }
    }

    @Test func `a link opened on another device is described there, and denied`() async throws {
        try await withServer { server, makeAuth in
            let laptop = try makeAuth(), phone = try makeAuth()
            let guest = try await laptop.signInAnonymously().user
            let request = try await laptop.sendSignInLink(to: "you@example.com")
            let link = try await server.mail(to: "you@example.com").link
            #expect(laptop.isRequestedHere(link))
            try await phone.sendSignInLink(to: "other@example.com")
            #expect(!phone.isRequestedHere(link))
            let described = try await phone.describe(link)
            #expect(described.requestID == request.id)
            #expect(described.maskedEmail == "y***@example.com")
            #expect(described.state == .waiting)
            #expect(abs(described.date.timeIntervalSince(request.date)) < 60)
            #expect(described.approveURL.absoluteString.hasPrefix("\(server.url)/auth/action?mode=signIn&"))
            try await phone.deny(link)
            try await phone.deny(link)
            #expect(try await phone.describe(link).state == .ended)
            #expect(await code { try await laptop.collect(request.ticket) } == .ticketEnded)
            #expect(try await laptop.reload().uid == guest.uid)

            let again = try await laptop.sendSignInLink(to: "you@example.com")
            let second = try await server.mail(to: "you@example.com", after: 1).link
            #expect(laptop.isRequestedHere(second) && !laptop.isRequestedHere(link))
            #expect(try await laptop.link(withEmail: again.email, link: second).user.uid == guest.uid)
            #expect(try await phone.describe(second).state == .used)
            #expect(await code { try await phone.deny(second) } == .ticketSpent)
        }
    }

    @Test func `a taken address costs neither the guest nor the link`() async throws {
        try await withServer { server, makeAuth in
            let owner = try makeAuth()
            _ = try await owner.sendSignInLink(to: "taken@example.com")
            let first = try await server.mail(to: "taken@example.com").link
            let uid = try await owner.signIn(withEmail: "taken@example.com", link: first).user.uid

            let auth = try makeAuth()
            let guest = try await auth.signInAnonymously().user
            _ = try await auth.sendSignInLink(to: "taken@example.com")
            let link = try await server.mail(to: "taken@example.com", after: 1).link
            await #expect(throws: AuthError.self) {
                try await auth.link(withEmail: "taken@example.com", link: link)
            }
            #expect(auth.currentUser?.uid == guest.uid)
            #expect(try await auth.reload().isAnonymous)
            let signedIn = try await auth.signIn(withEmail: "taken@example.com", link: link)
            #expect(signedIn.user.uid == uid)
        }
    }

    @Test func `the code in the mail links as the link does`() async throws {
        try await withServer { server, makeAuth in
            let auth = try makeAuth()
            let guest = try await auth.signInAnonymously().user
            let request = try await auth.sendSignInLink(to: "code@example.com")
            let code = try await server.mail(to: "code@example.com").code
            let result = try await auth.signIn(withTicket: request.ticket, code: code)
            #expect(result.user.uid == guest.uid)
            #expect(result.isLinked)
            #expect(!result.user.isAnonymous)
        }
    }

    @Test func `a link approved on another device signs in the one that waits`() async throws {
        try await withServer { server, makeAuth in
            let auth = try makeAuth()
            let guest = try await auth.signInAnonymously().user
            let request = try await auth.sendSignInLink(to: "wait@example.com")
            let link = try await server.mail(to: "wait@example.com").link
            let oobCode = try #require(SignInLink(link)?.oobCode)
            // The page offers the button once the waiting device has asked.
            await #expect(throws: AuthError.self) {
                try await auth.waitForApproval(of: request.ticket, timeout: .zero)
            }
            async let waiting = auth.waitForApproval(
                of: request.ticket,
                every: .milliseconds(50),
                timeout: .seconds(20)
            )
            let form = "oobCode=\(oobCode)&action=approve&confirmation=\(request.confirmation)"
            let page = try await URLSessionTransport().send(
                .init(
                    method: "POST",
                    url: "\(server.url)/auth/action",
                    headers: [HeaderField("Content-Type", "application/x-www-form-urlencoded")],
                    body: Array(form.utf8),
                    timeout: .seconds(10)
                )
            )
            #expect(page.status == 200)
            let result = try await waiting
            #expect(result.user.uid == guest.uid)
            #expect(result.isLinked)
        }
    }

    @Test func `tokens are renewed, and a signed-out guest is gone`() async throws {
        try await withServer { server, makeAuth in
            let auth = try makeAuth()
            let guest = try await auth.signInAnonymously().user
            let first = try await auth.idToken()
            try await Task.sleep(for: .milliseconds(1100))
            let second = try await auth.idToken(forcingRefresh: true)
            #expect(first != second)
            #expect(try await auth.signOut().wasReset)
            #expect(auth.currentUser == nil)
            #expect(try await auth.signInAnonymously().user.uid != guest.uid)
        }
    }

    @Test func `guests may be switched off`() async throws {
        try await withServer(["LATCHKEY_SIGN_IN_ANONYMOUS": "false"]) { _, makeAuth in
            let auth = try makeAuth()
            let error = await #expect(throws: AuthError.self) { try await auth.signInAnonymously() }
            #expect(error?.code == .adminRestrictedOperation)
        }
    }
}
