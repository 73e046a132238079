import JSON
import Server
import Testing

@Suite("Header fields of answers")
struct AnswerHeaderTests {
    private static let secured = "max-age=31536000"

    @Test func `no cache keeps an answer with a token, whichever call gives it`() async throws {
        try await TestServer.run { server in
            var answers: [(name: String, answer: Answer)] = []
            let guest = try server.guest()
            answers.append(("signUp", guest.answer))
            let known = try server.messages().count
            let asked = try server.call(
                "accounts:sendOobCode",
                ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"]
            )
            #expect(asked["ticket"] != "")
            answers.append(("sendOobCode", asked))
            let mail = try server.message(after: known)
            let linked = try server.redeem(mail.oobCode, "ann@example.com", idToken: guest.idToken)
            answers.append(("signInWithEmailLink", linked))
            answers.append(("signInWithTicket", try server.redeemTicket(asked["ticket"])))
            let user = try Tokens(linked)
            let refreshed = try server.refresh(user.refreshToken)
            #expect(refreshed["id_token"] != "")
            answers.append(("token", refreshed))
            let update: JSONValue = [
                "idToken": .string(user.idToken), "displayName": "Ann", "returnSecureToken": true,
            ]
            answers.append(("update", try server.call("accounts:update", update)))
            answers.append(("lookup", try server.lookup(user.idToken)))
            let cookie = try server.send(
                "POST",
                "/v1/projects/demo-latchkey:createSessionCookie",
                headers: ["Authorization: Bearer owner", "Content-Type: application/json"],
                body: (["idToken": .string(user.idToken), "validDuration": "3600"] as JSONValue).serialized()
            )
            #expect(cookie["sessionCookie"] != "")
            answers.append(("createSessionCookie", cookie))
            let second = try server.guest()
            let merge: JSONValue = ["idToken": .string(user.idToken), "anonymousIdToken": .string(second.idToken)]
            answers.append(("merge", try server.call("accounts:merge", merge)))
            answers.append(("a refusal", try server.call("accounts:lookup", ["idToken": "x"])))
            answers.append(("nothing there", try server.send("GET", "/v1/none")))
            answers.append(("health", try server.send("GET", "/healthz")))
            for (name, answer) in answers {
                let fields = answer.headers.filter { $0.name == "cache-control" }.map(\.value)
                #expect(fields == ["no-store"], "\(name): \(answer.text)")
            }
        }
    }

    @Test func `what is published may be kept`() async throws {
        try await TestServer.run { server in
            for path in [
                "/.well-known/jwks.json", "/.well-known/openid-configuration", "/.well-known/assetlinks.json",
                "/.well-known/apple-app-site-association", "/auth/style.css",
            ] {
                let fields = try server.send("GET", path).headers.filter { $0.name == "cache-control" }.map(\.value)
                #expect(fields.count == 1 && fields.first?.contains("max-age=") == true, "\(path): \(fields)")
            }
        }
    }

    @Test func `every answer demands TLS where the public URL has it`() async throws {
        try await TestServer.runInProduction { server in
            let guest = try server.guest()
            var answers = [guest.answer]
            for path in [
                "/healthz", "/readyz", "/", "/auth/action", "/none", "/.well-known/jwks.json", "/auth/style.css",
            ] {
                answers.append(try server.send("GET", path))
                // Also from the prepared answer.
                answers.append(try server.send("GET", path))
            }
            let origin = "Origin: https://auth.example.com"
            answers.append(try server.send("OPTIONS", "/v1/accounts:signUp", headers: [origin]))
            answers.append(try server.send("DELETE", "/healthz"))
            answers.append(try server.call("accounts:signUp", bytes: [UInt8](repeating: 0x20, count: 70_000)))
            answers.append(try EventStream(server, guest.idToken).head)
            for answer in answers {
                let fields = answer.headers.filter { $0.name == "strict-transport-security" }.map(\.value)
                #expect(fields == [Self.secured], "\(answer.status) \(answer.text)")
            }
            let chunked = try HTTPConnection(port: server.port)
            let head = "POST /v1/token HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            try chunked.send(Array((head + "11170\r\n" + String(repeating: " ", count: 70_000) + "\r\n").utf8))
            #expect(try chunked.answer().header("strict-transport-security") == Self.secured)
        }
    }

    @Test func `none does where there is no TLS`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            #expect(guest.answer.header("strict-transport-security") == nil)
        }
    }
}
