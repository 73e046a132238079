import Network
import Testing

@Suite("Messages of DNS") struct DNSMessageTests {
    /// An answer with a pointer to the question's name, and one TXT record of two strings.
    private static let answer: [UInt8] =
        [0x12, 0x34, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]
        + [1] + Array("a".utf8) + [2] + Array("bc".utf8) + [0, 0, 16, 0, 1]
        + [0xC0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, 6]
        + [2] + Array("x=".utf8) + [2] + Array("yz".utf8)

    @Test func `a question has the name, the type and room for long answers`() throws {
        let question = try #require(DNSMessage.question("A.bc", type: 16, id: 0x1234))
        #expect(
            question == [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1] + [1] + Array("A".utf8) + [2] + Array("bc".utf8)
                + [0, 0, 16, 0, 1] + [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]
        )
        #expect(DNSMessage.isAnswer(Self.answer, to: question))
        var other = Self.answer
        other[1] = 0x35
        #expect(!DNSMessage.isAnswer(other, to: question))
        #expect(!DNSMessage.isAnswer(question, to: question), "a question is no answer")
    }

    @Test(arguments: ["", ".", "a..b", "a.", "a b", String(repeating: "a", count: 64), "ü.example"])
    func `a name that is not one of DNS is not asked for`(name: String) {
        #expect(DNSMessage.question(name, type: 16, id: 0) == nil)
    }

    @Test func `the strings of a record are joined`() throws {
        #expect(try DNSMessage.records(in: Self.answer, type: 16).map(\.text) == ["x=yz"])
        #expect(try DNSMessage.records(in: Self.answer, type: 1).isEmpty)
    }

    @Test func `an answer that is cut anywhere or has other bytes is read or refused, and never crashes`() {
        for length in 0..<Self.answer.count {
            #expect(throws: DNSResolver.Failure.self) {
                try DNSMessage.records(in: Array(Self.answer.prefix(length)), type: 16)
            }
        }
        for position in Self.answer.indices {
            for byte in [0, 1, 0x3F, 0x40, 0x80, 0xC0, 0xFF] as [UInt8] {
                var changed = Self.answer
                changed[position] = byte
                _ = try? DNSMessage.records(in: changed, type: 16).map(\.text)
            }
        }
    }

    @Test(arguments: [(3, nil), (2, 2), (5, 5)] as [(UInt8, Int?)])
    func `a code of failure is reported, except that there is no such name`(code: UInt8, reported: Int?) throws {
        var changed = Self.answer
        changed[3] = 0x80 | code
        guard let reported else { return #expect(try DNSMessage.records(in: changed, type: 16).isEmpty) }
        #expect(throws: DNSResolver.Failure.refused(reported)) { try DNSMessage.records(in: changed, type: 16) }
    }

    @Test func `servers are read with and without a port`() {
        #expect(DNSResolver.Server("192.0.2.1") == DNSResolver.Server(IPAddress("192.0.2.1") ?? .loopback, port: 53))
        #expect(DNSResolver.Server("192.0.2.1:5353")?.port == 5353)
        #expect(DNSResolver.Server("[2001:db8::1]:5353")?.port == 5353)
        #expect(DNSResolver.Server("2001:db8::1")?.port == 53)
        for text in ["", "dns.example", "192.0.2.1:0", "192.0.2.1:x", "192.0.2.1:99999"] {
            #expect(DNSResolver.Server(text) == nil, "\(text)")
        }
    }
}
