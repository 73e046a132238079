import Database
import Foundation
import JSON
import Server
import Testing

@Suite("Emulator's helpers")
struct EmulatorTests {
    private static let project = "/emulator/v1/projects/any"

    /// All helpers of the emulator.
    private static let helpers = [
        ("GET", "\(project)/oobCodes"), ("GET", "\(project)/verificationCodes"), ("GET", "\(project)/config"),
        ("PATCH", "\(project)/config"), ("DELETE", "\(project)/accounts"), ("DELETE", "\(project)/state"),
        ("GET", "/emulator/action?mode=signIn&oobCode=x&apiKey=k&continueUrl=https://auth.example.com"),
        ("POST", "/emulator/action?mode=verifyEmail&oobCode=x&apiKey=k"), ("GET", "/emulator/auth/handler"),
        ("GET", "/emulator/auth/iframe"),
    ]

    private static func codes(_ server: TestServer) throws -> [JSONValue] {
        let answer = try server.send("GET", "\(project)/oobCodes")
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(answer.json["oobCodes"]?.array)
    }

    /// Returns path and query of a code's `oobLink`.
    private static func target(_ code: JSONValue) throws -> String {
        let link = try #require(code["oobLink"]?.string)
        let start = try #require(link.range(of: "/emulator/action?"))
        return String(link[start.lowerBound...])
    }

    /// Returns path and query of the oldest code's `oobLink`.
    private static func first(_ server: TestServer) throws -> String {
        try target(#require(try codes(server).first))
    }

    /// Requests an e-mail about the address of a signed-in user.
    private static func ask(_ server: TestServer, _ type: String, _ idToken: String, _ more: (String, String)...) throws
    {
        var body = JSONObject()
        body.append("requestType", .string(type))
        body.append("idToken", .string(idToken))
        for (name, value) in more { body.append(name, .string(value)) }
        let answer = try server.call("accounts:sendOobCode", .object(body))
        #expect(answer.status == 200, "\(answer.text)")
    }

    // MARK: Permissions

    @Test func `none of them answers in production`() async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": TestServer.secret]) { server in
            for (method, target) in Self.helpers {
                for headers in [[], ["Authorization: Bearer owner"], ["Authorization: Bearer \(TestServer.secret)"]] {
                    let answer = try server.send(method, target, headers: headers)
                    #expect(answer.status == 404, "\(method) \(target)")
                }
            }
            let root = try server.send("GET", "/")
            #expect(root.header("content-type")?.hasPrefix("text/html") == true)
            #expect(!root.text.contains("authEmulator"))
        }
    }

    @Test func `each of them keeps to this machine`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            for (method, target) in Self.helpers {
                for header in ["Host: evil.example", "X-Forwarded-For: 203.0.113.1"] {
                    let answer = try server.send(method, target, headers: [header])
                    #expect(answer.status == 403, "\(method) \(target) \(header)")
                }
            }
            #expect(try server.lookup(guest.idToken).status == 200, "nothing was deleted")
        }
    }

    @Test func `each of them answers web pages, after a preflight too`() async throws {
        try await TestServer.run { server in
            for (method, target) in Self.helpers + [("GET", "/")] {
                let origin = "Origin: http://localhost:9876"
                let preflight = try server.send(
                    "OPTIONS",
                    target,
                    headers: [origin, "Access-Control-Request-Method: \(method)"]
                )
                #expect(preflight.status == 204)
                #expect(preflight.header("access-control-allow-methods")?.contains(method) == true, "\(target)")
                let answer = try server.send(method, target, headers: [origin])
                #expect(answer.header("access-control-allow-origin") == "http://localhost:9876", "\(target)")
            }
        }
    }

    // MARK: The root

    @Test func `the root tells programs that the emulator is ready, and shows people a page`() async throws {
        try await TestServer.run { server in
            for headers in [[], ["Accept: */*"], ["Accept: application/json"]] {
                let answer = try server.send("GET", "/", headers: headers)
                #expect(answer.status == 200)
                #expect(answer.json["authEmulator"]?["ready"] == true, "\(answer.text)")
            }
            let page = try server.send("GET", "/", headers: ["Accept: text/html,application/xhtml+xml,*/*;q=0.8"])
            #expect(page.text.contains("<h1>"))
            #expect(page.header("content-security-policy") != nil)
        }
    }

    // MARK: Codes

    @Test func `codes are listed oldest first, and are gone once used`() async throws {
        try await TestServer.run { server in
            #expect(try Self.codes(server).isEmpty)
            let bob = try server.askForLink("bob@example.com", continueURL: "http://localhost/app?a=b&c=d")
            let ann = try server.signIn("ann@example.com")
            try Self.ask(server, "VERIFY_EMAIL", ann.idToken)
            try Self.ask(server, "VERIFY_AND_CHANGE_EMAIL", ann.idToken, ("newEmail", "Anna@Example.com"))
            let codes = try Self.codes(server)
            #expect(
                codes.map { $0["requestType"]?.string } == ["EMAIL_SIGNIN", "VERIFY_EMAIL", "VERIFY_AND_CHANGE_EMAIL"]
            )
            #expect(codes.map { $0["email"]?.string } == ["bob@example.com", "ann@example.com", "ann@example.com"])
            #expect(codes.map { $0["newEmail"]?.string } == [nil, nil, "anna@example.com"])
            #expect(codes.first?["oobCode"]?.string == bob.oobCode)
            let link =
                "http://127.0.0.1:\(server.port)/emulator/action?mode=signIn&lang=en&oobCode=\(bob.oobCode)"
                + "&apiKey=fake-api-key&latchkeyRequestId=\(bob.requestID)"
                + "&continueUrl=http%3A%2F%2Flocalhost%2Fapp%3Fa%3Db%26c%3Dd"
            #expect(codes.first?["oobLink"]?.string == link)
            _ = try Tokens(server.redeem(bob.oobCode, "bob@example.com"))
            #expect(try Self.codes(server).count == 2)
        }
    }

    @Test func `a listed code does what the one in the mail does`() async throws {
        try await TestServer.run { server in
            _ = try server.askForLink("ann@example.com")
            let code = try #require(try Self.codes(server).first?["oobCode"]?.string)
            #expect(try server.redeem(code, "ann@example.com").status == 200)
            #expect(try server.redeem(code, "ann@example.com").code == "INVALID_OOB_CODE")
        }
    }

    @Test func `an expired code is not listed`() async throws {
        try await TestServer.run { server in
            _ = try server.askForLink("ann@example.com")
            server.clock.advance(seconds: 16 * 60)
            #expect(try Self.codes(server).isEmpty)
        }
    }

    @Test func `there are no codes of telephones`() async throws {
        try await TestServer.run { server in
            let answer = try server.send("GET", "\(Self.project)/verificationCodes")
            #expect(answer.text == #"{"verificationCodes":[]}"#)
        }
    }

    // MARK: Links

    @Test func `a sign-in link leads on to the app and leaves its code alone`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com", continueURL: "http://localhost/app?a=b")
            let target = try Self.first(server)
            for _ in 0..<2 {
                let answer = try server.send("GET", target)
                #expect(answer.status == 303)
                #expect(
                    answer.header("location")
                        == "http://localhost/app?a=b&mode=signIn&lang=en&oobCode=\(asked.oobCode)&apiKey=fake-api-key"
                        + "&latchkeyRequestId=\(asked.requestID)"
                )
                #expect(answer.header("referrer-policy") == "no-referrer")
            }
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
        }
    }

    @Test func `a sign-in link's code is not even looked at`() async throws {
        try await TestServer.run { server in
            let link = "/emulator/action?mode=signIn&lang=de&oobCode=a%26b%0D%0A&apiKey=k&continueUrl=http://localhost/"
            let answer = try server.send("GET", link)
            #expect(answer.status == 303)
            let expected = "http://localhost/?mode=signIn&lang=de&oobCode=a%26b%0D%0A&apiKey=k"
            #expect(answer.header("location") == expected)
        }
    }

    @Test func `a sign-in link leads to allowed origins only`() async throws {
        try await TestServer.run(["ALLOWED_ORIGINS": "http://localhost:3000"]) { server in
            func follow(_ url: String) throws -> Answer {
                try server.send("GET", "/emulator/action?mode=signIn&oobCode=x&apiKey=k&continueUrl=\(url)")
            }
            let allowed = try follow("http://localhost:3000/app")
            #expect(allowed.status == 303)
            #expect(try follow("https://evil.example/").code == "UNAUTHORIZED_DOMAIN")
            #expect(try follow("javascript:alert(1)").status == 400)
            #expect(try follow("app").message.hasPrefix("INVALID_CONTINUE_URI : "))
        }
    }

    @Test(arguments: [
        ("", "missing apiKey"), ("?mode=signIn&oobCode=x", "missing apiKey"), ("?apiKey=k", "missing oobCode"),
        ("?apiKey=k&mode=signIn&oobCode=", "missing oobCode"), ("?apiKey=k&oobCode=x", "Invalid mode"),
        ("?apiKey=k&oobCode=x&mode=other", "Invalid mode"),
        ("?apiKey=k&oobCode=x&mode=signIn", "Missing continueUrl"),
        ("?apiKey=k&oobCode=x&mode=resetPassword", "reset your password"),
        ("?apiKey=k&oobCode=x&mode=verifyEmail", "has expired or the link has already been used"),
        ("?apiKey=k&oobCode=x&mode=verifyAndChangeEmail", "has expired or the link has already been used"),
        ("?apiKey=k&oobCode=x&mode=recoverEmail", "has expired or the link has already been used"),
    ])
    func `a link that cannot be used says why, as the emulator does`(query: String, reason: String) async throws {
        try await TestServer.run { server in
            for method in ["GET", "POST"] {
                let answer = try server.send(method, "/emulator/action\(query)")
                #expect(answer.status == 400)
                let emulator = answer.json["authEmulator"]
                #expect(emulator?["error"]?.string?.contains(reason) == true, "\(answer.text)")
                #expect(emulator?["instructions"]?.string?.isEmpty == false)
            }
        }
    }

    @Test func `a link to an address changes nothing until it is posted, and works once`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            try Self.ask(server, "VERIFY_AND_CHANGE_EMAIL", ann.idToken, ("newEmail", "anna@example.com"))
            let target = try Self.first(server)
            for method in ["GET", "HEAD", "GET"] {
                let page = try server.send(method, target)
                #expect(page.status == 200)
                #expect(page.header("content-type")?.hasPrefix("text/html") == true)
            }
            #expect(try server.send("GET", target).text.contains(#"<form method="post""#))
            #expect(try server.user(ann.idToken)["email"] == "ann@example.com")
            let done = try server.send("POST", target)
            #expect(done.status == 200, "\(done.text)")
            #expect(done.json["authEmulator"]?["newEmail"] == "anna@example.com")
            #expect(done.json["authEmulator"]?["success"]?.string?.contains("changed") == true)
            #expect(try server.lookup(ann.idToken).code == "TOKEN_EXPIRED", "the page ends every session")
            #expect(try server.find(["localId": [.string(ann.uid)]]).first?["email"] == "anna@example.com")
            for method in ["GET", "POST"] {
                let again = try server.send(method, target)
                #expect(again.status == 400)
                #expect(again.json["authEmulator"]?["error"] != nil)
            }
        }
    }

    @Test func `the form on the page of a link does what the link is for`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            try Self.ask(server, "VERIFY_AND_CHANGE_EMAIL", ann.idToken, ("newEmail", "anna@example.com"))
            let code = try #require(try Self.codes(server).first)
            _ = try server.send("GET", try Self.target(code))
            #expect(try server.answerLink(code["oobCode"]?.string ?? "", "confirm").status == 200)
            #expect(try server.lookup(ann.idToken).code == "TOKEN_EXPIRED", "the page ends every session")
            #expect(try server.find(["localId": [.string(ann.uid)]]).first?["email"] == "anna@example.com")
        }
    }

    @Test func `a posted link goes on to its continue URL`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            try Self.ask(server, "VERIFY_EMAIL", ann.idToken, ("continueUrl", "http://localhost/done#top"))
            let answer = try server.send("POST", try Self.first(server))
            #expect(answer.status == 303)
            #expect(answer.header("location") == "http://localhost/done")
        }
    }

    @Test func `a code works in a link of its own mode only`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            try Self.ask(server, "VERIFY_EMAIL", ann.idToken)
            let target = try Self.first(server)
            let bent = target.replacingOccurrences(of: "mode=verifyEmail", with: "mode=recoverEmail")
            #expect(bent != target)
            #expect(try server.send("POST", bent).status == 400)
            let done = try server.send("POST", target)
            #expect(done.json["authEmulator"]?["email"] == "ann@example.com", "\(done.text)")
        }
    }

    @Test func `there is no page that plays an identity provider`() async throws {
        try await TestServer.run { server in
            for page in ["handler", "iframe"] {
                let answer = try server.send("GET", "/emulator/auth/\(page)?apiKey=k")
                #expect(answer.status == 501)
                #expect(answer.json["error"]?["status"] == "NOT_IMPLEMENTED")
            }
        }
    }

    // MARK: Configuration

    @Test func `the configuration is told and changed, each switch by itself`() async throws {
        try await TestServer.run { server in
            func text(duplicates: Bool, privacy: Bool) -> String {
                #"{"signIn":{"allowDuplicateEmails":\#(duplicates)},"#
                    + #""emailPrivacyConfig":{"enableImprovedEmailPrivacy":\#(privacy)}}"#
            }
            func patch(_ body: String) throws -> Answer {
                try server.send("PATCH", "\(Self.project)/config", body: Array(body.utf8))
            }
            let first = try server.send("GET", "\(Self.project)/config")
            #expect(first.text == text(duplicates: false, privacy: false))
            #expect(try patch("{}").text == text(duplicates: false, privacy: false))
            #expect(
                try patch(#"{"signIn":{"allowDuplicateEmails":true}}"#).text == text(duplicates: true, privacy: false)
            )
            #expect(
                try patch(#"{"email_privacy_config":{"enable_improved_email_privacy":true}}"#).text
                    == text(duplicates: true, privacy: true)
            )
            #expect(
                try patch(#"{"signIn":{"allowDuplicateEmails":false},"emailPrivacyConfig":{}}"#).text
                    == text(duplicates: false, privacy: true)
            )
            #expect(try server.send("GET", "\(Self.project)/config").text == text(duplicates: false, privacy: true))
            for bad in [#"{"signIn":1}"#, #"{"signIn":{"allowDuplicateEmails":"yes"}}"#, "{", "[]"] {
                #expect(try patch(bad).status == 400, "\(bad)")
            }
        }
    }

    // MARK: Starting over

    @Test func `deleting all accounts leaves the codes and the configuration`() async throws {
        try await TestServer.run { server in
            let guests = try (0..<3).map { _ in try server.guest() }
            let ann = try server.signIn("ann@example.com")
            try server.setConfig(#"{"signIn":{"allowDuplicateEmails":true}}"#)
            let asked = try server.askForLink("bob@example.com")
            let answer = try server.send("DELETE", "\(Self.project)/accounts")
            #expect(answer.status == 200)
            #expect(answer.text == "{}")
            for user in guests + [ann] {
                #expect(try server.lookup(user.idToken).code == "USER_NOT_FOUND")
                #expect(try server.refresh(user.refreshToken).code == "INVALID_REFRESH_TOKEN")
                let former = try server.send(
                    "GET",
                    "/v1/projects/any/users/\(user.uid)",
                    headers: ["Authorization: Bearer owner"]
                )
                #expect(former.json["deleted"] == true)
            }
            #expect(try Self.codes(server).map { $0["email"]?.string } == ["bob@example.com"])
            let config = try server.send("GET", "\(Self.project)/config")
            #expect(config.json["signIn"]?["allowDuplicateEmails"] == true)
            #expect(try server.redeem(asked.oobCode, "bob@example.com").json["isNewUser"] == true)
            let again = try server.signIn("ann@example.com")
            #expect(again.uid != ann.uid)
        }
    }

    @Test func `more accounts are deleted than fit into one transaction`() async throws {
        try await TestServer.run(["LIMITS_GUESTS_PER_CLIENT": "100000"]) { server in
            for _ in 0..<13 {
                let answers = try server.callAtOnce((0..<80).map { _ in ("accounts:signUp", [:]) })
                #expect(answers.allSatisfy { $0.status == 200 })
            }
            #expect(try server.send("DELETE", "\(Self.project)/accounts").status == 200)
            let left = try server.withDatabase { transaction in
                try transaction.first("SELECT count(*) FROM users") { try $0.integer(0) }
            }
            #expect(left == 0)
        }
    }

    @Test func `a reset deletes all earlier data`() async throws {
        try await TestServer.run(["LIMITS_GUESTS_PER_CLIENT": "2", "LIMITS_MAILS_PER_ADDRESS": "1"]) { server in
            let guest = try server.guest()
            let ann = try server.signIn("ann@example.com")
            try Self.ask(server, "VERIFY_AND_CHANGE_EMAIL", ann.idToken, ("newEmail", "anna@example.com"))
            try server.setConfig(#"{"emailPrivacyConfig":{"enableImprovedEmailPrivacy":true}}"#)
            let owner = ["Authorization: Bearer owner"]
            _ = try server.send(
                "PATCH",
                "/v1/projects/any/cleanup",
                headers: owner,
                body: Array(#"{"enabled":true}"#.utf8)
            )
            _ = try server.guest()
            #expect(try server.call("accounts:signUp").status == 429)
            let answer = try server.send("DELETE", "\(Self.project)/state")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.text == "{}")

            #expect(try Self.codes(server).isEmpty)
            #expect(try server.messages().isEmpty)
            for user in [guest, ann] { #expect(try server.lookup(user.idToken).code == "USER_NOT_FOUND") }
            let former = try server.send("GET", "/v1/projects/any/users/\(ann.uid)", headers: owner)
            #expect(former.status == 404, "nobody remembers her")
            let config = try server.send("GET", "\(Self.project)/config")
            #expect(config.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == false)
            let cleanup = try server.send("GET", "/v1/projects/any/cleanup", headers: owner)
            #expect(cleanup.json["enabled"] == false)
            // Limits are as at the start, both in the database and in memory.
            #expect(try server.guest().uid != guest.uid)
            let back = try server.signIn("ann@example.com")
            #expect(back.uid != ann.uid && back.answer.json["isNewUser"] == true)
            #expect(try server.messages().count == 1)
        }
    }

    @Test func `no mail of before a reset arrives after it`() async throws {
        try await TestServer.run { server in
            for round in 0..<5 {
                let calls = (0..<20).map { number -> (name: String, body: JSONValue) in
                    let email = "user-\(round)-\(number)@example.com"
                    return ("accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": .string(email)])
                }
                let answers = try server.callAtOnce(calls)
                #expect(answers.allSatisfy { $0.status == 200 })
                #expect(try server.send("DELETE", "\(Self.project)/state").status == 200)
                usleep(60_000)
                #expect(try server.messages().map(\.to) == [])
            }
        }
    }

    @Test func `a reset server starts again`() async throws {
        try await TestServer.run { server in
            _ = try server.signIn("ann@example.com")
            #expect(try server.send("DELETE", "\(Self.project)/state").status == 200)
            let guest = try server.guest()
            try server.restarted { again in
                let seen = try again.lookup(guest.idToken)
                #expect(seen.status == 200, "the keys are the same")
            }
        }
    }

    @Test func `what the app keeps of a user stops a reset, and nothing is lost`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            try server.withDatabase { transaction in
                try transaction.execute("CREATE TABLE notes (uid TEXT REFERENCES users (uid))")
                try transaction.execute("INSERT INTO notes VALUES (\(ann.uid))")
            }
            for target in ["accounts", "state"] {
                let answer = try server.send("DELETE", "\(Self.project)/\(target)")
                #expect(answer.code == "OPERATION_NOT_ALLOWED", "\(answer.text)")
            }
            #expect(try server.lookup(ann.idToken).status == 200)
        }
    }
}

extension TestServer {
    /// Changes the project's configuration.
    func setConfig(_ body: String) throws {
        let answer = try send("PATCH", "/emulator/v1/projects/any/config", body: Array(body.utf8))
        #expect(answer.status == 200, "\(answer.text)")
    }
}
