import Foundation
import Mail
import Testing

@Suite("Header fields")
struct HeaderFieldTests {
    @Test(arguments: [
        "Hello", "Sign in to Notes · 2026-11-20 20:31 UTC", "ログインのご案内：とても長い名前のアプリケーション · 2026-11-20 20:31 UTC",
        "Bestätige deine neue E-Mail-Adresse für Größenwahn & Söhne · 2026-11-20 20:31 UTC",
        "=?UTF-8?Q?not_ours?=", String(repeating: "👩‍👩‍👧‍👦", count: 40), String(repeating: "a", count: 300),
        String(repeating: "word ", count: 60) + "end", String(repeating: "é", count: 400),
        "e\u{301}" + String(repeating: "\u{301}", count: 300),
        "a ? b = c _ d", "tab-free \"quotes\" <angle>",
    ])
    func `a subject of any length and script reads the same after encoding, within the columns`(_ subject: String)
        throws
    {
        let field = HeaderField.unstructured("Subject", try HeaderText(subject))
        #expect(ReceivedMail.fields(field).first?.value == subject)
        try Self.checkLines(field)
    }

    @Test(arguments: [
        ("Notes", "From: Notes <app@example.org>"),
        ("My Notes", "From: My Notes <app@example.org>"),
        ("Notes, Inc.", "From: \"Notes, Inc.\" <app@example.org>"),
        ("a \"b\" \\c", "From: \"a \\\"b\\\" \\\\c\" <app@example.org>"),
        ("Größe", "From: =?UTF-8?B?R3LDtsOfZQ==?= <app@example.org>"),
        ("Café Fabrique de Paris", "From: =?UTF-8?Q?Caf=C3=A9_Fabrique_de_Paris?= <app@example.org>"),
        ("ノート", "From: =?UTF-8?B?44OO44O844OI?= <app@example.org>"),
        ("", "From: <app@example.org>"),
    ])
    func `a display name is an atom, a quoted string or encoded words`(_ name: String, _ expected: String) throws {
        #expect(HeaderField.mailbox("From", displayName: try HeaderText(name), address: "app@example.org") == expected)
    }

    @Test
    func `a long display name and a long address are folded`() throws {
        let name = try HeaderText(String(repeating: "ながい名前", count: 20))
        let address = String(repeating: "a", count: 60) + "@" + String(repeating: "b", count: 60) + ".example.org"
        let field = HeaderField.mailbox("From", displayName: name, address: address)
        #expect(ReceivedMail.fields(field).first?.value == "\(name.text) <\(address)>")
        #expect(field.components(separatedBy: "\r\n").dropLast().allSatisfy { $0.utf8.count <= 78 })
    }

    @Test(arguments: ["a\r\nBcc: b@c.d", "a\nb", "a\u{0}", "a\u{2028}b", "a\u{202E}b"])
    func `text with control characters is refused, or made spaces where asked`(_ text: String) {
        #expect(throws: HeaderText.Refused.self) { try HeaderText(text) }
        let cleaned = HeaderText(cleaning: text).text
        #expect(throws: Never.self) { try HeaderText(cleaned) }
        #expect(!HeaderField.unstructured("Subject", HeaderText(cleaning: text)).contains("\n"))
    }

    /// RFC 2047 section 2: words of at most 75, lines with one of at most 76; RFC 5322: lines of at most 78.
    private static func checkLines(_ field: String) throws {
        for line in field.components(separatedBy: "\r\n") {
            #expect(line.utf8.count <= (line.contains("=?") ? 76 : 78))
            for word in line.components(separatedBy: " ") where word.hasPrefix("=?UTF-8?") {
                #expect(word.utf8.count <= 75)
                #expect(ReceivedMail.decodedWord(word) != nil, "an encoded word of whole characters")
            }
        }
    }
}
