import Foundation
import Server
import Testing

@Suite("Configuration of hooks")
struct HookConfigurationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let hooks: String
        let says: String
        var isProduction = true
        var testDescription: String { hooks }
    }

    private static let good = "secret: '\(HookTests.secret)', events: ['user.created']"

    static let cases = [
        Case(hooks: "[{ name: 'a', url: 'http://a.example/', \(good) }]", says: "https"),
        Case(hooks: "[{ name: 'a', url: 'https://u:p@a.example/', \(good) }]", says: "a: url"),
        Case(hooks: "[{ name: 'a', url: 'ftp://a.example/', \(good) }]", says: "a: url", isProduction: false),
        Case(hooks: "[{ name: 'a', url: 'https://127.0.0.1/', \(good) }]", says: "not a public address"),
        Case(hooks: "[{ name: 'a', url: 'https://[::1]/', \(good) }]", says: "not a public address"),
        Case(hooks: "[{ name: 'a', url: 'https://169.254.169.254/', \(good) }]", says: "not a public address"),
        Case(hooks: "[{ name: 'A b', url: 'https://a.example/', \(good) }]", says: "each needs name"),
        Case(hooks: "[{ name: 'a', url: 'https://a.example/', \(good), more: 1 }]", says: "nothing else"),
        Case(
            hooks: "[{ name: 'a', url: 'https://a.example/', events: ['user.created'] }]",
            says: "LATCHKEY_HOOK_SECRETS_A"
        ),
        Case(
            hooks: "[{ name: 'a', url: 'https://a.example/', secret: 'whsec_c2hvcnQ=', events: ['user.created'] }]",
            says: "24 to 64 bytes"
        ),
        Case(
            hooks:
                "[{ name: 'a', url: 'https://a.example/', secret: '\(HookTests.secret)', events: ['merge.commit'] }]",
            says: "merge.prepare"
        ),
        Case(
            hooks: "[{ name: 'a', url: 'https://a.example/', secret: '\(HookTests.secret)', events: [] }]",
            says: "events must be some of"
        ),
        Case(
            hooks:
                "[{ name: 'a', url: 'https://a.example/', \(good) }, { name: 'a', url: 'https://b.example/', \(good) }]",
            says: "two hooks"
        ),
    ]

    private static func problems(
        _ text: String,
        isProduction: Bool = true,
        _ more: [String: String] = [:]
    ) throws -> String {
        try TestServer.inFolder { folder in
            let file = folder.appendingPathComponent("latchkey.json5")
            try Data(text.utf8).write(to: file)
            let production = [
                "LATCHKEY_MODE": "production", "LATCHKEY_SECRET": TestServer.secret,
                "LATCHKEY_PUBLIC_URL": "https://auth.example.com", "LATCHKEY_SMTP_URL": "smtp://mail.example.com",
                "LATCHKEY_MAIL_FROM": "a@example.com",
            ]
            do {
                _ = try Configuration.load(
                    file: file.path,
                    environment: (isProduction ? production : [:]).merging(more) { $1 }
                )
                return ""
            } catch { return "\(error)" }
        }
    }

    @Test(arguments: cases)
    func `errors in a hook's configuration are reported without its secret`(_ example: Case) throws {
        let problems = try Self.problems("{ hooks: \(example.hooks) }", isProduction: example.isProduction)
        #expect(problems.contains(example.says), "\(problems)")
        #expect(!problems.contains("MfKQ9r8G"))
    }

    @Test func `secrets may come from the environment or a file, an inner address when it is allowed`() throws {
        let named =
            "{ hooks: [{ name: 'a', url: 'https://a.example/x?y', events: ['user.created', 'merge.prepare'] }] }"
        #expect(try Self.problems(named, ["LATCHKEY_HOOK_SECRETS_A": HookTests.secret]) == "")
        let both = "\(HookTests.secret),\(HookTests.secret)"
        #expect(try Self.problems(named, ["LATCHKEY_HOOK_SECRETS_A": both]) == "")
        #expect(try Self.problems(named, ["LATCHKEY_HOOK_SECRETS_A_FILE": "/nowhere"]).contains("cannot be read"))
        #expect(try Self.problems(named, ["LATCHKEY_HOOK_SECRETS_B": HookTests.secret]).contains("unknown setting"))
        let inner = "hooks: [{ name: 'a', url: 'https://10.1.2.3/', \(Self.good) }]"
        #expect(try Self.problems("{ \(inner), hooksAllowPrivate: ['10.0.0.0/8'] }") == "")
        #expect(
            try Self.problems("{ \(inner), hooksAllowPrivate: ['10.0.0.0/99'] }").contains("not an address or range")
        )
        let local = "{ hooks: [{ name: 'a', url: 'http://127.0.0.1:1/', \(Self.good) }] }"
        #expect(try Self.problems(local, isProduction: false) == "")
    }
}
