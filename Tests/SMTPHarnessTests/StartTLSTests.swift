import SMTPHarness
import Testing

@Suite("STARTTLS") struct StartTLSTests {
    static let policy = SMTPPolicy.with {
        $0.offersStartTLS = true
        $0.users = ["app": "s3cret"]
    }

    @Test func `throws away what was pipelined behind it`() {
        // CVE-2011-0411: a command injected in clear text must not be executed in the encrypted session.
        var dialogue = Dialogue(Self.policy)
        let actions = dialogue.send(
            Array("STARTTLS\r\nMAIL FROM:<evil@example.org>\r\nRCPT TO:<b@example.org>\r\n".utf8)
        )
        #expect(actions == [.reply(SMTPReply(220, "2.0.0", "Ready to start TLS")), .startTLS])
        #expect(dialogue.send(Array("RSET\r\nNOOP".utf8)) == [])
        dialogue.session.tlsStarted(version: "TLSv1.3")
        #expect(dialogue.session.facts.discardedOctets == 65)
        #expect(dialogue.say("RCPT TO:<b@example.org>") == [503])
        #expect(dialogue.say("EHLO me", "RCPT TO:<b@example.org>") == [250, 503])
    }

    @Test func `forgets everything said before`() {
        var dialogue = Dialogue(Self.policy)
        #expect(
            dialogue.say("AUTH PLAIN AGFwcABzM2NyZXQ=", "MAIL FROM:<a@example.org>", "STARTTLS") == [235, 250, 220]
        )
        dialogue.session.tlsStarted(version: "TLSv1.2")
        #expect(dialogue.session.facts.authenticatedUser == nil)
        #expect(dialogue.session.facts.clientName.isEmpty)
        #expect(dialogue.session.facts.tlsVersion == "TLSv1.2")
        #expect(dialogue.say("MAIL FROM:<a@example.org>") == [503])
        #expect(dialogue.say("EHLO me", "STARTTLS") == [250, 503])
    }

    @Test func `STARTTLS is refused with a parameter or when it is not offered`() {
        var dialogue = Dialogue(Self.policy)
        #expect(dialogue.say("STARTTLS now") == [501])
        dialogue = Dialogue(Self.policy, faults: .withoutStartTLS)
        #expect(dialogue.lastReply?.lines.contains("STARTTLS") == false)
        #expect(dialogue.say("STARTTLS") == [502])
    }

    @Test func `comes before everything else when TLS is required`() {
        var dialogue = Dialogue(
            .with {
                $0.offersStartTLS = true
                $0.requiresTLS = true
            }
        )
        let codes = dialogue.say("MAIL FROM:<a@example.org>", "VRFY x", "DATA", "RSET", "NOOP", "EHLO x", "STARTTLS")
        #expect(codes == [530, 530, 530, 530, 250, 250, 220])
    }

    @Test func `tlsStarted means nothing without a STARTTLS command`() {
        var dialogue = Dialogue(Self.policy)
        dialogue.say("MAIL FROM:<a@example.org>")
        dialogue.session.tlsStarted(version: "TLSv1.3")
        #expect(dialogue.session.facts.tlsVersion == nil)
        #expect(dialogue.say("RCPT TO:<b@example.org>") == [250])
    }
}
