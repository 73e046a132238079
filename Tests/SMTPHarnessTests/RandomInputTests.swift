import SMTPHarness
import Testing

@Suite("Random input") struct RandomInputTests {
    static let words: [[UInt8]] = [
        "EHLO x\r\n", "HELO x\r\n", "MAIL FROM:<a@example.org>", "MAIL FROM:<", " SIZE=", " BODY=8BITMIME", " SMTPUTF8",
        "RCPT TO:<b@example.org>\r\n", "RCPT TO:<\"", "DATA\r\n", ".\r\n", "\r\n.\r\n", "..", "RSET\r\n", "NOOP\r\n",
        "QUIT\r\n", "STARTTLS\r\n", "AUTH PLAIN ", "AUTH LOGIN\r\n", "YXBw\r\n", "AGFwcABzM2NyZXQ=\r\n", "*\r\n",
        "\r\n",
        "\r", "\n", "\0", ":", "<", ">", "@", "ü", "\u{1b}", "99999999999999999999", "VRFY x\r\n", "BDAT 3\r\nabc",
    ].map { Array($0.utf8) }

    static let good = Array(
        "EHLO x\r\nMAIL FROM:<a@example.org> SIZE=9\r\nRCPT TO:<b@example.org>\r\nDATA\r\n..x\r\nSubject: y\r\n.\r\n"
            .utf8
    )

    /// Makes a valid dialogue with a few errors, or words in any order.
    static func input(_ random: inout Seeded) -> [UInt8] {
        var bytes: [UInt8] = []
        guard Bool.random(using: &random) else {
            bytes = good
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = .random(in: 0...255, using: &random)
                case 1: bytes.insert(.random(in: 0...255, using: &random), at: index)
                case 2: bytes.remove(at: index)
                default: bytes.insert(contentsOf: words.randomElement(using: &random) ?? [], at: index)
                }
            }
            return bytes
        }
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            switch Int.random(in: 0..<40, using: &random) {
            case 0: bytes += [UInt8](repeating: .random(in: 0...255, using: &random), count: 1500)
            case 1..<5: for _ in 0..<20 { bytes.append(.random(in: 0...255, using: &random)) }
            default: bytes += words.randomElement(using: &random) ?? []
            }
        }
        return bytes
    }

    /// Whether a reply has a line end after each line and nowhere else, and three digits that agree.
    static func isWellFormed(_ reply: SMTPReply) -> Bool {
        let text = String(decoding: reply.bytes, as: UTF8.self)
        guard text.hasSuffix("\r\n") else { return false }
        let lines = text.utf8.split(separator: 10, omittingEmptySubsequences: false).dropLast().map {
            Array($0.dropLast())
        }
        let code = Array(String(reply.code).utf8)
        return !lines.isEmpty
            && lines.enumerated().allSatisfy { index, line in
                line.count <= 510 && line.count >= 4 && Array(line.prefix(3)) == code
                    && line[3] == (index == lines.count - 1 ? 0x20 : 0x2d)
                    && line.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
            }
    }

    @Test func `a hundred thousand inputs never crash the session, and every reply is well-formed`() {
        var random = Seeded(20_261_120)
        let policy = SMTPPolicy.with {
            $0.offersStartTLS = true
            $0.users = ["app": "s3cret"]
            $0.maximumMessageSize = 4096
            $0.maximumErrors = 1000
        }
        let plans: [FaultPlan] = [
            .none, .none, .none, .transient(first: 1), .permanent(at: .messageEnd, first: 1),
            .dropping(at: .noop, first: 1),
            .droppingMidData(after: 3, first: 1), .hanging(at: .quit), .droppingAfterData(kept: true, first: 1),
            FaultPlan([.init(at: .sender, .reply(SMTPReply(7, "x\r\ny", "\r\n250 forged\u{0}")))]),
        ]
        var dialogue = Dialogue(policy)
        var badReplies: [SMTPReply] = []
        var (inputs, delivered, tooBig) = (0, 0, 0)
        while inputs < 100_000 {
            inputs += 1
            if !dialogue.session.isReading || Int.random(in: 0..<20, using: &random) == 0 {
                delivered += dialogue.messages.count
                dialogue = Dialogue(policy, faults: plans.randomElement(using: &random) ?? .none)
            }
            for action in dialogue.send(Self.input(&random)) {
                switch action {
                case .reply(let reply): if !Self.isWellFormed(reply) { badReplies.append(reply) }
                case .deliver(let message): if message.raw.count > 4096 { tooBig += 1 }
                case .startTLS: dialogue.session.tlsStarted(version: "TLSv1.3")
                case .close, .drop, .hang: break
                }
            }
        }
        #expect(badReplies == [])
        #expect(tooBig == 0)
        // The inputs reached the later states of the session.
        #expect(delivered > 1000)
    }

    @Test func `a text for a fault cannot forge a second reply`() {
        let reply = SMTPReply(250, nil, lines: ["one\r\n550 two", "", String(repeating: "ü", count: 400)])
        #expect(Self.isWellFormed(reply))
        #expect(reply.bytes.filter { $0 == 10 }.count == 3)
        #expect(SMTPReply(12, nil, "x").code == 554)
    }
}
