import Accounts
import Testing

@Suite("Lengths of e-mail addresses")
struct EmailAddressLengthTests {
    /// Makes a domain of this many bytes, at least two.
    static func domain(_ count: Int) -> String {
        // Labels of one letter each; the first has two if the count requires it.
        (count.isMultiple(of: 2) ? "d" : "") + Array(repeating: "d", count: (count + 1) / 2).joined(separator: ".")
    }

    @Test(arguments: [
        (64, 10, true), (65, 10, false), (1, 252, true), (1, 253, false), (1, 254, false), (64, 189, true),
        (64, 190, false),
    ])
    func `limits of the parts and of the whole`(_ local: Int, _ domain: Int, _ accepted: Bool) throws {
        let text = "\(String(repeating: "l", count: local))@\(Self.domain(domain))"
        try #require(text.utf8.count == local + 1 + domain)
        if accepted {
            #expect(try EmailAddress(parsing: text).canonical == text)
        } else {
            #expect(throws: EmailAddress.Invalid.tooLong) { try EmailAddress(parsing: text) }
        }
    }

    @Test(arguments: [(63, true), (64, false)])
    func `a label has 63 bytes at most`(_ count: Int, _ accepted: Bool) {
        let text = "a@\(String(repeating: "d", count: count)).com"
        #expect((try? EmailAddress(parsing: text)) != nil ? accepted : !accepted)
    }

    @Test(arguments: [(32, true), (33, false)])
    func `the local part is measured in bytes`(_ count: Int, _ accepted: Bool) {
        let text = "\(String(repeating: "é", count: count))@b.com"
        #expect((try? EmailAddress(parsing: text)) != nil ? accepted : !accepted)
    }

    @Test func `the local part is measured in its canonical form`() throws {
        // 96 bytes decomposed, 64 composed.
        let text = "\(String(repeating: "e\u{301}", count: 32))@b.com"
        #expect(try EmailAddress(parsing: text).localPart == String(repeating: "é", count: 32))
    }

    @Test func `the domain is measured in its canonical form`() throws {
        let label = String(repeating: "ü", count: 40)
        #expect(throws: EmailAddress.Invalid.self) {
            try EmailAddress(parsing: "a@\(Array(repeating: label, count: 8).joined(separator: ".")).com")
        }
    }

    @Test func `over-long input is refused at once`() {
        let spaces = String(repeating: " ", count: EmailAddress.longestInput)
        let marks = "a" + String(repeating: "\u{301}\u{323}", count: 1_000_000) + "@b.com"
        #expect(throws: EmailAddress.Invalid.tooLong) { try EmailAddress(parsing: spaces + "a@b.com") }
        let time = ContinuousClock().measure {
            for _ in 0..<1000 { #expect((try? EmailAddress(parsing: marks)) == nil) }
        }
        #expect(time < .seconds(2))
    }
}
