import Foundation
import Testing

@testable import latchkey

/// The real program in a separate process, against a scripted server.
@Suite("Program", .timeLimit(.minutes(3))) struct ProgramTests {
    /// Contains this test's session file.
    let folder = NSTemporaryDirectory() + "latchkey-program-" + UUID().uuidString
    var session: String { folder + "/state/session.json" }

    func cleanUp() {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func latchkey(
        _ words: [String],
        server: String = "http://127.0.0.1:1",
        input: String = "",
        environment: [String: String] = [:]
    ) async throws -> ProgramResult {
        let own = ["LATCHKEY_URL": server, "LATCHKEY_SESSION": session, "LANG": "de_DE.UTF-8"]
        return try await runProgram(words, input: input, environment: own.merging(environment) { $1 })
    }

    static let action = String(repeating: "aB3-_", count: 10) + "wxyz"
    static let link = "https://example.com/auth/action?mode=signIn&oobCode=\(action)&apiKey=k"
    static let guestToken = token(#"{"sub":"u1","firebase":{"sign_in_provider":"anonymous"}}"#)
    static let userToken = token(#"{"sub":"u1","email":"a@b.c","firebase":{"sign_in_provider":"password"}}"#)

    static func token(_ claims: String) -> String {
        ["{}", claims, "x"].map { text in
            Data(text.utf8).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }.joined(separator: ".")
    }

    static func signedIn(_ token: String) -> ScriptedServer.Reply {
        .json(#"{"localId":"u1","idToken":"\#(token)","refreshToken":"r-secret","expiresIn":"3600","linked":true}"#)
    }

    /// Starts a server with one user who begins as a guest.
    static func server(
        _ special: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply? = { _ in nil }
    ) throws -> ScriptedServer {
        try ScriptedServer { request in
            if let reply = special(request) { return reply }
            switch request.path {
            case "/v1/accounts:signUp": return signedIn(guestToken)
            case "/v1/accounts:sendOobCode":
                return .json(#"{"email":"a@b.c","ticket":"t-secret","confirmation":"47"}"#)
            case "/v1/accounts:signInWithEmailLink", "/v1/accounts:signInWithTicket": return signedIn(userToken)
            case "/v1/accounts:signOut": return .json(#"{"reset":true}"#)
            default:
                let isGuest = request["idToken"] == guestToken
                let address = isGuest ? "" : #","email":"a@b.c","emailVerified":true"#
                return .json(#"{"users":[{"localId":"u1","createdAt":"1790000000000"\#(address)}]}"#)
            }
        }
    }

    @Test func `from guest to user and out again`() async throws {
        defer { cleanUp() }
        let server = try Self.server()
        let guest = try await latchkey(["guest"], server: server.url)
        #expect(guest.status == 0)
        #expect(guest.output.hasPrefix("You are a guest now.\n  uid      u1\n"))
        #expect(guest.error.isEmpty)

        let again = try await latchkey(["guest"], server: server.url)
        #expect(again.output.hasPrefix("You are already a guest.\n  uid      u1\n"))

        let send = try await latchkey(["send", "a@b.c"], server: server.url)
        #expect(send.status == 0)
        #expect(send.output.contains("An e-mail is on its way to a@b.c."))
        #expect(send.output.contains("47"))

        let redeem = try await latchkey(["redeem", Self.link], server: server.url)
        #expect(redeem.status == 0)
        #expect(redeem.output.hasPrefix("The guest is now a@b.c, with the same UID.\n  uid      u1\n"))
        let sent = try #require(server.requests(for: ":signInWithEmailLink").first)
        #expect(sent["email"] == "a@b.c")
        #expect(sent["idToken"] == Self.guestToken)
        #expect(sent.headers["x-firebase-locale"] == "de-DE")
        #expect(sent.headers["user-agent"] == "latchkey/\(Tool.version)")

        let whoami = try await latchkey(["whoami"], server: server.url)
        #expect(whoami.output.hasPrefix("a@b.c\n  uid      u1\n  address  a@b.c\n"))

        let refused = try await latchkey(["guest"], server: server.url)
        #expect(refused.status == 1)
        #expect(refused.error.contains("latchkey sign-out"))

        let signOut = try await latchkey(["sign-out"], server: server.url)
        #expect(signOut.status == 0)
        #expect(!FileManager.default.fileExists(atPath: session))
        let nobody = try await latchkey(["whoami"], server: server.url)
        #expect(nobody.status == 1)
    }

    @Test func `a guest and a mail are paid for by work where the server asks for it`() async throws {
        defer { cleanUp() }
        let text = String(repeating: "A", count: 76)
        let server = try Self.server { request in
            let isPaying = [":signUp", ":sendOobCode"].contains { request.path.hasSuffix($0) }
            guard isPaying, request.headers["challenge-solution"] != "\(text).2607" else { return nil }
            return .json(
                #"{"error":{"code":429,"message":"CHALLENGE_REQUIRED","errors":[],"challenge":{"#
                    + #""algorithm":"SHA-256","challenge":"\#(text)","difficulty":12,"expiresAt":""}}}"#,
                status: 429
            )
        }
        #expect(try await latchkey(["guest"], server: server.url).status == 0)
        #expect(try await latchkey(["send", "a@b.c"], server: server.url).status == 0)
        let keys = server.requests(for: ":signUp").map { $0.headers["idempotency-key"] }
        #expect(keys.count == 2 && keys[0] == keys[1] && keys[0] != nil)
    }

    @Test func `eight digits go with the mail that was asked for`() async throws {
        defer { cleanUp() }
        let server = try Self.server()
        let none = try await latchkey(["redeem", "1234", "5678"], server: server.url)
        #expect(none.status == 1)
        #expect(server.requests.isEmpty)
        _ = try await latchkey(["send", "a@b.c"], server: server.url)
        let redeem = try await latchkey(["redeem", "-"], server: server.url, input: "1234 5678\n")
        #expect(redeem.status == 0)
        let apart = try await latchkey(["redeem", "1234", "5678"], server: server.url)
        #expect(apart.status == 1, "the request has been used")
        let tooMany = try await latchkey(["redeem", "https://a.example/?oobCode=x", "5678"], server: server.url)
        #expect(tooMany.status == 2)
        let sent = try #require(server.requests(for: ":signInWithTicket").first)
        #expect(sent["ticket"] == "t-secret")
        #expect(sent["code"] == "12345678")
    }

    @Test func `waiting shows the digits and ends when approved`() async throws {
        defer { cleanUp() }
        let server = try Self.server()
        let send = try await latchkey(["send", "a@b.c", "--wait", "--json"], server: server.url)
        #expect(send.status == 0)
        let lines = send.output.split(separator: "\n")
        #expect(lines.first == #"{"confirmation":"47","email":"a@b.c"}"#)
        #expect(lines.last?.contains(#""uid":"u1""#) == true)
        #expect(lines.count == 2)
    }

    @Test func `the session file is for its owner alone`() async throws {
        defer { cleanUp() }
        let server = try Self.server()
        _ = try await latchkey(["guest"], server: server.url)
        let attributes = try FileManager.default.attributesOfItem(atPath: session)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test func `the session file is where XDG says, else below HOME`() async throws {
        defer { cleanUp() }
        let server = try Self.server()
        let variables = ["LATCHKEY_SESSION": "", "HOME": folder + "/home", "XDG_STATE_HOME": folder + "/xdg"]
        _ = try await latchkey(["guest"], server: server.url, environment: variables)
        #expect(FileManager.default.fileExists(atPath: folder + "/xdg/latchkey/session.json"))
        let relative = variables.merging(["XDG_STATE_HOME": "relative"]) { $1 }
        _ = try await latchkey(["guest"], server: server.url, environment: relative)
        #expect(FileManager.default.fileExists(atPath: folder + "/home/.local/state/latchkey/session.json"))
    }

    @Test func `a refusal of the server ends with status 1 and its code`() async throws {
        defer { cleanUp() }
        let server = try Self.server { _ in .error("ADMIN_ONLY_OPERATION") }
        let result = try await latchkey(["guest"], server: server.url)
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.error.contains("[ADMIN_ONLY_OPERATION]"))
        let json = try await latchkey(["guest", "--json"], server: server.url)
        #expect(json.error.contains(#""code":"adminRestrictedOperation""#))
        #expect(json.error.contains(#""serverCode":"ADMIN_ONLY_OPERATION""#))
    }

    @Test func `an address of another account keeps the guest and shows the way`() async throws {
        defer { cleanUp() }
        let server = try Self.server { request in
            request.path.hasSuffix("EmailLink") && request["idToken"] != nil ? .error("EMAIL_EXISTS") : nil
        }
        _ = try await latchkey(["guest"], server: server.url)
        let refused = try await latchkey(["redeem", Self.link, "--email", "a@b.c", "--no-merge"], server: server.url)
        #expect(refused.status == 1)
        #expect(refused.error.contains("[EMAIL_EXISTS]"))
        #expect(refused.error.contains("latchkey redeem --email a@b.c LINK"))
        #expect(server.requests(for: ":signInWithEmailLink").first?["onConflict"] == nil)
        #expect(refused.error.contains("latchkey redeem --sign-in --email a@b.c LINK"))
        let whoami = try await latchkey(["whoami"], server: server.url)
        #expect(whoami.output.hasPrefix("A guest"))
        let signIn = try await latchkey(["redeem", "--sign-in", "--email", "a@b.c", Self.link], server: server.url)
        #expect(signIn.status == 0)
    }

    @Test(arguments: [["guest"], ["send", "a@b.c"]])
    func `a server that cannot be reached ends with status 3`(words: [String]) async throws {
        defer { cleanUp() }
        let port = try ScriptedServer { _ in .lost }.port
        let result = try await latchkey(words, server: "http://127.0.0.1:\(port)")
        #expect(result.status == 3)
        #expect(result.error.contains("Cannot reach the server"))
    }

    @Test(arguments: [502, 503])
    func `a server that a proxy cannot reach ends with status 3`(status: Int) async throws {
        defer { cleanUp() }
        let server = try ScriptedServer { _ in
            .error("UNAVAILABLE", status: status, headers: status == 503 ? ["Retry-After": "2"] : [:])
        }
        let result = try await latchkey(["send", "a@b.c"], server: server.url)
        #expect(result.status == 3)
        #expect(result.error.contains("The server cannot answer now."))
        #expect(result.error.contains(status == 503 ? "Try again in 2 s." : "Try again in a moment."))
        #expect(result.error.contains("[UNAVAILABLE]"))
    }

    @Test(
        arguments: [
            ["gest"], ["send"], ["redeem"], ["redeem", link], ["whoami", "--server", "http://example.com"],
            ["send", "a@b.c", "--timeout", "0"], ["redeem", "--sign-in", "123456"], ["redeem", "not-a-link"],
        ]
    )
    func `wrong usage ends with status 2 and asks no server`(words: [String]) async throws {
        defer { cleanUp() }
        let server = try Self.server()
        let result = try await latchkey(words, server: server.url)
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(server.requests.isEmpty)
    }

    @Test func `what is neither a link nor a code is said to be neither`() async throws {
        let result = try await latchkey(["redeem", "not-a-link"])
        #expect(result.error.contains("'not-a-link' is neither a link nor a code."))
    }

    @Test func `a guest is signed out only after a yes, which a script gives as an option`() async throws {
        defer { cleanUp() }
        let server = try Self.server()
        #expect(try await latchkey(["guest"], server: server.url).status == 0)
        let asked = try await latchkey(["sign-out"], server: server.url)
        #expect(asked.status == 2)
        #expect(asked.error.contains("This deletes the guest u1 and all its data.") && asked.error.contains("--yes"))
        #expect(!server.requests.contains { $0.path == "/v1/accounts:signOut" })
        let done = try await latchkey(["sign-out", "--yes"], server: server.url)
        #expect(done.status == 0 && done.output.contains("The guest and all its data were deleted."))
    }

    @Test func `the session of another server is named`() async throws {
        defer { cleanUp() }
        let server = try Self.server()
        #expect(try await latchkey(["guest"], server: server.url).status == 0)
        let other = try await latchkey(["whoami", "--json"])
        #expect(other.status == 1)
        #expect(
            other.error.contains(
                "You are not signed in at http://127.0.0.1:1. \(session) has a session of \(server.url)."
            )
        )
        #expect(other.error.contains(#""code":"noCurrentUser""#))
    }

    @Test func `a damaged session file is named and left alone`() async throws {
        defer { cleanUp() }
        try FileManager.default.createDirectory(atPath: folder + "/state", withIntermediateDirectories: true)
        try "garbage".write(toFile: session, atomically: true, encoding: .utf8)
        let result = try await latchkey(["whoami"])
        #expect(result.status == 1)
        #expect(result.error.contains(session))
        #expect(try String(contentsOfFile: session, encoding: .utf8) == "garbage")
    }

    @Test func `nothing is coloured that no person looks at`() async throws {
        let result = try await latchkey(["gest"], environment: ["TERM": "xterm-256color"])
        #expect(!result.error.contains("\u{1B}"))
    }

    @Test func `a name from elsewhere cannot steer the terminal`() async throws {
        defer { cleanUp() }
        let server = try Self.server { request in
            guard request.path.hasSuffix(":lookup") else { return nil }
            return .json(#"{"users":[{"localId":"u1","displayName":"A\u001b[2J\r\nda\u009b1m"}]}"#)
        }
        _ = try await latchkey(["guest"], server: server.url)
        let whoami = try await latchkey(["whoami"], server: server.url)
        #expect(whoami.output.contains("  name     A[2Jda1m\n"))
    }

    /// The characters that reorder the text around them (Unicode Standard Annex 9).
    @Test func `a name from elsewhere cannot reorder a line`() async throws {
        defer { cleanUp() }
        let controls = "\u{61C}\u{200E}\u{200F}\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}\u{2066}\u{2067}\u{2068}\u{2069}"
        let server = try Self.server { request in
            guard request.path.hasSuffix(":lookup") else { return nil }
            return .json(#"{"users":[{"localId":"u1","displayName":"A\#(controls)nna\u2028\u2029 אבג"}]}"#)
        }
        _ = try await latchkey(["guest"], server: server.url)
        let whoami = try await latchkey(["whoami"], server: server.url)
        #expect(whoami.output.contains("  name     Anna אבג\n"))
    }

    @Test func `nothing that is written holds a secret`() async throws {
        defer { cleanUp() }
        let server = try Self.server()
        var text = ""
        for words in [["guest"], ["send", "a@b.c"], ["redeem", Self.link], ["whoami", "--json"], ["sign-out"]] {
            let result = try await latchkey(words, server: server.url)
            #expect(result.status == 0)
            text += result.output + result.error
        }
        for secret in [Self.guestToken, Self.userToken, Self.action, "t-secret", "r-secret"] {
            #expect(!text.contains(secret))
        }
    }

    @Test(
        arguments: [
            (["LANG": "it_IT.UTF-8"], "it-IT"), (["LANG": "C.UTF-8"], nil), (["LANG": "POSIX"], nil), ([:], nil),
            (["LANG": "de_DE", "LC_ALL": "pt_BR.UTF-8@x"], "pt-BR"), (["LC_ALL": "", "LANG": "ja_JP"], "ja-JP"),
            (["LANG": "x\r\ny"], nil),
        ] as [([String: String], String?)]
    )
    func `the language is the one of the terminal`(environment: [String: String], expected: String?) {
        #expect(ClientSession.language(environment) == expected)
    }

    @Test(
        arguments: [
            ("123456", RedeemInput.code("123456")), ("123 456", .code("123 456")),
            ("review-2026", .code("review-2026")),
            (action, .link(action)), (link, .link(link)), ("oobCode=abc", .link("oobCode=abc")),
        ]
    )
    func `a link and a code are told apart`(text: String, expected: RedeemInput) {
        #expect(RedeemInput(text) == expected)
    }
}
