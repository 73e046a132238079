import Foundation
import Mail
import Server
import Testing

@Suite("Configuration")
struct ConfigurationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let value: String
        let says: [String]
        var testDescription: String { "\(name)=\(value)" }

        init(_ name: String, _ value: String, _ says: String...) {
            self.name = name
            self.value = value
            self.says = says
        }
    }

    private static func problems(_ environment: [String: String], file: String? = nil) -> String {
        do {
            _ = try Configuration.load(file: file, environment: environment)
            return ""
        } catch { return "\(error)" }
    }

    static let cases = [
        Case("LATCHKEY_MODE", "staging", "LATCHKEY_MODE", "development, production"),
        Case("LATCHKEY_LISTEN", "0.0.0.0:9099", "LATCHKEY_LISTEN", "loopback"),
        Case("LATCHKEY_LISTEN", "[::]:9099", "LATCHKEY_LISTEN", "loopback"),
        Case("LATCHKEY_LISTEN", "192.168.0.1:9099", "LATCHKEY_LISTEN", "loopback"),
        Case("LATCHKEY_LISTEN", "127.0.0.1.evil.example:9099", "LATCHKEY_LISTEN", "loopback"),
        Case("LATCHKEY_LISTEN", "", "LATCHKEY_LISTEN", "non-empty"),
        Case("LATCHKEY_DATABASE", "mysql://x", "LATCHKEY_DATABASE", "sqlite:PATH"),
        Case("LATCHKEY_DATABASE", "sqlite:", "LATCHKEY_DATABASE", "sqlite:PATH"),
        Case("LATCHKEY_PUBLIC_URL", "https://a.example/path", "LATCHKEY_PUBLIC_URL", "scheme, host and port"),
        Case("LATCHKEY_ALLOWED_ORIGINS", "https://ok.example,app.example", "LATCHKEY_ALLOWED_ORIGINS", "app.example"),
        Case("LATCHKEY_ALLOWED_ORIGINS", "https://*.example.com", "LATCHKEY_ALLOWED_ORIGINS", "not an origin"),
        Case("LATCHKEY_ADMIN_KEY", "short", "LATCHKEY_ADMIN_KEY", "32 bytes"),
        Case("LATCHKEY_THREADS", "0", "LATCHKEY_THREADS", "from 1 to 256"),
        Case("LATCHKEY_LISTENERS", "10000", "LATCHKEY_LISTENERS", "fewer than connections"),
        Case("LATCHKEY_THREADS", "two", "LATCHKEY_THREADS", "whole number"),
        Case("LATCHKEY_EMAIL_PRIVACY", "maybe", "LATCHKEY_EMAIL_PRIVACY", "true or false"),
        Case("LATCHKEY_LIFE_SIGN_IN_LINK", "15", "LATCHKEY_LIFE_SIGN_IN_LINK", "15m"),
        Case("LATCHKEY_LIFE_SESSION_COOKIE", "15d", "LATCHKEY_LIFE_SESSION_COOKIE", "between 5m and 14d"),
        Case("LATCHKEY_LIFE_SESSION_COOKIE", "299s", "LATCHKEY_LIFE_SESSION_COOKIE", "between 5m and 14d"),
        Case("LATCHKEY_LIFE_SESSION_ABSOLUTE", "off", "LATCHKEY_LIFE_SESSION_ABSOLUTE", "or 0"),
        Case("LATCHKEY_LIMITS_SESSIONS_PER_USER", "0", "LATCHKEY_LIMITS_SESSIONS_PER_USER", "1 to 10000000"),
        Case("LATCHKEY_LIFE_SIGN_IN_LINK", "-1m", "LATCHKEY_LIFE_SIGN_IN_LINK", "15m"),
        Case("LATCHKEY_LIFE_SIGN_IN_LINK", "99999999999999999999m", "LATCHKEY_LIFE_SIGN_IN_LINK", "15m"),
        Case("LATCHKEY_SIGNING_ALGORITHM", "none", "LATCHKEY_SIGNING_ALGORITHM", "ES256, EdDSA, RS256"),
        Case("LATCHKEY_TLS_KEY", "key.pem", "tls.certificate", "go together"),
        Case("LATCHKEY_SECRET_FILE", "/nowhere/at/all", "SECRET_FILE", "cannot be read"),
        Case("LATCHKEY_REVIEW_ADDRESSES", "a@b.co", "LATCHKEY_REVIEW_ADDRESSES", "configuration file only"),
        Case("LATCHKEY_DOCUMENTS_MAX_BYTES", "4194305", "LATCHKEY_DOCUMENTS_MAX_BYTES", "from 2 to 4194304"),
        Case("LATCHKEY_DOCUMENTS_MAX_DEPTH", "0", "LATCHKEY_DOCUMENTS_MAX_DEPTH", "from 1 to 256"),
        Case("LATCHKEY_FIREBASE_ON_CONFLICT", "report", "LATCHKEY_FIREBASE_ON_CONFLICT", "error, merge"),
        Case("LATCHKEY_DEVELOPMENT_TOKENS", "none", "LATCHKEY_DEVELOPMENT_TOKENS", "signed, unsigned"),
        Case("LATCHKEY_LISTNE", "x", "LATCHKEY_LISTNE", "unknown setting", "did you mean LATCHKEY_LISTEN?"),
        Case("LATCHKEY_LIMITS_MAILS", "3", "LATCHKEY_LIMITS_MAILS", "unknown setting"),
    ]

    @Test(arguments: cases)
    func `a bad value stops the start with its variable and the reason`(_ example: Case) {
        let problems = Self.problems([example.name: example.value])
        for text in example.says { #expect(problems.contains(text), "\(problems)") }
    }

    @Test func `a file's problem names file, line, key and reason, and all of them are told at once`() throws {
        try TestServer.inFolder { folder in
            let url = folder.appendingPathComponent("latchkey.json5")
            let text = """
                // JSON5: comments, single quotes and a trailing comma
                { mode: 'development', limts: { mailsPerAddress: 3 }, threads: "many", life: { session: 400 },
                  reviewAddresses: [{ email: 'x', code: 'short', until: '2027-13-01' }], listen: "127.0.0.1:0",
                  smtp: { url: "smtp://localhost" } }
                """
            try Data(text.utf8).write(to: url)
            let problems = Self.problems([:], file: url.path)
            for place in [
                "2: limts.mailsPerAddress: unknown", "2: threads: must be", "2: life.session: must be",
                "3: reviewAddresses: each",
            ] {
                #expect(problems.contains("\(url.path):\(place)"), "\(problems)")
            }
            #expect(problems.contains("did you mean limits.mailsPerAddress?"))
            #expect(problems.contains("4: smtp.url: unknown setting; did you mean smtpURL?"), "\(problems)")
        }
    }

    @Test(
        arguments: [
            ("{", ":1:2: not valid JSON5"), ("[]", ": the file must contain one object"),
            ("{\n  a: }", ":2:6: not valid JSON5: a value is missing before '}'"),
            ("\"x\"", ": the file must contain one object"), ("", ":1:1: not valid JSON5"),
            ("{ listen: 'a',\n  listen: 'b' }", ":2:3: not valid JSON5: 'listen' stands here again"),
        ]
    )
    func `a file that is no object of JSON5 is refused with the place of the error`(text: String, says: String) throws {
        try TestServer.inFolder { folder in
            let url = folder.appendingPathComponent("latchkey.json5")
            try Data(text.utf8).write(to: url)
            let problems = Self.problems([:], file: url.path)
            #expect(problems.hasPrefix(url.path + says), "\(problems)")
        }
        #expect(Self.problems([:], file: "/nowhere/latchkey.json5").contains("cannot be read"))
    }

    @Test func `the environment comes before the file, and a secret may come from a file of its own`() throws {
        try TestServer.inFolder { folder in
            let url = folder.appendingPathComponent("latchkey.json5")
            try Data("{ projectID: 'of-file', appName: 'of-file' }".utf8).write(to: url)
            let secret = folder.appendingPathComponent("secret")
            try Data("\(TestServer.secret)\n".utf8).write(to: secret)
            let configuration = try Configuration.load(
                file: url.path,
                environment: [
                    "LATCHKEY_PROJECT_ID": "of-environment", "LATCHKEY_SECRET_FILE": secret.path, "PATH": "x",
                ]
            )
            #expect(configuration.projectID == "of-environment")
            #expect(configuration.brand.name == "of-file")
            #expect(configuration.secret == TestServer.secret)
            let both = Self.problems(["LATCHKEY_SECRET": TestServer.secret, "LATCHKEY_SECRET_FILE": secret.path])
            #expect(both.contains("not both"))
        }
    }

    @Test func `production needs a secret, an https URL, a mail server and a sender`() {
        let problems = Self.problems(["LATCHKEY_MODE": "production", "LATCHKEY_PUBLIC_URL": "http://a.example"])
        for key in ["secret", "LATCHKEY_PUBLIC_URL", "smtpURL", "mailFrom"] {
            #expect(problems.contains("\(key): production needs"), "\(problems)")
        }
    }

    private static let production = [
        "LATCHKEY_MODE": "production", "LATCHKEY_SECRET": TestServer.secret,
        "LATCHKEY_PUBLIC_URL": "https://a.example", "LATCHKEY_SMTP_URL": "smtp://h",
        "LATCHKEY_MAIL_FROM": "x@a.example",
    ]

    @Test func `an http origin where no link can lead is a warning at the start, and no web origin`() throws {
        var settings = Self.production
        settings["LATCHKEY_ALLOWED_ORIGINS"] = "https://app.example,http://app.example,http://localhost:3000"
        let configuration = try Configuration.load(file: nil, environment: settings)
        #expect(configuration.harmlessProblems.count == 2, "\(configuration.harmlessProblems)")
        let first = configuration.harmlessProblems.first?.description ?? ""
        #expect(first.contains("LATCHKEY_ALLOWED_ORIGINS: http://app.example"), "\(first)")
        #expect(configuration.webOrigins == ["https://app.example", "http://localhost:3000", "https://a.example"])
        settings["LATCHKEY_ALLOWED_ORIGINS"] = "https://app.example"
        #expect(try Configuration.load(file: nil, environment: settings).harmlessProblems.isEmpty)
        let development = ["LATCHKEY_ALLOWED_ORIGINS": "http://localhost:3000"]
        #expect(try Configuration.load(file: nil, environment: development).harmlessProblems.isEmpty)
    }

    @Test func `production takes web origins of http for loopback names only`() {
        var settings = Self.production
        settings["LATCHKEY_CORS_ORIGINS"] = "http://localhost,capacitor://localhost,https://app.example,null"
        #expect(Self.problems(settings).isEmpty)
        settings["LATCHKEY_CORS_ORIGINS"] = "http://app.example"
        #expect(Self.problems(settings).contains("LATCHKEY_CORS_ORIGINS: http://app.example: production takes http"))
    }

    @Test(arguments: ["signed", "unsigned"])
    func `production has no development tokens`(form: String) {
        var settings = Self.production
        settings["LATCHKEY_DEVELOPMENT_TOKENS"] = form
        #expect(Self.problems(settings).contains("LATCHKEY_DEVELOPMENT_TOKENS: is for development only"))
    }

    @Test func `no problem repeats a secret`() {
        let problems = Self.problems([
            "LATCHKEY_ADMIN_KEY": "hush-hush", "LATCHKEY_SECRET": "hush-hush",
            "LATCHKEY_SMTP_URL": "smtp://u:hush-hush@h",
            "LATCHKEY_NOPE": "1",
        ])
        #expect(!problems.isEmpty)
        #expect(!problems.contains("hush-hush"))
    }
}
