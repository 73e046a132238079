import Accounts
import Mail
import SMTPHarness
import Testing
import Transfer

@Suite("Composition of e-mails", .timeLimit(.minutes(1)))
struct MailComposerTests {
    @Test
    func `a composed mail arrives with its headers, and both bodies read as rendered`() async throws {
        let composer = try MailComposer.example(sender: "Größe & Söhne <app@example.org>")
        let payload = MailPayload.example(.signIn, locale: "ja")
        let mail = try composer.compose(payload)
        let server = try SMTPServer()
        try server.start()
        defer { server.stop() }
        let client = SMTPClient(try SMTPConfiguration(url: "smtp://127.0.0.1:\(server.port)"))
        guard case .accepted = await client.send(mail) else {
            Issue.record("not accepted")
            return
        }
        let message = try #require(server.messages.first)
        let received = try #require(ReceivedMail(message.raw))
        let rendered = try composer.templates.render(payload, appName: composer.appName.text)
        #expect(received["From"] == "Größe & Söhne <app@example.org>")
        #expect(received["To"] == "<you@example.org>")
        #expect(received["Subject"] == rendered.subject)
        #expect(received["Date"] == "Fri, 20 Nov 2026 20:31:05 +0000")
        #expect(received["Message-ID"] == payload.messageID)
        #expect(received["MIME-Version"] == "1.0")
        #expect(received["Auto-Submitted"] == "auto-generated")
        #expect(received["X-Auto-Response-Suppress"] == "All")
        let own = received.rawHeaderLines.filter { !$0.hasPrefix("Content-Type: ") }
        #expect(received.text == rendered.text)
        #expect(received.html == rendered.html)
        #expect(own.allSatisfy { $0.utf8.count <= 78 && $0.utf8.allSatisfy { $0 < 0x80 } })
        #expect(Set(received.headers.map(\.name)).count == received.headers.count)
        await client.close()
    }

    @Test
    func `the same payload makes the same mail`() throws {
        let composer = try MailComposer.example()
        for kind in MailKind.allCases {
            #expect(try composer.compose(.example(kind)) == composer.compose(.example(kind)))
        }
    }

    @Test
    func `an international domain goes out in ASCII, an international name as it is`() throws {
        let composer = try MailComposer.example()
        #expect(
            try composer.compose(.example(.signIn, to: "a@Bücher.example")).recipients == ["a@xn--bcher-kva.example"]
        )
        #expect(try composer.compose(.example(.signIn, to: "jürgen@example.org")).recipients == ["jürgen@example.org"])
    }

    @Test(arguments: [
        "you@example.org\r\nBcc: x@y.z", "you@example.org\n", "<you@example.org>", "you", "a@b@c",
        "you@example.org\u{0}",
    ])
    func `an address that is none makes no mail, and the failure does not repeat it`(_ address: String) throws {
        let composer = try MailComposer.example()
        do throws(MailComposer.Failure) {
            let mail = try composer.compose(.example(.signIn, to: address))
            // Only white space around it was wrong.
            #expect(mail.recipients == ["you@example.org"])
        } catch {
            #expect(!error.description.contains("you"))
        }
    }

    @Test
    func `hostile values stay in their places`() throws {
        let composer = try MailComposer.example(appName: "Notes =?UTF-8?Q?=0D=0ABcc:?=")
        var payload = MailPayload.example(.emailInUse, values: [.device: "x\r\nBcc: x@y.z\r\n\r\nbody"])
        let mail = try composer.compose(payload)
        #expect(mail.headers.count == 8)
        #expect(!mail.headers.contains { $0.contains("\nBcc") || $0.hasPrefix("Bcc") })
        #expect(!mail.text.contains("\nBcc"))
        payload.messageID = "<a@b>\r\nBcc: x@y.z"
        #expect(throws: MailComposer.Failure.self) { try composer.compose(payload) }
    }

    @Test
    func `a payload that lacks a value makes no mail`() throws {
        var payload = MailPayload.example(.signIn)
        payload.values[.link] = nil
        #expect(throws: MailComposer.Failure.self) { try MailComposer.example().compose(payload) }
    }

    @Test
    func `the test mail is a complete mail`() throws {
        let mail = try TestMail.compose(
            to: "you@example.org",
            from: MailSender(parsing: "Notes <app@example.org>"),
            messageID: "<1@example.org>",
            now: 1_795_206_665_999
        )
        #expect(mail.headers.contains("Message-ID: <1@example.org>"))
        #expect(mail.recipients == ["you@example.org"])
    }
}

extension MailComposer {
    /// Makes a composer with the shipped templates.
    static func example(
        sender: String = "Notes <app@example.org>",
        appName: String = "Notes"
    ) throws -> MailComposer {
        MailComposer(
            sender: try MailSender(parsing: sender),
            appName: try HeaderText(appName),
            templates: try EmailTemplates.builtIn
        )
    }
}
