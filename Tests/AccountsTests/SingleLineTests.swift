import Accounts
import Testing

@Suite("Text of a single line")
struct SingleLineTests {
    @Test(arguments: [
        ("a\r\nBcc: b@c.d", "a Bcc: b@c.d"), ("a\nb", "a b"), ("a\rb", "a b"), ("a\u{0}", "a"), ("\u{1F}a", "a"),
        ("a\u{7F}\u{85}b", "a b"), ("a\u{2028}b\u{2029}c", "a b c"), ("a\u{202E}b", "a b"),
        ("a\u{2066}b\u{2069}", "a b"), ("\n", ""),
    ])
    func `runs of control characters become spaces, and vanish at the ends`(_ text: String, _ line: String) {
        #expect(!SingleLine.accepts(text))
        #expect(SingleLine.of(text) == line)
        #expect(SingleLine.accepts(line))
    }

    @Test(arguments: ["", "a", " a  b ", "ログイン · 👩‍👩‍👧‍👦 · e\u{301}", "a\u{200F}b\u{A0}c"])
    func `other text stays as it is`(_ text: String) {
        #expect(SingleLine.accepts(text))
        #expect(SingleLine.of(text) == text)
    }
}
