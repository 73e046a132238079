import Accounts
import Testing

/// The offer of a sign-in link's page to open the link in the operator's app.
@Suite("Links opened in the app")
struct LinkedAppTests {
    private static let both = """
        { apple: { appIDs: ["TEAM.com.example.app"] },
          android: { apps: [{ package: "com.example.app", fingerprints: ["AA:BB"] },
                            { package: "com.example.second", fingerprints: ["AA:BB"] }] } }
        """
    private static let android =
        "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Mobile Safari/537.36"
    private static let iPhone =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148"
    private static let laptop = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"

    private static func open(_ server: TestServer, _ link: String, on userAgent: String) throws -> String {
        let answer = try server.open(link, headers: ["User-Agent: \(userAgent)"])
        #expect([200, 429].contains(answer.status))
        #expect(
            answer.header("content-security-policy")
                == "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
        )
        return answer.text
    }

    @Test func `on Android the page opens the first configured app by an intent URL`() async throws {
        try await TestServer.runInProduction(["ALLOWED_ORIGINS": "https://app.example.com"], file: Self.both) {
            server in
            let asked = try server.askForLink("ann@example.com", continueURL: "https://app.example.com/in")
            let link = try server.queryLink(asked.oobCode)["approveUrl"]
            let page = try Self.open(server, link, on: Self.android)
            let target =
                "auth.example.com/auth/action?mode=signIn&amp;lang=en&amp;oobCode=\(asked.oobCode)"
                + "&amp;apiKey=latchkey&amp;latchkeyRequestId=\(asked.requestID)"
            let fallback =
                "https%3A%2F%2Fauth.example.com%2Fauth%2Faction%3Fmode%3DsignIn%26lang%3Den%26oobCode%3D"
                + "\(asked.oobCode)%26apiKey%3Dlatchkey%26latchkeyRequestId%3D\(asked.requestID)"
            let intent =
                "intent://\(target)#Intent;scheme=https;package=com.example.app;"
                + "S.browser_fallback_url=\(fallback);end"
            #expect(page.contains("<a class=\"button quiet\" href=\"\(intent)\""), "\(page)")
            #expect(!page.contains("com.example.second"))
            #expect(!page.contains("Touch and hold"))
        }
    }

    @Test func `on an iPhone and an iPad the page links to itself, and says how to choose the app`() async throws {
        try await TestServer.runInProduction(file: Self.both) { server in
            let asked = try server.askForLink("ann@example.com")
            for name in [Self.iPhone, Self.iPhone.replacing("iPhone", with: "iPad")] {
                let page = try Self.open(server, asked.mail.link, on: name)
                let link = asked.mail.link.replacing("&", with: "&amp;")
                #expect(page.contains("<a class=\"button quiet\" href=\"\(link)\""), "\(page)")
                #expect(page.contains("Touch and hold the button, then choose the app."))
            }
        }
    }

    @Test func `every page of a link that works offers it, in the page's language, and no other page does`()
        async throws
    {
        try await TestServer.run(file: Self.both) { server in
            let asked = try server.askForLink("ann@example.com", headers: ["X-Firebase-Locale: de"])
            func isOffered() throws -> Bool {
                let page = try server.open(asked.mail.link, headers: ["User-Agent: \(Self.iPhone)"])
                return page.text.contains("In der App öffnen</a>") && page.text.contains("wähle dann die App aus.")
            }
            #expect(try isOffered(), "the page with the code")
            server.clock.startMinute()
            try server.fillBreaker(.strangers)
            #expect(try isOffered(), "the page while codes are paused")
            _ = try server.redeemTicket(asked.ticket)
            #expect(try isOffered(), "the page that asks for digits")
            let mistyped = try server.answerLink(
                asked.oobCode,
                "approve",
                "&confirmation=x",
                headers: ["User-Agent: \(Self.android)"]
            )
            #expect(mistyped.text.contains("href=\"intent://"), "the page that asks again")
            #expect(try server.answerLink(asked.oobCode, "deny").status == 200)
            let gone = try server.open(asked.mail.link, headers: ["User-Agent: \(Self.iPhone)"])
            #expect(gone.status == 410 && !gone.text.contains("öffnen"))
        }
    }

    @Test(arguments: [
        (nil, android), (nil, iPhone), (both, laptop), (both, ""),
        (#"{ apple: { appIDs: ["TEAM.com.example.app"] } }"#, android),
        (#"{ android: { apps: [{ package: "com.example.app", fingerprints: ["AA:BB"] }] } }"#, iPhone),
    ])
    func `without an app for the device the page does not offer to open one`(_ file: String?, _ userAgent: String)
        async throws
    {
        try await TestServer.run(file: file) { server in
            let asked = try server.askForLink("ann@example.com")
            let page = try Self.open(server, asked.mail.link, on: userAgent)
            #expect(page.contains("value=\"deny\""))
            #expect(!page.contains("Open in the app") && !page.contains("<a "))
        }
    }
}
