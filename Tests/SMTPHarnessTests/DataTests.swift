import SMTPHarness
import Testing

@Suite("The text after DATA") struct DataTests {
    /// Returns the stored text, sent in pieces of a given size.
    private func keep(_ text: [UInt8], piece: Int = .max, _ policy: SMTPPolicy = SMTPPolicy()) -> (
        SMTPSubmission?, SMTPReply?
    ) {
        var dialogue = Dialogue(policy)
        dialogue.say("MAIL FROM:<a@example.org>", "RCPT TO:<b@example.org>", "DATA")
        var rest = text[...]
        while !rest.isEmpty {
            dialogue.send(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
        }
        return (dialogue.messages.first, dialogue.lastReply)
    }

    @Test(arguments: [
        (".\r\n", ""), ("\r\n.\r\n", "\r\n"), ("..\r\n.\r\n", ".\r\n"), ("...\r\n.\r\n", "..\r\n"),
        (".a\r\n.\r\n", "a\r\n"),
        ("a\r\n..\r\n.b\r\n.\r\n", "a\r\n.\r\nb\r\n"), ("a.b\r\n.\r\n", "a.b\r\n"), (". \r\n.\r\n", " \r\n"),
        // None of these is the end: the dot or the line end is not correct.
        ("a\n.\nb\r\n.\r\n", "a\n.\nb\r\n"), ("a\n.\r\nb\r\n.\r\n", "a\n.\r\nb\r\n"),
        ("a\r\n.\nb\r\n.\r\n", "a\r\n\nb\r\n"),
        ("a\r.\r\nb\r\n.\r\n", "a\r.\r\nb\r\n"), ("a\r\n.\rb\r\n.\r\n", "a\r\n\rb\r\n"), ("\r\r\n.\r\n", "\r\r\n"),
        ("a\r\n.\r.\r\n.\r\n", "a\r\n\r.\r\n"), (".\r\r\n.\r\n", "\r\r\n"),
    ])
    func `loses its stuffed dots and nothing else, however it is cut`(_ sent: String, kept: String) {
        for piece in [1, 2, 3, 5, .max] {
            #expect(keep(Array(sent.utf8), piece: piece).0?.raw == Array(kept.utf8))
        }
    }

    @Test func `marks lone CR and LF, and refuses them when told to`() {
        #expect(keep(Array("a\nb\r\n.\r\n".utf8)).0?.hasBareLineEnds == true)
        #expect(keep(Array("a\rb\r\n.\r\n".utf8)).0?.hasBareLineEnds == true)
        #expect(keep(Array("a\r\nb\r\n.\r\n".utf8)).0?.hasBareLineEnds == false)
        let (message, reply) = keep(Array("a\nb\r\n.\r\n".utf8), .with { $0.refusesBareLineEnds = true })
        #expect(message == nil)
        #expect(reply?.code == 554)
    }

    @Test func `a message text may hold every byte`() {
        var text: [UInt8] = []
        for byte in UInt8.min...UInt8.max where byte != 10 && byte != 13 { text += [0x78, byte] }
        #expect(keep(text + Array("\r\n.\r\n".utf8)).0?.raw == text + [13, 10])
    }

    @Test func `a message text may have lines of 998 characters and no longer ones`() {
        let line = [UInt8](repeating: 0x78, count: 998)
        #expect(keep(line + Array("\r\n.\r\n".utf8)).0?.raw.count == 1000)
        for count in [999, 5000, 1 << 20] {
            let (message, reply) = keep([UInt8](repeating: 0x78, count: count) + Array("\r\n.\r\n".utf8), piece: 4096)
            #expect(message == nil)
            #expect(reply?.code == 554)
        }
    }

    @Test func `a message text of exactly the largest size is taken, one octet more is 552`() {
        let policy = SMTPPolicy.with { $0.maximumMessageSize = 100 }
        let text = [UInt8](repeating: 0x78, count: 98) + [13, 10]
        #expect(keep(text + Array(".\r\n".utf8), policy).0?.raw == text)
        let (message, reply) = keep([0x78] + text + Array(".\r\n".utf8), policy)
        #expect(message == nil)
        #expect(reply?.code == 552)
        // A stuffed dot does not count.
        #expect(keep(Array("..".utf8) + text.dropFirst() + Array(".\r\n".utf8), policy).0?.raw.count == 100)
    }

    @Test func `a message text is not read as commands`() {
        var dialogue = Dialogue()
        dialogue.say("MAIL FROM:<a@example.org>", "RCPT TO:<b@example.org>", "DATA")
        #expect(dialogue.say("QUIT", "RSET", "DATA") == [])
        #expect(dialogue.say(".", "NOOP") == [250, 250])
        #expect(dialogue.messages.first?.raw == Array("QUIT\r\nRSET\r\nDATA\r\n".utf8))
    }
}
