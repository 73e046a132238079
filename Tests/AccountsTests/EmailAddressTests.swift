import Accounts
import PostgreSQLHarness
import Testing

@Suite("E-mail addresses", .enabled(if: TestDatabase.isEnginesTurn))
struct EmailAddressTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let canonical: String
        let display: String
        var testDescription: String { text.debugDescription }

        init(_ text: String, _ canonical: String, display: String? = nil) {
            self.text = text
            self.canonical = canonical
            self.display = display ?? canonical
        }
    }

    static let accepted: [Case] = [
        Case("a@b", "a@b"), Case("user@localhost", "user@localhost"), Case("you@example.com", "you@example.com"),
        Case("You@Example.COM", "you@example.com"), Case("a.b.c@d.e.f", "a.b.c@d.e.f"),
        Case("a+tag@example.com", "a+tag@example.com"), Case("!#$%&'*+-/=?^_`{|}~@x.org", "!#$%&'*+-/=?^_`{|}~@x.org"),
        Case("-@example.com", "-@example.com"), Case("1@2.com", "1@2.com"), Case("a@1.2.3.com", "a@1.2.3.com"),
        Case("a@x--y.com", "a@x--y.com"), Case("a@ab--cd.com", "a@ab--cd.com"), Case("a@b-c.com", "a@b-c.com"),
        // White space at the ends.
        Case("  a@b.com  ", "a@b.com"), Case("\t\r\na@b.com\r\n", "a@b.com"), Case("\u{A0}a@b.com\u{3000}", "a@b.com"),
        Case("\u{2003}a@b.com\u{2028}", "a@b.com"), Case("\u{85}a@b.com\u{B}", "a@b.com"),
        // Local parts beyond ASCII: NFC and lower case, nothing else.
        Case("MÜLLER@example.com", "müller@example.com"), Case("Mu\u{308}ller@example.com", "müller@example.com"),
        Case("Straße@example.com", "straße@example.com"), Case("STRASSE@example.com", "strasse@example.com"),
        Case("ΟΔΟΣ@example.com", "οδος@example.com"), Case("οδοσ@example.com", "οδοσ@example.com"),
        Case("İ@example.com", "i\u{307}@example.com"), Case("ı@example.com", "ı@example.com"),
        Case("Ǆ@example.com", "ǆ@example.com"), Case("ǅ@example.com", "ǆ@example.com"),
        Case("\u{212A}@x.org", "k@x.org"),
        Case("\u{212B}@x.org", "å@x.org"), Case("用户@example.com", "用户@example.com"),
        Case("अजय@example.com", "अजय@example.com"),
        Case("אבג@example.com", "אבג@example.com"), Case("квіточка@example.com", "квіточка@example.com"),
        Case("a\u{323}\u{307}@x.org", "ạ\u{307}@x.org"), Case("a\u{307}\u{323}@x.org", "ạ\u{307}@x.org"),
        Case("😀@example.com", "😀@example.com"), Case("ﬁ@example.com", "ﬁ@example.com"),
        Case("\u{10400}@x.org", "\u{10428}@x.org"),
        // Domains: UTS #46 mapping, A-labels of IDNA 2008.
        Case("a@bücher.de", "a@xn--bcher-kva.de", display: "a@bücher.de"),
        Case("a@BÜCHER.de", "a@xn--bcher-kva.de", display: "a@bücher.de"),
        Case("a@bu\u{308}cher.de", "a@xn--bcher-kva.de", display: "a@bücher.de"),
        Case("a@XN--BCHER-KVA.de", "a@xn--bcher-kva.de", display: "a@bücher.de"),
        Case("a@Faß.de", "a@xn--fa-hia.de", display: "a@faß.de"), Case("a@FASS.de", "a@fass.de"),
        Case("a@例え.jp", "a@xn--r8jz45g.jp", display: "a@例え.jp"),
        Case("a@例え。jp", "a@xn--r8jz45g.jp", display: "a@例え.jp"),
        Case("a@ｅｘａｍｐｌｅ．ｃｏｍ", "a@example.com"), Case("a@\u{212A}.com", "a@k.com"), Case("a@ℋ.com", "a@h.com"),
        Case("a@ΣΑΣ.gr", "a@xn--mxa9ab.gr", display: "a@σασ.gr"),
        Case("a@σας.gr", "a@xn--mxa8ab.gr", display: "a@σας.gr"),
        Case("a@אב.com", "a@xn--4dbc.com", display: "a@אב.com"),
        Case("a@пример.рф", "a@xn--e1afmkfd.xn--p1ai", display: "a@пример.рф"),
        Case("a@उदाहरण.भारत", "a@xn--p1b6ci4b4b3a.xn--h2brj9c", display: "a@उदाहरण.भारत"),
        Case("Ü@Ü.de", "ü@xn--tda.de", display: "ü@ü.de"),
        // Letters with a joiner between them exist as A-labels; the joiner is not shown.
        Case("a@xn--mgba3gch31f060k.com", "a@xn--mgba3gch31f060k.com"),
    ]

    struct Refused: Sendable, CustomTestStringConvertible {
        let text: String
        let reason: EmailAddress.Invalid
        var testDescription: String { "\(text.debugDescription): \(reason)" }

        init(_ text: String, _ reason: EmailAddress.Invalid) {
            self.text = text
            self.reason = reason
        }
    }

    static let refused: [Refused] = [
        Refused("", .notOneAt), Refused("   ", .notOneAt), Refused("a", .notOneAt), Refused("a.b.com", .notOneAt),
        Refused("a@b@c.com", .notOneAt), Refused("a@@b.com", .notOneAt), Refused("\"a@b\"@c.com", .notOneAt),
        Refused("a＠b.com", .notOneAt), Refused("<a@b.com>,<c@d.com>", .notOneAt), Refused("@", .localPart),
        // Local parts.
        Refused("@b.com", .localPart), Refused(".a@b.com", .localPart), Refused("a.@b.com", .localPart),
        Refused("a..b@c.com", .localPart), Refused(".@b.com", .localPart), Refused("a b@c.com", .localPart),
        Refused("\"a b\"@c.com", .localPart), Refused("\"a\"@c.com", .localPart), Refused("a\\b@c.com", .localPart),
        Refused("a(b)@c.com", .localPart), Refused("a,b@c.com", .localPart), Refused("a;b@c.com", .localPart),
        Refused("a:b@c.com", .localPart), Refused("a[b]@c.com", .localPart), Refused("Name <a@c.com", .localPart),
        Refused("a>@c.com", .localPart), Refused("mailto:a@c.com", .localPart), Refused("a @c.com", .localPart),
        Refused("a\0@c.com", .localPart), Refused("a\u{7F}@c.com", .localPart), Refused("a\u{1B}[0m@c.com", .localPart),
        Refused("a\r\nBcc: x@c.com", .localPart), Refused("a\nb@c.com", .localPart), Refused("a\tb@c.com", .localPart),
        Refused("a\u{80}b@c.com", .localPart), Refused("a\u{85}b@c.com", .localPart),
        Refused("a\u{9F}b@c.com", .localPart),
        Refused("a\u{A0}b@c.com", .localPart), Refused("a\u{3000}b@c.com", .localPart),
        Refused("a\u{2028}b@c.com", .localPart),
        Refused("a\u{200B}b@c.com", .localPart), Refused("a\u{200D}b@c.com", .localPart),
        Refused("a\u{FEFF}b@c.com", .localPart),
        Refused("\u{FEFF}a@c.com", .localPart), Refused("a\u{AD}b@c.com", .localPart),
        Refused("a\u{202E}b@c.com", .localPart),
        Refused("a\u{2066}b@c.com", .localPart), Refused("a\u{200F}b@c.com", .localPart),
        Refused("a\u{61C}b@c.com", .localPart),
        Refused("a\u{2060}b@c.com", .localPart), Refused("a\u{FE0F}@c.com", .localPart),
        Refused("a\u{34F}b@c.com", .localPart),
        Refused("a\u{3164}b@c.com", .localPart), Refused("a\u{115F}b@c.com", .localPart),
        Refused("a\u{2800}b@c.com", .localPart),
        Refused("a\u{E0041}@c.com", .localPart), Refused("a\u{E000}@c.com", .localPart),
        Refused("a\u{FFFF}@c.com", .localPart),
        Refused("a\u{378}@c.com", .localPart),
        Refused("a\u{10FFFF}@c.com", .localPart),
        // Characters that become, or look like, something else.
        Refused("a\u{37E}b@c.com", .localPart), Refused("a＠b@c.com", .localPart), Refused("a；b@c.com", .localPart),
        Refused("a…b@c.com", .localPart), Refused("a\u{2002}b@c.com", .localPart),
        Refused("a\u{B4}b@c.com", .localPart),
        Refused("\u{301}a@c.com", .localPart), Refused("a.\u{301}b@c.com", .localPart),
        // Domains.
        Refused("a@", .domain), Refused("a@.", .domain), Refused("a@.com", .domain), Refused("a@b.", .domain),
        Refused("a@b..com", .domain), Refused("a@-b.com", .domain), Refused("a@b-.com", .domain),
        Refused("a@b_c.com", .domain),
        Refused("a@b c.com", .domain), Refused("a@b%c.com", .domain), Refused("a@*.com", .domain),
        Refused("a@b/c.com", .domain),
        Refused("a@[127.0.0.1]", .domain), Refused("a@[IPv6:::1]", .domain), Refused("a@127.0.0.1", .domain),
        Refused("a@127.1", .domain), Refused("a@1", .domain), Refused("a@::1", .domain), Refused("a@b:25", .domain),
        Refused("a@b.com>", .domain), Refused("a@b.com,c", .domain), Refused("a@b\0.com", .domain),
        Refused("a@b\r\n.com", .domain),
        Refused("a@b.com\0", .domain), Refused("a@b.com\u{7F}", .domain), Refused("a@b.com\r\nBcc: c", .domain),
        Refused("a@(x)b.com", .domain), Refused("a@b\u{200B}.com", .domain), Refused("a@b\u{AD}ü.com", .domain),
        Refused("a@ü\u{200D}.com", .domain), Refused("a@ü\u{202E}.com", .domain), Refused("a@b\u{2003}c.com", .domain),
        Refused("a@☃.net", .domain), Refused("a@💩.la", .domain), Refused("a@xn--ls8h.la", .domain),
        Refused("a@xn--.com", .domain),
        Refused("a@xn--a.com", .domain), Refused("a@xn--1ch.com", .domain), Refused("a@≠.com", .domain),
        Refused("a@xn--a-ecp.ru", .domain), Refused("a@xn--xn---epa.de", .domain), Refused("a@a℀b.com", .domain),
        Refused("a@ü_x.com", .domain), Refused("a@אa.com", .domain), Refused("a@\u{301}a.com", .domain),
        Refused("a@．com", .domain), Refused("a@\u{378}.com", .domain), Refused("a@\u{E000}.com", .domain),
        Refused("a@١.com", .domain), Refused("a@１２７．０．０．１", .domain), Refused("a@-ü.com", .domain),
    ]

    @Test(arguments: accepted)
    func `an address has one canonical form`(_ item: Case) throws {
        let address = try EmailAddress(parsing: item.text)
        #expect(address.canonical.unicodeScalars.elementsEqual(item.canonical.unicodeScalars))
        #expect(address.displayForm.unicodeScalars.elementsEqual(item.display.unicodeScalars))
        #expect("\(address.localPart)@\(address.domain)" == address.canonical)
    }

    @Test(arguments: accepted)
    func `the canonical and the display form are the same address again`(_ item: Case) throws {
        let address = try EmailAddress(parsing: item.text)
        #expect(try EmailAddress(parsing: address.canonical) == address)
        #expect(try EmailAddress(parsing: address.displayForm) == address)
    }

    @Test(arguments: refused)
    func `what is no address is refused`(_ item: Refused) {
        #expect(throws: item.reason) { try EmailAddress(parsing: item.text) }
    }

    @Test(arguments: [
        ("a@b.com", false), ("a@bücher.de", false), ("ü@b.com", true), ("ü@bücher.de", true), ("\u{212A}@b.com", false),
    ])
    func `SMTPUTF8 is needed for the local part only`(_ text: String, _ expected: Bool) throws {
        let address = try EmailAddress(parsing: text)
        #expect(address.needsSMTPUTF8 == expected)
        #expect(address.asciiForm == (expected ? nil : address.canonical))
    }

    @Test func `an address does not print itself`() throws {
        let address = try EmailAddress(parsing: "secret@example.com")
        for text in ["\(address)", String(reflecting: address), "\([address])", "\(Optional(address) as Any)"] {
            #expect(!text.contains("secret"))
        }
        var dumped = ""
        dump(address, to: &dumped)
        #expect(!dumped.contains("secret"))
    }
}
