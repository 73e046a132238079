import Testing
import Transfer

@Suite("SMTP URLs")
struct SMTPConfigurationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let url: String
        let host: String
        let port: Int
        let security: SMTPConfiguration.Security
        var hasCredentials = false
        var testDescription: String { url }
    }

    @Test(arguments: [
        Case(url: "smtp://mail.example.org", host: "mail.example.org", port: 587, security: .required),
        Case(
            url: "smtp://mail.example.org:25?starttls=optional",
            host: "mail.example.org",
            port: 25,
            security: .optional
        ),
        Case(url: "smtp://mail.example.org?starttls=off", host: "mail.example.org", port: 587, security: .off),
        Case(url: "smtps://mail.example.org", host: "mail.example.org", port: 465, security: .implicit),
        Case(
            url: "smtps://u:p@mail.example.org:4650",
            host: "mail.example.org",
            port: 4650,
            security: .implicit,
            hasCredentials: true
        ),
        Case(
            url: "smtp://a%40b.c:p%2Fq@mail.example.org",
            host: "mail.example.org",
            port: 587,
            security: .required,
            hasCredentials: true
        ),
        Case(url: "smtp://127.0.0.1:1025", host: "127.0.0.1", port: 1025, security: .off),
        Case(url: "smtp://127.9.9.9:1025", host: "127.9.9.9", port: 1025, security: .off),
        Case(url: "smtp://localhost:1025", host: "localhost", port: 1025, security: .off),
        Case(url: "smtp://[::1]:1025", host: "[::1]", port: 1025, security: .off),
        Case(
            url: "smtp://localhost:1025?starttls=required&ca=/etc/ca.pem",
            host: "localhost",
            port: 1025,
            security: .required
        ),
        Case(url: "smtp://127.0.0.1.example.org", host: "127.0.0.1.example.org", port: 587, security: .required),
        Case(url: "smtp://localhost.example.org", host: "localhost.example.org", port: 587, security: .required),
    ])
    func `a URL says server, port and protection`(_ expected: Case) throws {
        let configuration = try SMTPConfiguration(url: expected.url)
        #expect(configuration.host == expected.host)
        #expect(configuration.port == expected.port)
        #expect(configuration.security == expected.security)
        #expect((configuration.credentials != nil) == expected.hasCredentials)
    }

    @Test(arguments: [
        "", "mail.example.org", "http://mail.example.org", "smtp://", "smtp://user@host", "smtp://host/path",
        "smtp://host?starttls=maybe", "smtps://host?starttls=off", "smtp://host?unknown=1", "smtp://host?starttls",
        "smtp://host?starttls=off&starttls=required", "smtp://host:0", "smtp://host:99999", "smtp://u:a%0Ab@host",
        "smtp://ho st", "smtp://u%00:p@host",
    ])
    func `a URL that cannot be meant is refused without repeating it`(_ url: String) throws {
        let error = try #require(throws: TransferError.self) { try SMTPConfiguration(url: url) }
        #expect(error.kind == .invalid)
        #expect(url.isEmpty || !error.description.contains(url))
    }

    @Test
    func `a password does not print`() throws {
        let configuration = try SMTPConfiguration(url: "smtp://user:geheim@host")
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", dumped, configuration.server, "\(String(reflecting: configuration))"] {
            #expect(!text.contains("geheim"))
        }
    }
}
