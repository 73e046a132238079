import Foundation
import JSON
import Server
import Testing

/// An operator's brand on pages, and the settings of one that cannot be used.
@Suite("Brand on pages")
struct BrandPageTests {
    private static let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\"><path d=\"M0 0\"/></svg>"

    @Test func `pages show logo, color and links, and lead back to the app`() async throws {
        try await withFile(Self.svg) { logo in
            let settings = [
                "BRAND_NAME": "Notes <b>", "BRAND_LOGO": logo, "BRAND_COLOR": "#a01040",
                "BRAND_SUPPORT_URL": "mailto:help@example.com", "BRAND_PRIVACY_URL": "https://example.com/privacy",
                "BRAND_APP_URL": "notes://open?a=1&b=2",
            ]
            try await TestServer.run(settings) { server in
                let page = try server.send("GET", "/auth/action?oobCode=x")
                for text in [
                    "<img src=\"/auth/logo.svg\" alt=\"Notes &lt;b&gt;\">", "href=\"mailto:help@example.com\"",
                    "href=\"https://example.com/privacy\"", "Back to Notes &lt;b&gt;</a>",
                    "href=\"notes://open?a=1&amp;b=2\"",
                ] { #expect(page.text.contains(text), "\(text)") }
                let policy = page.header("content-security-policy") ?? ""
                #expect(policy.contains("img-src 'self'") && !policy.contains("script-src"))
                #expect(try server.send("GET", "/auth/style.css").text.contains("--accent: #a01040;"))
                let image = try server.send("GET", "/auth/logo.svg")
                #expect(image.status == 200 && image.header("content-type") == "image/svg+xml")
                #expect(image.header("content-security-policy")?.hasSuffix("; sandbox") == true)
                #expect(image.header("x-content-type-options") == "nosniff" && image.text == Self.svg)
                #expect(try server.send("GET", "/auth/logo.png").status == 404)
            }
        }
    }

    @Test(arguments: [
        (["BRAND_COLOR": "blu"], "LATCHKEY_BRAND_COLOR: 'blu' is not a color; write it like #2557c7"),
        (["BRAND_COLOR_DARK": "#12"], "LATCHKEY_BRAND_COLOR_DARK: '#12' is not a color"),
        (["BRAND_LOGO": "/nonexistent.png"], "LATCHKEY_BRAND_LOGO: /nonexistent.png cannot be read"),
        (["BRAND_SUPPORT_URL": "javascript:alert(1)"], "LATCHKEY_BRAND_SUPPORT_URL: must be a URL that begins with"),
        (["BRAND_PRIVACY_URL": "mailto:a@example.com"], "LATCHKEY_BRAND_PRIVACY_URL: must be a URL"),
        (["BRAND_APP_URL": "data:text/html,x"], "LATCHKEY_BRAND_APP_URL: must be a URL"),
        (["BRAND_APP_URL": "https://exa mple.com"], "LATCHKEY_BRAND_APP_URL: must be a URL"),
        (["BRAND_POSTAL_ADDRESS": String(repeating: "x", count: 501)], "LATCHKEY_BRAND_POSTAL_ADDRESS: must have"),
        (["BRAND_NAME": "a", "APP_NAME": "b"], "LATCHKEY_APP_NAME: is the older name of brand.name"),
        (["SECURITY_TXT_CONTACTS": "me@example.com"], "LATCHKEY_SECURITY_TXT_CONTACTS: me@example.com is not a URL"),
    ])
    func `what is wrong with a brand stops the start`(_ settings: [String: String], _ reason: String) {
        let environment = Dictionary(uniqueKeysWithValues: settings.map { ("LATCHKEY_\($0)", $1) })
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration.load(file: nil, environment: environment)
        }
        #expect(
            error?.problems.count == 1 && error?.problems.first?.description.hasPrefix(reason) == true,
            "\(error as Any)"
        )
    }

    @Test func `a file's bad brand is refused with file, line and reason`() async throws {
        let text = """
            /* brand: {
               color */ { // brand: { color: "x" }
              "threads": 2, 'brand': { name: "a { \\" b",
                hooks: [{ color: 1 }],
                color: 'blu', }, }
            """
        try await withFile(text) { file in
            let error = #expect(throws: ConfigurationError.self) {
                try Configuration.load(file: file, environment: [:])
            }
            let reason = "\(file):5: brand.color: 'blu' is not a color; write it like #2557c7"
            #expect(error?.problems.map(\.description).contains(reason) == true, "\(error as Any)")
        }
    }

    @Test func `a logo with a script stops the start with its file and line`() async throws {
        try await withFile("<svg>\n<script/></svg>") { logo in
            let error = #expect(throws: ConfigurationError.self) {
                try Configuration.load(file: nil, environment: ["LATCHKEY_BRAND_LOGO": logo])
            }
            #expect(error?.problems.first?.description.contains("\(logo):2: the element 'script'") == true)
        }
    }

    @Test func `a brand color that is hard to read is logged at the start`() async throws {
        try await TestServer.run(["BRAND_COLOR": "#ffe000"]) { server in
            try server.eventually("it is logged") { server.log.contains("brand.color: #ffe000 has a contrast of 1.") }
            let style = try server.send("GET", "/auth/style.css").text
            #expect(style.contains("--accent: #") && !style.contains("#ffe000"))
        }
    }

    @Test func `a browser gets a page for an unknown path, and a client the envelope of errors`() async throws {
        try await TestServer.run { server in
            let browser = ["Accept: text/html,application/xhtml+xml", "Accept-Language: de"]
            let page = try server.send("GET", "/nothing/here", headers: browser)
            #expect(page.status == 404 && page.text.contains("<html lang=\"de\""))
            #expect(page.header("content-security-policy") != nil)
            for answer in [
                try server.send("GET", "/nothing/here"), try server.send("POST", "/nothing/here", headers: browser),
                try server.send("GET", "/nothing/here", headers: ["Accept: application/json"]),
            ] { #expect(answer.status == 404 && answer.json["error"] != nil) }
        }
    }

    @Test func `robots and people with a vulnerability find the texts for them`() async throws {
        try await TestServer.run { server in
            let robots = try server.send("GET", "/robots.txt")
            #expect(robots.text == "User-agent: *\nDisallow: /\n")
            let security = try server.send("GET", "/.well-known/security.txt")
            #expect(security.status == 404)
        }
        let settings = [
            "ROBOTS": "true", "SECURITY_TXT_CONTACTS": "mailto:security@example.com,https://example.com/report",
            "SECURITY_TXT_POLICY": "https://example.com/policy",
        ]
        try await TestServer.runInProduction(settings) { server in
            #expect(try server.send("GET", "/robots.txt").text == "User-agent: *\nDisallow:\n")
            let answer = try server.send("GET", "/.well-known/security.txt")
            #expect(answer.header("content-type") == "text/plain; charset=utf-8")
            let lines = answer.text.split(separator: "\n").map { String($0) }
            #expect(lines.count == 5)
            #expect(lines.contains("Contact: mailto:security@example.com"))
            #expect(lines.contains("Policy: https://example.com/policy"))
            #expect(lines.contains("Canonical: https://auth.example.com/.well-known/security.txt"))
            #expect(lines.contains { $0.wholeMatch(of: /Expires: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*Z/) != nil })
        }
    }

    private func withFile(_ content: String, _ body: (String) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "latchkey-logo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(content.utf8).write(to: file)
        try await body(file.path)
    }
}
