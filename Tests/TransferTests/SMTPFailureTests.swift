import Testing
import Transfer

@Suite("Failures of SMTP")
struct SMTPFailureTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let step: SMTPStep
        let line: String?
        let kind: SMTPFailure.Kind
        var isOurFault = false
        var isBodySent = false
        var testDescription: String { "\(step) \(line ?? "silence")\(isBodySent ? " after the end" : "")" }
    }

    @Test(arguments: [
        // Refusals of the recipient or the message.
        Case(step: .recipient, line: "550 5.1.1 no such user", kind: .permanent),
        Case(step: .recipient, line: "554 5.7.1 rejected by policy", kind: .permanent),
        Case(step: .data, line: "554 no valid recipients", kind: .permanent),
        Case(step: .message, line: "550 5.7.1 spam", kind: .permanent, isBodySent: true),
        Case(step: .message, line: "552 5.3.4 too big", kind: .permanent, isBodySent: true),
        Case(step: .sender, line: "552 5.3.4 too big", kind: .permanent),
        // Temporary refusals.
        Case(step: .recipient, line: "450 4.2.0 greylisted", kind: .transient),
        Case(step: .recipient, line: "421 4.3.2 closing", kind: .transient),
        Case(step: .message, line: "451 4.3.0 later", kind: .transient, isBodySent: true),
        Case(step: .sender, line: "452 4.3.1 full", kind: .transient),
        Case(step: .recipient, line: nil, kind: .transient),
        Case(step: .message, line: nil, kind: .transient),
        // Failures of the server, regardless of the e-mail.
        Case(step: .connect, line: nil, kind: .unavailable),
        Case(step: .greeting, line: "421 4.3.2 too busy", kind: .unavailable),
        Case(step: .hello, line: nil, kind: .unavailable),
        Case(step: .authentication, line: "454 4.7.0 temporary", kind: .unavailable),
        // Errors in Latchkey's configuration.
        Case(step: .greeting, line: "554 go away", kind: .misconfigured),
        Case(step: .authentication, line: "535 5.7.8 wrong", kind: .misconfigured),
        Case(step: .hello, line: nil, kind: .misconfigured, isOurFault: true),
        Case(step: .startTLS, line: nil, kind: .misconfigured, isOurFault: true),
        Case(step: .sender, line: "530 5.7.0 authenticate first", kind: .misconfigured),
        Case(step: .sender, line: "553 5.7.1 not your address", kind: .misconfigured),
        Case(step: .recipient, line: "530 Must issue a STARTTLS command first", kind: .misconfigured),
        Case(step: .recipient, line: "554 5.7.1 <a@b>: Relay access denied", kind: .misconfigured),
        Case(step: .recipient, line: "550 5.7.54 Unable to relay", kind: .misconfigured),
        Case(step: .recipient, line: "550 5.7.1 <relay@example.com>: Relay access denied", kind: .misconfigured),
        Case(
            step: .recipient,
            line: "550 5.7.1 Relaying denied. Proper authentication required.",
            kind: .misconfigured
        ),
        Case(step: .recipient, line: "550 relay not permitted", kind: .misconfigured),
        Case(step: .recipient, line: "554 we don't relay for you", kind: .misconfigured),
        Case(step: .recipient, line: "550 5.7.1 'a@b.c' (relaying not allowed)", kind: .misconfigured),
        // The sender's address belongs to Latchkey.
        Case(step: .recipient, line: "450 4.1.8 <us@example.com>: domain not found", kind: .transient),
        Case(step: .recipient, line: "550 5.1.8 <us@example.com>: Sender address rejected", kind: .misconfigured),
        Case(step: .recipient, line: "553 5.1.7 <us@example.com>: unverified address", kind: .misconfigured),
        // The sender's domain does not prove its e-mails.
        Case(step: .recipient, line: "550 5.7.26 unauthenticated mail", kind: .misconfigured),
        Case(step: .message, line: "550 5.7.515 Access denied, sending domain", kind: .misconfigured, isBodySent: true),
        Case(step: .message, line: "550 5.7.509 Access denied, DMARC", kind: .misconfigured, isBodySent: true),
        Case(step: .message, line: "550 5.7.20 no passing DKIM signature", kind: .misconfigured, isBodySent: true),
        Case(step: .recipient, line: "550 5.7.27 null MX", kind: .misconfigured),
        Case(step: .message, line: "450 4.7.26 later", kind: .transient, isBodySent: true),
        Case(step: .message, line: "550 5.7.28 mail flood", kind: .permanent, isBodySent: true),
        Case(step: .message, line: "550 5.7.19 unknown", kind: .permanent, isBodySent: true),
        // The word is part of an address that the server repeats.
        Case(step: .recipient, line: "550 <relay@example.com>: user unknown", kind: .permanent),
        Case(step: .recipient, line: "550 5.1.1 <relay@example.com>: user unknown", kind: .permanent),
        Case(step: .recipient, line: "550 5.1.1 relay: user unknown", kind: .permanent),
        Case(step: .recipient, line: "550 5.2.1 <ann@relay.example.com> is disabled", kind: .permanent),
        Case(step: .recipient, line: "550 relay@example.com... User unknown", kind: .permanent),
        Case(step: .recipient, line: "550 relay... User unknown", kind: .permanent),
        Case(step: .recipient, line: "550 no mailbox ann@relay.example.com here", kind: .permanent),
        Case(step: .recipient, line: "550 unknown user relay", kind: .permanent),
        Case(step: .recipient, line: "550 5.7.1 'relay' is no user of relay.example.com", kind: .permanent),
        Case(step: .recipient, line: #"550 5.7.1 "relay" is no user here"#, kind: .permanent),
        Case(step: .recipient, line: #"550 "relay me"@example.com is no user here"#, kind: .permanent),
        Case(step: .recipient, line: "550 [relay] has no such user", kind: .permanent),
        Case(step: .recipient, line: "550 5.7.1 spam from mail-relay.example.net", kind: .permanent),
        Case(step: .recipient, line: "550 <relay: not closed", kind: .permanent),
        // Unknown outcomes.
        Case(step: .message, line: nil, kind: .ambiguous, isBodySent: true),
    ])
    func `the step and the reply of a failure decide who is at fault`(_ expected: Case) throws {
        let reply = try expected.line.map { try #require(SMTPReply(line: $0.utf8)) }
        let kind = SMTPFailure.kind(
            step: expected.step,
            reply: reply,
            isOurFault: expected.isOurFault,
            isBodySent: expected.isBodySent
        )
        #expect(kind == expected.kind)
    }

    @Test(arguments: [
        (SMTPStep.recipient, "550 5.1.1 no such user", true), (.recipient, "550 5.1.10 null MX", true),
        (.recipient, "550 5.1.0 rejected", true), (.recipient, "550 no such user", false),
        (.recipient, "550 5.7.1 policy", false), (.recipient, "450 4.1.1 unverified", false),
        (.recipient, "550 5.1.8 sender rejected", false), (.recipient, "550 5.11.1 strange", false),
        (.message, "550 5.1.1 no such user", false), (.data, "550 5.1.1 no such user", false),
        (.sender, "550 5.1.1 no such user", false),
    ])
    func `only a RCPT reply with 5 1 x says that there is no such mailbox`(
        step: SMTPStep,
        line: String,
        saysSo: Bool
    ) throws {
        let reply = try #require(SMTPReply(line: line.utf8))
        #expect(SMTPFailure(step: step, reply: reply).saysNoSuchMailbox == saysSo)
    }

    @Test
    func `a reply is code, enhanced code and printable text`() throws {
        let reply = try #require(SMTPReply(line: "550 5.1.1 <a@b.c>: gone\r\n".utf8))
        #expect(reply.code == 550)
        #expect(reply.enhanced == "5.1.1")
        #expect(reply.text == "5.1.1 <a@b.c>: gone")
        #expect(SMTPReply(line: "250".utf8)?.text == "")
        #expect(SMTPReply(line: "550 192.168.1.1 is bad".utf8)?.enhanced == nil)
        #expect(SMTPReply(line: "no reply".utf8) == nil)
        #expect(SMTPReply(line: "55".utf8) == nil)
    }

    @Test(arguments: [
        ("<gone@example.com>: Recipient address rejected", "[address]: Recipient address rejected"),
        ("gone... User unknown", "[address]... User unknown"),
        ("See https://example.net/?u=gone%40example.com for more", "See [address] for more"),
        ("no Gone here", "no [address] here"), ("agone is not gone-away", "agone is not [address]"),
        ("forwarded to other@example.net, refused", "forwarded to [address], refused"),
        ("2.0.0 Ok: queued as 4F5A", "2.0.0 Ok: queued as 4F5A"), ("", ""),
    ])
    func `a traced text has no address and no name of the recipient`(text: String, traced: String) {
        #expect(SMTPReply.withoutAddresses(text, of: "gone@example.com") == traced)
    }

    @Test func `a name without its tag is a name of the recipient, too`() {
        let traced = SMTPReply.withoutAddresses(
            "mary has no mailbox; ann+news neither",
            of: "mary.ann+news@example.com"
        )
        #expect(traced == "[address] has no mailbox; [address] neither")
    }
}
