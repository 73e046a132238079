import SMTPHarness
import Testing

@Suite("AUTH") struct AuthenticationTests {
    static let policy = SMTPPolicy.with {
        $0.users = ["app": "s3cret", "ü": "pässwort"]
        $0.requiresAuthentication = true
    }
    // "\0app\0s3cret", "app", "s3cret", "wrong".
    static let plain = "AGFwcABzM2NyZXQ="
    static let name = "YXBw"
    static let password = "czNjcmV0"
    static let wrong = "d3Jvbmc="

    @Test(arguments: [
        ["AUTH PLAIN \(plain)"], ["auth plain \(plain)"], ["AUTH PLAIN", plain], ["AUTH LOGIN", name, password],
        ["AUTH LOGIN \(name)", password], ["AUTH PLAIN AMO8AHDDpHNzd29ydA=="], ["AUTH PLAIN YXBwAGFwcABzM2NyZXQ="],
    ])
    func `accepts the right credentials in every form`(_ lines: [String]) {
        var dialogue = Dialogue(Self.policy)
        for line in lines.dropLast() { #expect(dialogue.say(line) == [334]) }
        #expect(dialogue.say(lines.last ?? "") == [235])
        #expect(["app", "ü"].contains(dialogue.session.facts.authenticatedUser))
        #expect(dialogue.say("MAIL FROM:<a@example.org>") == [250])
    }

    @Test(arguments: [
        (["AUTH PLAIN AGFwcAB3cm9uZw=="], 535), (["AUTH PLAIN ===="], 501), (["AUTH PLAIN ="], 501),
        (["AUTH PLAIN \(name)"], 501), (["AUTH PLAIN not base64"], 501), (["AUTH PLAIN", "*"], 501),
        (["AUTH PLAIN", "%%%%"], 501), (["AUTH LOGIN", name, wrong], 535), (["AUTH LOGIN", name, "*"], 501),
        (["AUTH LOGIN", wrong, password], 535), (["AUTH CRAM-MD5"], 504), (["AUTH"], 501), (["AUTH PLAIN ABC"], 501),
        (["AUTH PLAIN eABhcHAAczNjcmV0"], 535),
    ])
    func `refuses everything else and lets the client go on`(_ lines: [String], code: Int) {
        var dialogue = Dialogue(Self.policy)
        for line in lines.dropLast() { #expect(dialogue.say(line) == [334]) }
        #expect(dialogue.say(lines.last ?? "") == [code])
        #expect(dialogue.session.facts.authenticatedUser == nil)
        #expect(dialogue.say("MAIL FROM:<a@example.org>") == [530])
        #expect(dialogue.say("AUTH PLAIN \(Self.plain)") == [235])
    }

    @Test func `challenges with base64 as its mechanism asks`() {
        var dialogue = Dialogue(Self.policy)
        dialogue.say("AUTH PLAIN")
        #expect(dialogue.lastReply?.bytes == Array("334 \r\n".utf8))
        dialogue.say("*", "AUTH LOGIN")
        #expect(dialogue.lastReply?.bytes == Array("334 VXNlcm5hbWU6\r\n".utf8))
        dialogue.say(Self.name)
        #expect(dialogue.lastReply?.bytes == Array("334 UGFzc3dvcmQ6\r\n".utf8))
    }

    @Test func `comes once, after EHLO and outside a transaction`() {
        var dialogue = Dialogue(.with { $0.users = ["app": "s3cret"] }, hello: false)
        #expect(dialogue.say("AUTH PLAIN \(Self.plain)", "HELO me", "AUTH PLAIN \(Self.plain)") == [503, 250, 503])
        #expect(dialogue.say("EHLO me", "MAIL FROM:<a@example.org>", "AUTH PLAIN \(Self.plain)") == [250, 250, 503])
        #expect(dialogue.say("RSET", "AUTH PLAIN \(Self.plain)", "AUTH PLAIN \(Self.plain)") == [250, 235, 503])
    }

    @Test func `authentication is refused before TLS when it must be`() {
        let policy = SMTPPolicy.with {
            $0.users = ["app": "s3cret"]
            $0.authenticationRequiresTLS = true
            $0.offersStartTLS = true
        }
        var dialogue = Dialogue(policy)
        #expect(dialogue.say("AUTH PLAIN \(Self.plain)") == [538])
        #expect(dialogue.session.facts.authenticatedUser == nil)
        #expect(dialogue.say("STARTTLS") == [220])
        dialogue.session.tlsStarted(version: "TLSv1.3")
        #expect(dialogue.say("EHLO me", "AUTH PLAIN \(Self.plain)") == [250, 235])
    }
}
