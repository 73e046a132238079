import Foundation
import LatchkeyClient
import Testing

/// A link that opened the app, asked for here or elsewhere.
@Suite("Links of this device and others") struct LinkDescriptionTests {
    private static let described = """
        {"kind":"k","requestId":"r2","email":"a***@b.c","device":"Firefox · Linux","place":"Turin",
         "requestedAt":"2026-11-21T10:00:00.125Z","state":"waiting","waiting":true,
         "approveUrl":"https://auth.example/auth/action?mode=signIn&oobCode=x"}
        """

    private func server(
        requestID: String? = "r1",
        query: ScriptedServer.Reply = .json(described),
        deny: ScriptedServer.Reply = .json(#"{"kind":"k","denied":true}"#)
    ) throws -> ScriptedServer {
        let id = requestID.map { #""requestId":"\#($0)","# } ?? ""
        return try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:sendOobCode": .json(#"{\#(id)"email":"a@b.c","ticket":"t1","confirmation":"427"}"#)
            case "/v1/accounts:querySignInLink": query
            case "/v1/accounts:denySignInLink": deny
            default: .error("UNEXPECTED")
            }
        }
    }

    @Test func `a link of the request that was made here is known, and no other`() async throws {
        let server = try server()
        let store = MemorySessionStore()
        let auth = try makeAuth(server.url, store: store)
        #expect(!auth.isRequestedHere(Wire.link + "&latchkeyRequestId=r1"), "before anything was requested")
        let request = try await auth.sendSignInLink(to: "a@b.c")
        #expect(request.id == "r1")
        #expect(auth.isRequestedHere(Wire.link + "&latchkeyRequestId=r1"))
        #expect(try makeAuth(server.url, store: store).isRequestedHere(Wire.link + "&latchkeyRequestId=r1"))
        #expect(!auth.isRequestedHere(Wire.link + "&latchkeyRequestId=r2"))
        #expect(!auth.isRequestedHere(Wire.link), "a link without an id")
        #expect(!auth.isRequestedHere(Wire.action), "a bare code")
        let verifies = "https://x.example/?mode=verifyEmail&oobCode=\(Wire.action)&latchkeyRequestId=r1"
        #expect(!auth.isRequestedHere(verifies))
        #expect(!auth.isRequestedHere("r1"))
        #expect(server.requests(for: ":querySignInLink").isEmpty)
    }

    @Test func `with a server that answers no id, links count as requested here while a request waits`() async throws {
        let server = try server(requestID: nil)
        let auth = try makeAuth(server.url)
        #expect(!auth.isRequestedHere(Wire.link))
        let request = try await auth.sendSignInLink(to: "a@b.c")
        #expect(request.id == nil && request.ticket == "t1")
        #expect(auth.isRequestedHere(Wire.link))
        #expect(!auth.isRequestedHere(Wire.link + "&latchkeyRequestId=r1"))
        #expect(!auth.isRequestedHere(Wire.action))
    }

    @Test(arguments: [Wire.link, Wire.action])
    func `a link is described`(_ link: String) async throws {
        let server = try server()
        let request = try await makeAuth(server.url).describe(link)
        #expect(request.requestID == "r2")
        #expect(request.maskedEmail == "a***@b.c")
        #expect(request.device == "Firefox · Linux")
        #expect(request.place == "Turin")
        #expect(request.date == Date(timeIntervalSince1970: 1_795_255_200.125))
        #expect(request.state == .waiting)
        #expect(request.approveURL.absoluteString == "https://auth.example/auth/action?mode=signIn&oobCode=x")
        let sent = try #require(server.requests(for: ":querySignInLink").first)
        #expect(sent["oobCode"] == Wire.action)
        #expect(sent["idToken"] == nil)
    }

    @Test func `a state that this client does not know is kept, and what is not known left out`() async throws {
        let answer =
            #"{"requestId":"r","email":"a***@b.c","requestedAt":"2026-11-21T10:00:00Z","state":"paused","#
            + #""approveUrl":"https://a.example/"}"#
        let server = try server(query: .json(answer))
        let request = try await makeAuth(server.url).describe(Wire.link)
        #expect(server.requests(for: ":querySignInLink").count == 1)
        #expect(request.state == .init(rawValue: "paused"))
        #expect(request.device == nil && request.place == nil)
    }

    @Test(arguments: [
        #"{"requestId":"r","email":"a","requestedAt":"soon","state":"used","approveUrl":"https://a.example/"}"#,
        #"{"requestId":"r"}"#, "{}", "[]",
    ])
    func `an answer that is none is an error`(_ answer: String) async throws {
        let server = try server(query: .json(answer))
        let auth = try makeAuth(server.url)
        #expect(await code { try await auth.describe(Wire.link) } == .networkRequestFailed)
        #expect(!server.requests(for: ":querySignInLink").isEmpty)
    }

    @Test func `a text that is no sign-in link is not sent`() async throws {
        let server = try server()
        let auth = try makeAuth(server.url)
        for text in ["", "123456", "https://x.example/?mode=verifyEmail&oobCode=\(Wire.action)"] {
            #expect(await code { try await auth.describe(text) } == .invalidActionCode)
            #expect(await code { try await auth.deny(text) } == .invalidActionCode)
        }
        #expect(server.requests(for: "SignInLink").isEmpty)
    }

    @Test func `a denial is sent, and again when its answer is lost`() async throws {
        let questions = Counter()
        let server = try ScriptedServer { _ in questions.next() == 0 ? .lost : .error("TICKET_ENDED : It ended.") }
        try await makeAuth(server.url).deny(Wire.link)
        let sent = server.requests(for: ":denySignInLink")
        #expect(sent.count == 2 && sent.allSatisfy { $0["oobCode"] == Wire.action })
    }

    @Test func `a link that was used cannot be denied`() async throws {
        for (answer, expected) in [
            ("TICKET_SPENT : Used.", AuthError.Code.ticketSpent), ("INVALID_OOB_CODE", .invalidActionCode),
        ] {
            let server = try server(deny: .error(answer))
            let auth = try makeAuth(server.url)
            #expect(await code { try await auth.deny(Wire.link) } == expected)
            #expect(server.requests(for: ":denySignInLink").count == 1)
        }
    }
}
