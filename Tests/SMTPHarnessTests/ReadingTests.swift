import SMTPHarness
import Testing

@Suite("A received message") struct ReadingTests {
    private func read(_ text: String) -> ReceivedMessage { ReceivedMessage(raw: Array(text.utf8)) }

    @Test func `shows subject, addresses, date, text, HTML and links of a usual mail`() {
        let mail = read(
            """
            From: =?utf-8?Q?Schl=C3=BCssel?= <app@example.org>\r
            To: you@example.org\r
            Subject: =?utf-8?B?U2lnbiBpbiDigJMg?=\r
             =?utf-8?Q?caf=C3=A9_=C2=B7_20:31?=\r
            Date: Fri, 20 Nov 2026 20:31:00 +0000\r
            Message-ID: <1@example.org>\r
            MIME-Version: 1.0\r
            Content-Type: multipart/alternative;\r
             boundary="=_a b"\r
            \r
            preamble\r
            --=_a b\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Transfer-Encoding: quoted-printable\r
            \r
            Open https://latchkey.example/auth/action?mode=3DsignIn&oobCode=3Dabc=\r
            def&lang=3Den to sign in.\r
            Gr=C3=BC=C3=9Fe =\r
            \r
            --=_a b\r
            Content-Type: TEXT/HTML; charset="UTF-8"\r
            Content-Transfer-Encoding: BASE64\r
            \r
            PHA+SGVs\r
            bG8sIMO8PC9wPg==\r
            --=_a b--\r
            epilogue\r

            """
        )
        #expect(mail.from == "Schlüssel <app@example.org>")
        #expect(mail.to == "you@example.org")
        #expect(mail.subject == "Sign in – café · 20:31")
        #expect(mail.date == "Fri, 20 Nov 2026 20:31:00 +0000")
        #expect(mail.messageID == "<1@example.org>")
        #expect(
            mail.text
                == "Open https://latchkey.example/auth/action?mode=signIn&oobCode=abcdef&lang=en to sign in.\nGrüße "
        )
        #expect(mail.html == "<p>Hello, ü</p>")
        #expect(mail.links == ["https://latchkey.example/auth/action?mode=signIn&oobCode=abcdef&lang=en"])
        #expect(mail.header("mime-version") == "1.0")
        #expect(mail.header("X-None") == nil)
        #expect(mail.parts.map(\.contentType) == ["text/plain", "text/html"])
    }

    @Test func `finds parts within parts and knows attachments`() {
        let mail = read(
            """
            Content-Type: multipart/mixed; boundary=outer

            --outer
            Content-Type: multipart/related; boundary=inner

            --inner
            Content-Type: text/html

            <b>x</b>
            --inner
            Content-Type: text/plain

            inside
            --inner--
            --outer
            Content-Type: text/plain; name="=?utf-8?Q?=C3=BC.txt?="
            Content-Disposition: attachment

            not shown
            --outer--
            """
        )
        #expect(mail.text == "inside")
        #expect(mail.html == "<b>x</b>")
        #expect(mail.attachments.map(\.fileName) == ["ü.txt"])
        #expect(mail.parts.count == 3)
    }

    struct Subject: Sendable {
        let raw: String
        let shown: String
        init(_ raw: String, _ shown: String) { (self.raw, self.shown) = (raw, shown) }
    }

    @Test(arguments: [
        Subject("plain", "plain"), Subject("=?UTF-8?q?a_b?=", "a b"), Subject("x =?utf-8?q?y?= z", "x y z"),
        Subject("=?utf-8?q?a?= =?utf-8?q?b?=", "ab"), Subject("=?utf-8?q?a?=\r\n =?utf-8?q?b?=", "ab"),
        Subject("=?utf-8?q?a?= b =?utf-8?q?c?=", "a b c"), Subject("=?utf-8?q?=C3?= =?utf-8?q?=BC?=", "ü"),
        Subject("=?iso-8859-1?q?gr=FC=DFe?=", "grüße"), Subject("=?windows-1252?q?=80?=", "€"),
        Subject("=?iso-8859-1?q?=FC?= =?utf-8?q?=C3=BC?=", "üü"), Subject("=?utf-8*de?q?x?=", "x"),
        Subject("=?utf-8?x?abc?=", "=?utf-8?x?abc?="), Subject("=?utf-8?q?open", "=?utf-8?q?open"),
        Subject("=?utf-8?b?4pyTIG9r?=", "✓ ok"), Subject("=?utf-8?b?4pyTIG9r", "=?utf-8?b?4pyTIG9r"),
        Subject("=?", "=?"),
        Subject("=?utf-8?q?=ZZ=?=", "=ZZ="), Subject("grüße", "grüße"), Subject("=?utf-8?q?=FF?=", "\u{fffd}"),
        // No escape sequence and no bidirectional control reaches a terminal.
        Subject("a\u{1b}[31mb", "a [31mb"), Subject("=?utf-8?q?a=1B]0;x=07?=", "a ]0;x "),
        Subject("=?utf-8?q?a=E2=80=AEb=C2=9Bc?=", "a b c"),
    ])
    func `shows a subject as people read it`(_ subject: Subject) {
        #expect(read("Subject: \(subject.raw)\r\n\r\n").subject == subject.shown)
    }

    @Test(arguments: [
        ("<you@example.org>", "you@example.org"), ("you@example.org", "you@example.org"),
        ("You <you@example.org>", "You <you@example.org>"),
        ("<a@b.example>, <c@d.example>", "<a@b.example>, <c@d.example>"),
    ])
    func `shows a lone address without its brackets`(raw: String, shown: String) {
        #expect(read("To: \(raw)\r\n\r\n").to == shown)
    }

    @Test func `finds links in text without the punctuation around them`() {
        let mail = read(
            """
            Subject: x

            <https://a.example/1>, (http://b.example/2). "HTTPS://C.example/3"
            https://a.example/1 again; https://d.example/x(y)? [https://e.example/4]
            xhttps://no.example http:// https:/no https://f.example/ü https://g.example:99/?a=b&c=%C3%BC#frag!
            """
        )
        #expect(
            mail.links == [
                "https://a.example/1", "http://b.example/2", "HTTPS://C.example/3", "https://d.example/x(y)",
                "https://e.example/4", "https://f.example/", "https://g.example:99/?a=b&c=%C3%BC#frag",
            ]
        )
    }

    @Test(arguments: [
        "", "\r\n", "no header at all", ": no name\r\n\r\nx", "Subject\r\n\r\n", " folded first\r\n\r\nx",
    ])
    func `reads what is hardly a message`(_ text: String) {
        let mail = read(text)
        #expect(mail.subject.isEmpty)
        #expect(mail.parts.count == 1)
    }

    @Test func `reads broken bodies as well as can be`() {
        #expect(read("Content-Transfer-Encoding: base64\n\n!!SGVs bG8=!!more").text == "Hello")
        #expect(read("Content-Transfer-Encoding: quoted-printable\n\na=\n b =zz=3").text == "a b =zz=3")
        #expect(read("Content-Type: multipart/mixed; boundary=x\n\n--x\n\nleft open").text == "left open")
        #expect(read("Content-Type: multipart/mixed\n\nno boundary").parts.first?.text == "no boundary")
        #expect(read("Content-Type: text/plain; charset=klingon\n\nü").text == "ü")
        #expect(read("Content-Type: nonsense\n\nx").text == "x")
        #expect(
            read("Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n=FC")
                .text == "ü"
        )
    }

    @Test func `what Python's email package writes is read the same`() async throws {
        let script = """
            import sys
            from email.message import EmailMessage
            from email.policy import SMTP
            m = EmailMessage(policy=SMTP)
            m['From'] = 'Ünï <app@example.org>'
            m['To'] = 'you@example.org'
            m['Subject'] = 'ログイン · ' + 'ü' * 90
            m.set_content('Grüße\\n\\n.\\n..\\n' + 'x' * 400 + '\\nhttps://a.example/?x=1&y=2\\n')
            m.add_alternative('<p>日本語</p>\\n', subtype='html')
            m.add_attachment(bytes(range(256)), maintype='application', subtype='octet-stream', filename='ü.bin')
            sys.stdout.buffer.write(m.as_bytes())
            """
        let written = try await Tool.python(script)
        let mail = read(written.output)
        #expect(mail.from == "Ünï <app@example.org>")
        #expect(mail.subject == "ログイン · " + String(repeating: "ü", count: 90))
        #expect(mail.text == "Grüße\n\n.\n..\n" + String(repeating: "x", count: 400) + "\nhttps://a.example/?x=1&y=2\n")
        #expect(mail.html == "<p>日本語</p>\n")
        #expect(mail.attachments.first?.bytes == Array(0...255))
        #expect(mail.links == ["https://a.example/?x=1&y=2"])
    }

    @Test func `random and hostile input neither crashes nor takes for ever`() {
        let words: [[UInt8]] = [
            "Subject: ", "=?utf-8?q?", "=?utf-8?b?", "?=", "=?", "Content-Type: multipart/mixed; boundary=b\r\n",
            "--b\r\n",
            "--b--\r\n", "\r\n", "\n", "\r", "Content-Transfer-Encoding: base64\n", "=", "=\r\n", "=4",
            "Content-Type: text/html;",
            " charset=\"", "\\", "\"", ";", ":", "https://", "http://x)", "Content-Disposition: attachment; filename=",
            "Content-Transfer-Encoding: quoted-printable\n", " ", "\t",
        ].map { Array($0.utf8) }
        var random = Seeded(77)
        for _ in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                if Int.random(in: 0..<5, using: &random) == 0 {
                    for _ in 0..<8 { bytes.append(.random(in: 0...255, using: &random)) }
                } else {
                    bytes += words.randomElement(using: &random) ?? []
                }
            }
            let mail = ReceivedMessage(raw: bytes)
            #expect(mail.subject.unicodeScalars.allSatisfy { $0.value >= 0x20 })
            _ = (mail.text, mail.html, mail.links, mail.attachments)
        }
    }

    @Test(arguments: [
        "=?utf-8?q?", "=?a?q?b?= ", "=?", "= ", "=", "http://", ")", "https://a)", "--b\r\n",
        "--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n",
        "a: b\r\n", " x\r\n", "\"", "\\",
    ])
    func `half a megabyte of one thing is read in linear time`(_ piece: String) {
        let many = Array(String(repeating: piece, count: 500_000 / piece.utf8.count).utf8)
        let heads = [
            "Subject: ", "Content-Type: text/plain; x=", "\r\n", "Content-Transfer-Encoding: quoted-printable\r\n\r\n",
            "Content-Type: multipart/mixed; boundary=b\r\n\r\n", "Subject: x\r\n\r\nhttp://x",
        ]
        for head in heads {
            let time = ContinuousClock().measure {
                let mail = ReceivedMessage(raw: Array(head.utf8) + many)
                _ = (mail.subject, mail.text, mail.links)
            }
            #expect(time < .seconds(5), "\(head) takes \(time)")
        }
    }

    @Test func `a summary for the terminal names the envelope, the subject and the link`() async throws {
        try await withServer { (server) async throws in
            let message = Array("Subject: =?utf-8?q?Hi=1B[2J?=\r\n\r\nOpen https://a.example/1 now.\r\n".utf8)
            let curl = try await Tool.curl(port: server.port, message: message)
            #expect(curl.status == 0)
            let kept = try await server.waitForMessage()
            #expect(kept.summary == "#1  app@example.org → you@example.org\n    Hi [2J\n    https://a.example/1")
        }
    }
}
