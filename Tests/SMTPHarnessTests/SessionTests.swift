import SMTPHarness
import Testing

@Suite("An SMTP session") struct SessionTests {
    @Test func `an SMTP session accepts a message`() {
        var dialogue = Dialogue()
        #expect(dialogue.say("MAIL FROM:<a@example.org> SIZE=12 BODY=8BITMIME SMTPUTF8") == [250])
        #expect(dialogue.say("RCPT TO:<b@example.org>", "RCPT TO:<ü@example.org>") == [250, 250])
        #expect(dialogue.say("DATA") == [354])
        #expect(dialogue.say("Hello", ".") == [250])
        #expect(dialogue.lastReply?.lines == ["2.0.0 Ok: queued as 7.1"])
        #expect(dialogue.messages.count == 1)
        let message = dialogue.messages.first
        #expect(message?.sender == "a@example.org")
        #expect(message?.recipients == ["b@example.org", "ü@example.org"])
        #expect(message?.raw == Array("Hello\r\n".utf8))
        #expect(message?.options.declaredSize == 12)
        #expect(message?.options.isEightBit == true)
        #expect(message?.options.isInternational == true)
        #expect(message?.id == "7.1")
        #expect(message?.session.clientName == "client.example.org")
    }

    @Test func `offers what it can do and not CHUNKING`() {
        var dialogue = Dialogue(hello: false)
        dialogue.say("EHLO me")
        #expect(
            dialogue.lastReply?.lines == [
                "localhost", "PIPELINING", "SIZE 10485760", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES",
            ]
        )
        let policy = SMTPPolicy.with {
            $0.offersStartTLS = true
            $0.users = ["u": "p"]
            $0.authenticationRequiresTLS = true
        }
        dialogue = Dialogue(policy)
        #expect(dialogue.lastReply?.lines.contains("STARTTLS") == true)
        #expect(dialogue.lastReply?.lines.contains("AUTH PLAIN LOGIN") == false)
        dialogue.say("STARTTLS")
        dialogue.session.tlsStarted(version: "TLSv1.3")
        dialogue.say("EHLO me")
        #expect(dialogue.lastReply?.lines.contains("STARTTLS") == false)
        #expect(dialogue.lastReply?.lines.contains("AUTH PLAIN LOGIN") == true)
    }

    struct Line: Sendable, CustomTestStringConvertible {
        let before: [String]
        let line: String
        let code: Int
        init(_ line: String, _ code: Int, after before: String...) {
            (self.before, self.line, self.code) = (before, line, code)
        }
        var testDescription: String { "\(line.prefix(60)) → \(code)" }
    }

    static let mail = "MAIL FROM:<a@example.org>"
    static let utf8Mail = "MAIL FROM:<a@example.org> SMTPUTF8"
    static let recipient = "RCPT TO:<b@example.org>"

    static let lines: [Line] = [
        // Commands in any case, with blanks at the end.
        Line("mail from:<a@example.org>", 250), Line("NOOP anything", 250), Line("RSET  ", 250), Line("noop", 250),
        Line("VRFY someone", 252), Line("VRFY", 501), Line("HELP", 214), Line("QUIT", 221), Line("QUIT now", 501),
        Line("EXPN list", 502), Line("BDAT 4 LAST", 502), Line("TURN", 502), Line("FROB", 500), Line("", 500),
        Line(" NOOP", 500), Line("EHLO", 501), Line("HELO two words", 501), Line("HELO again", 250),
        Line("STARTTLS", 502), Line("AUTH PLAIN AGEAYg==", 502),
        // Order.
        Line(recipient, 503), Line("DATA", 503), Line(mail, 503, after: mail), Line("DATA", 554, after: mail),
        Line("RSET", 250, after: mail), Line(recipient, 503, after: mail, "RSET"),
        Line(recipient, 503, after: mail, "EHLO x"),
        Line("DATA now", 501, after: mail, recipient), Line("DATA", 354, after: mail, recipient),
        // Sender.
        Line("MAIL FROM:<>", 250), Line("MAIL FROM: <a@example.org>", 501), Line("MAIL FROM:a@example.org", 501),
        Line("MAIL TO:<a@example.org>", 501), Line("MAIL", 501), Line("MAIL FROM:<a@example.org", 501),
        Line("MAIL FROM:<a@example.org>SIZE=1", 501), Line("MAIL FROM:<a b@example.org>", 501),
        Line("MAIL FROM:<@relay.example,@other.example:a@example.org>", 250), Line("MAIL FROM:<@relay.example>", 501),
        Line("MAIL FROM:<\"a> b\"@example.org>", 250), Line("MAIL FROM:<\"a\\\"b\"@example.org>", 250),
        Line("MAIL FROM:<\"a\"b\"@example.org>", 501), Line("MAIL FROM:<.a@example.org>", 501),
        Line("MAIL FROM:<a..b@example.org>", 501), Line("MAIL FROM:<a@-example.org>", 501),
        Line("MAIL FROM:<a@example..org>", 501), Line("MAIL FROM:<a@[127.0.0.1]>", 250),
        Line("MAIL FROM:<a@[IPv6:::1]>", 250), Line("MAIL FROM:<@>", 501), Line("MAIL FROM:<a@>", 501),
        Line("MAIL FROM:<\(String(repeating: "a", count: 64))@example.org>", 250),
        Line("MAIL FROM:<\(String(repeating: "a", count: 65))@example.org>", 501),
        // Parameters.
        Line("MAIL FROM:<a@example.org> SIZE=10485760", 250), Line("MAIL FROM:<a@example.org> SIZE=10485761", 552),
        Line("MAIL FROM:<a@example.org> SIZE=99999999999999999999", 552),
        Line("MAIL FROM:<a@example.org> SIZE=999999999999999999999", 501),
        Line("MAIL FROM:<a@example.org> SIZE=-1", 501),
        Line("MAIL FROM:<a@example.org> SIZE=", 501), Line("MAIL FROM:<a@example.org> SIZE", 501),
        Line("MAIL FROM:<a@example.org> SIZE=1 SIZE=1", 501), Line("MAIL FROM:<a@example.org> body=7bit", 250),
        Line("MAIL FROM:<a@example.org> BODY=BINARYMIME", 501), Line("MAIL FROM:<a@example.org> SMTPUTF8=1", 501),
        Line("MAIL FROM:<a@example.org> RET=FULL", 555), Line("MAIL FROM:<a@example.org> =1", 501),
        // International addresses only with SMTPUTF8.
        Line("MAIL FROM:<ü@example.org>", 553), Line("MAIL FROM:<ü@exämple.org> SMTPUTF8", 250),
        Line("RCPT TO:<ü@example.org>", 553, after: mail), Line("RCPT TO:<ü@example.org>", 250, after: utf8Mail),
        // Recipient.
        Line("RCPT TO:<>", 501, after: mail), Line("RCPT TO:<Postmaster>", 250, after: mail),
        Line("RCPT TO:<someone>", 501, after: mail), Line("RCPT TO:<b@example.org> NOTIFY=NEVER", 555, after: mail),
        // Line ends and control characters.
        Line("NOOP \u{0}", 500), Line("NOOP \u{1b}[2J", 500), Line("NO\rOP", 500),
    ]

    @Test(arguments: lines) func `answers each command with its code`(_ line: Line) {
        var dialogue = Dialogue()
        for before in line.before { dialogue.say(before) }
        #expect(dialogue.say(line.line) == [line.code])
    }

    @Test func `wants EHLO first and no parameters after HELO`() {
        var dialogue = Dialogue(hello: false)
        #expect(dialogue.say(Self.mail) == [503])
        #expect(dialogue.say("HELO me", "MAIL FROM:<a@example.org> SIZE=1", Self.mail) == [250, 555, 250])
    }

    @Test func `a line without CR is refused and the next one is heard`() {
        var dialogue = Dialogue()
        let actions = dialogue.send(Array("NOOP\nNOOP\r\n".utf8))
        #expect(
            actions == [
                .reply(SMTPReply(500, "5.5.2", "A line ends with CR LF and holds no control characters")),
                .reply(SMTPReply(250, "2.0.0", "Ok")),
            ]
        )
    }

    @Test func `answers pipelined commands in order`() {
        var dialogue = Dialogue()
        let codes = dialogue.say(
            Self.mail,
            Self.recipient,
            "RCPT TO:<bad",
            "DATA",
            "Hi",
            ".",
            Self.mail,
            "QUIT",
            "NOOP"
        )
        #expect(codes == [250, 250, 501, 354, 250, 250, 221])
        #expect(!dialogue.session.isReading)
    }

    @Test func `an SMTP session gives the same answers however the bytes are cut`() {
        let bytes = Array(
            "EHLO me\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<b@example.org>\r\nDATA\r\n..x\r\n.\ry\r\n\r\n.\r\nQUIT\r\n"
                .utf8
        )
        var whole = Dialogue(hello: false)
        whole.send(bytes)
        for size in 1..<bytes.count {
            var cut = Dialogue(hello: false)
            for start in stride(from: 0, to: bytes.count, by: size) {
                cut.send(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(cut.actions == whole.actions)
        }
        #expect(whole.messages.first?.raw == Array(".x\r\n\ry\r\n\r\n".utf8))
    }

    @Test func `a command line may have 1024 octets and no more`() {
        var dialogue = Dialogue()
        #expect(dialogue.say("NOOP " + String(repeating: "x", count: 1024 - 2 - 5)) == [250])
        #expect(dialogue.say("NOOP " + String(repeating: "x", count: 1024 - 2 - 4)) == [500])
        #expect(dialogue.say(String(repeating: "x", count: 1 << 20), "NOOP") == [500, 250])
        #expect(dialogue.say("AUTH PLAIN " + String(repeating: "x", count: 20_000), "NOOP") == [500, 250])
    }

    @Test func `an SMTP session accepts as many recipients as allowed and answers 452 to the rest`() {
        var dialogue = Dialogue()
        dialogue.say(Self.mail)
        for number in 1...100 { #expect(dialogue.say("RCPT TO:<r\(number)@example.org>") == [250]) }
        #expect(dialogue.say("RCPT TO:<one-more@example.org>") == [452])
        #expect(dialogue.say("DATA", ".") == [354, 250])
        #expect(dialogue.messages.first?.recipients.count == 100)
    }

    @Test func `an SMTP session ends after too many commands or too many errors`() {
        var dialogue = Dialogue(.with { $0.maximumCommands = 3 })
        #expect(dialogue.say("NOOP", "NOOP", "NOOP", "NOOP") == [250, 250, 421])
        #expect(dialogue.actions.last == .close)
        dialogue = Dialogue(.with { $0.maximumErrors = 2 })
        #expect(dialogue.say("FROB", "FROB", "NOOP") == [500, 500, 421])
        #expect(!dialogue.session.isReading)
    }

    @Test func `a transaction ends with its message`() {
        var dialogue = Dialogue()
        #expect(
            dialogue.say(Self.mail, Self.recipient, "DATA", "x", ".", Self.recipient, "DATA") == [
                250, 250, 354, 250, 503, 503,
            ]
        )
    }
}
