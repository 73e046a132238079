import JSON
import Server
import Testing

@Suite("Requests for e-mails")
struct SendOobCodeTests {
    private static let call = "accounts:sendOobCode"

    @Test func `a request for a sign-in mail answers a ticket and three digits, and no link`() async throws {
        try await TestServer.run { server in
            let answer = try server.call(Self.call, ["requestType": "EMAIL_SIGNIN", "email": " Ann@EXAMPLE.com "])
            #expect(answer.status == 200)
            #expect(answer.keys == ["kind", "email", "requestId", "ticket", "confirmation", "expiresIn"])
            #expect(answer["kind"] == "identitytoolkit#GetOobConfirmationCodeResponse")
            #expect(answer["email"] == "ann@example.com")
            #expect(answer["confirmation"].utf8.count == 3)
            let mail = try server.message(after: 0)
            #expect(mail.to == "ann@example.com")
            #expect(mail.oobCode.utf8.count == 54)
            #expect(mail.digits.utf8.count == 8)
            #expect(mail.parameter("mode") == "signIn")
            #expect(!mail.parameter("apiKey").isEmpty)
            #expect(mail.link.hasPrefix("\(server.instance.url)/auth/action?"))
            #expect(!mail.subject.contains(mail.digits))
        }
    }

    static let scenarios: [Scenario] = [
        ("nothing", #"{}"#, "MISSING_REQ_TYPE"),
        ("an empty type", #"{"requestType":""}"#, "MISSING_REQ_TYPE"),
        ("type 0", #"{"requestType":0}"#, "MISSING_REQ_TYPE"),
        ("an unknown type", #"{"requestType":"EMAIL"}"#, "Invalid JSON payload received. /requestType"),
        ("a type beyond the last", #"{"requestType":9}"#, "Invalid JSON payload received. /requestType"),
        ("a negative type", #"{"requestType":-1}"#, "Invalid JSON payload received. /requestType"),
        ("a fraction as type", #"{"requestType":6.0}"#, "Invalid JSON payload received. /requestType"),
        (
            "a link to be returned", #"{"requestType":"EMAIL_SIGNIN","email":"a@b.co","returnOobLink":true}"#,
            "INSUFFICIENT_PERMISSION"
        ),
        ("type before link", #"{"returnOobLink":true}"#, "MISSING_REQ_TYPE"),
        (
            "link before continue URL", #"{"requestType":"EMAIL_SIGNIN","returnOobLink":true,"continueUrl":"x"}"#,
            "INSUFFICIENT_PERMISSION"
        ),
        (
            "continue URL before address", #"{"requestType":"EMAIL_SIGNIN","continueUrl":"x"}"#,
            "INVALID_CONTINUE_URI : "
        ),
        ("a sign-in without address", #"{"requestType":"EMAIL_SIGNIN"}"#, "MISSING_EMAIL"),
        ("a sign-in with an empty address", #"{"requestType":6,"email":""}"#, "MISSING_EMAIL"),
        ("a sign-in with no address at all", #"{"requestType":6,"email":"nobody"}"#, "INVALID_EMAIL"),
        ("a sign-in with a strange token", #"{"requestType":6,"email":"a@b.co","idToken":"x"}"#, "INVALID_ID_TOKEN"),
        ("verification without token", #"{"requestType":"VERIFY_EMAIL","email":"a@b.co"}"#, "INVALID_ID_TOKEN"),
        ("verification with a strange token", #"{"requestType":4,"idToken":"x"}"#, "INVALID_ID_TOKEN"),
        ("a change without address", #"{"requestType":"VERIFY_AND_CHANGE_EMAIL"}"#, "MISSING_NEW_EMAIL"),
        ("a change without token", #"{"requestType":7,"newEmail":"a@b.co"}"#, "MISSING_ID_TOKEN"),
        (
            "a change with a strange token", #"{"requestType":7,"new_email":"a@b.co","id_token":"x"}"#,
            "INVALID_ID_TOKEN"
        ),
        ("a password without address", #"{"requestType":"PASSWORD_RESET"}"#, "MISSING_EMAIL"),
        ("a password", #"{"requestType":1,"email":"a@b.co"}"#, "OPERATION_NOT_ALLOWED"),
    ].map { Scenario(name: $0.0, call: call, body: $0.1, status: 400, code: $0.2) }

    @Test func `errors are reported in the order that clients know`() async throws {
        try await TestServer.run { server in
            for scenario in Self.scenarios { try scenario.check(server) }
            #expect(try server.messages().isEmpty)
        }
    }

    @Test func `a known type that is not implemented answers 501`() async throws {
        try await TestServer.run { server in
            let answer = try server.call(Self.call, ["requestType": "REVERT_SECOND_FACTOR_ADDITION"])
            #expect(answer.status == 501)
            #expect(answer.json["error"]?["status"]?.string == "NOT_IMPLEMENTED")
        }
    }

    @Test func `numbers and snake case mean the same as words`() async throws {
        try await TestServer.run { server in
            let answer = try server.call(Self.call, ["request_type": 6, "email": "ann@example.com"])
            #expect(answer.status == 200)
            #expect(answer["ticket"].isEmpty == false)
        }
    }

    @Test func `a guest has no address to verify or to change`() async throws {
        try await TestServer.run { server in
            let token = JSONValue.string(try server.guest().idToken)
            let verify = try server.call(Self.call, ["requestType": "VERIFY_EMAIL", "idToken": token])
            #expect(verify.code == "MISSING_EMAIL")
            let change = try server.call(
                Self.call,
                ["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": "a@b.co"]
            )
            #expect(change.code == "MISSING_EMAIL")
        }
    }

    @Test func `sign-in by link can be switched off`() async throws {
        try await TestServer.run(["SIGN_IN_EMAIL_LINK": "off"]) { server in
            let answer = try server.call(Self.call, ["requestType": "EMAIL_SIGNIN"])
            #expect(answer.code == "OPERATION_NOT_ALLOWED", "before the address is looked at")
            #expect(try server.redeem("x", "a@b.co").code == "OPERATION_NOT_ALLOWED")
        }
    }

    @Test(arguments: [
        "a@b.co\r\nBcc: c@d.co", "a@b.co\nBcc: c@d.co", "a\r\nRCPT TO:<c@d.co>@b.co", "\"a\r\nb\"@b.co", "a@b.co\u{0}",
        "a\u{B}@b.co", "<a@b.co>", "a@b.co, c@d.co", "a@b.co;c@d.co", "a@b@c.co", "Ann <a@b.co>", "a@[127.0.0.1]",
    ])
    func `an address cannot carry a header into a mail`(address: String) async throws {
        try await TestServer.run { server in
            let answer = try server.call(Self.call, ["requestType": "EMAIL_SIGNIN", "email": .string(address)])
            #expect(answer.status == 400)
            #expect(try server.messages().isEmpty)
        }
    }

    @Test func `a display name cannot carry anything into a profile or a mail`() async throws {
        try await TestServer.runInProduction { server in
            let ann = try server.signIn("ann@example.com")
            for name in [
                "Ann\r\nBcc: c@d.co", "Ann\nX", "Ann\u{0}", "Ann\u{1B}[0m", "Ann\u{85}",
                String(repeating: "x", count: 1025),
            ] {
                let answer = try server.call(
                    "accounts:update",
                    ["idToken": .string(ann.idToken), "displayName": .string(name)]
                )
                #expect(answer.status == 400, "\(name)")
            }
            let good = try server.call(
                "accounts:update",
                ["idToken": .string(ann.idToken), "displayName": "Ann \"<b>Bcc: c@d.co</b>\""]
            )
            #expect(good.status == 200)
            let known = try server.messages().count
            _ = try server.call(Self.call, ["requestType": "VERIFY_EMAIL", "idToken": .string(ann.idToken)])
            let mail = try server.message(after: known)
            let head = mail.raw.split(separator: "\r\n\r\n", maxSplits: 1).first.map(String.init) ?? ""
            #expect(!head.lowercased().contains("bcc:"))
            #expect(!mail.raw.contains("<b>Bcc"))
        }
    }

    @Test(arguments: ["en", "it", "id", "de", "es", "fr", "pt-BR", "ja"])
    func `the mail speaks the language that was asked for`(locale: String) async throws {
        try await TestServer.run { server in
            let mail = try server.askForLink("ann@example.com", headers: ["X-Firebase-Locale: \(locale)"]).mail
            #expect(mail.parameter("lang") == locale)
            if locale != "en" { #expect(!mail.text.contains("Open this link")) }
        }
    }

    @Test func `the device in a mail is made of fixed words only`() async throws {
        try await TestServer.run { server in
            let agent = "Mozilla/5.0 (X11; Linux) Firefox/1 evil.example https://evil.example/"
            let mail = try server.askForLink("ann@example.com", headers: ["User-Agent: \(agent)"]).mail
            #expect(mail.text.contains("Firefox · Linux"))
            #expect(!mail.text.contains("evil"))
        }
    }
}
