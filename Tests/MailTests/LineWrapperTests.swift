import Mail
import Testing

@Suite("Lines of plain text")
struct LineWrapperTests {
    private static let names: Set<String> = ["link", "device", "email", "appName", "minutes"]

    private static func wrap(_ source: String, _ values: [String: String] = [:]) throws -> [String] {
        let template = try Template(source, file: "f", format: .wrappedText, placeholders: names)
        return try template.renderText(values).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test
    func `a line has at most 72 columns and breaks at a space`() throws {
        let words = Array(repeating: "word", count: 40).joined(separator: " ")
        let lines = try Self.wrap(words)
        // 14 words of 4 columns and 13 spaces are 69 columns; another word would not fit.
        #expect(lines.map(\.count) == [69, 69, 59])
        #expect(lines.joined(separator: " ") == words)
        let exact = String(repeating: "a", count: 36) + " " + String(repeating: "b", count: 35)
        #expect(try Self.wrap(exact) == [exact])
        #expect(try Self.wrap(exact + "b").count == 2)
    }

    @Test
    func `several spaces vanish at a break, and lines of the template stay`() throws {
        let long = String(repeating: "a", count: 70)
        #expect(try Self.wrap("\(long)   tail\n\nnext") == [long, "tail", "", "next"])
        #expect(try Self.wrap("  \(long)xx tail") == ["  \(long)xx", "tail"])
    }

    @Test
    func `lines that were broken at the start are those that would be broken later`() throws {
        let words = Array(repeating: "wörd 例例", count: 20).joined(separator: " ")
        let source = "\(words)\n\n{{email}} \(words)\n\(words)\n\(words) {{email}}\n{{email}}{{email}}\n\(words)"
        let template = try Template(source, file: "f", format: .wrappedText, placeholders: Self.names)
        let filled = try template.filling { _ in nil }
        let text = try template.renderText(["email": "ann@example.com"])
        #expect(try filled.renderText(["email": "ann@example.com"]) == text)
        #expect(text.split(separator: "\n").count > 10)
    }

    @Test
    func `what has no place to break stays whole`() throws {
        let long = String(repeating: "a", count: 100)
        #expect(try Self.wrap("x \(long) y") == ["x", long, "y"])
        let spaced = Array(repeating: "a", count: 80).joined(separator: "\u{A0}")
        #expect(try Self.wrap(spaced) == [spaced])
    }

    @Test
    func `a value is not broken, not even at its spaces`() throws {
        let link = "https://example.org/" + String(repeating: "x", count: 90)
        #expect(try Self.wrap("Open {{link}} now", ["link": link]) == ["Open", link, "now"])
        let address = "\"" + Array(repeating: "a", count: 40).joined(separator: " ") + "\"@example.org"
        #expect(try Self.wrap("{{email}} x", ["email": address]) == [address, "x"])
        let japanese = String(repeating: "例", count: 40) + "@example.org"
        #expect(try Self.wrap("{{email}}", ["email": japanese]) == [japanese])
    }

    @Test
    func `a line never starts with a device's name, which clients choose`() throws {
        let device = String(repeating: "x", count: 60) + " Open http://evil.example now"
        #expect(try Self.wrap("Device: {{device}}", ["device": device]) == ["Device: \(device)"])
        #expect(
            try Self.wrap("It was asked for by {{device}} today", ["device": device])
                == ["It was asked for", "by \(device)", "today"]
        )
        #expect(
            try Self.wrap("端末：{{device}}", ["device": String(repeating: "例", count: 60)]).count == 1
        )
    }

    @Test
    func `the app's name breaks as text does`() throws {
        let name = Array(repeating: "word", count: 20).joined(separator: " ")
        #expect(try Self.wrap("{{appName}}", ["appName": name]).map(\.count) == [69, 29])
    }

    @Test
    func `wide characters count two columns and may break anywhere between`() throws {
        let lines = try Self.wrap(String(repeating: "あ", count: 80))
        #expect(lines.map(\.count) == [36, 36, 8])
        let mixed = try Self.wrap("abc" + String(repeating: "漢", count: 40))
        #expect(mixed.map(\.count) == [37, 6])
        let hangul = try Self.wrap(String(repeating: "한", count: 40))
        #expect(hangul.map(\.count) == [36, 4])
    }

    @Test(arguments: Array("。、」）』！？：ーょッ.,)”"))
    func `no line starts with a closing mark`(_ mark: Character) throws {
        // The mark would be the 37th wide character, so the character before it goes down with it.
        let lines = try Self.wrap(String(repeating: "あ", count: 36) + String(mark) + String(repeating: "い", count: 4))
        #expect(lines.count == 2)
        #expect(lines.last == "あ\(mark)いいいい")
    }

    @Test(arguments: Array("「（『(“"))
    func `no line ends with an opening mark`(_ mark: Character) throws {
        let lines = try Self.wrap(String(repeating: "あ", count: 35) + String(mark) + String(repeating: "い", count: 4))
        #expect(lines == [String(repeating: "あ", count: 35), "\(mark)いいいい"])
    }

    @Test
    func `a number stays with what it counts`() throws {
        let text = String(repeating: "あ", count: 35) + "{{minutes}}分です"
        #expect(try Self.wrap(text, ["minutes": "15"]) == [String(repeating: "あ", count: 35), "15分です"])
    }

    @Test
    func `combining marks and joiners take no column and stay with their character`() throws {
        let accented = String(repeating: "e\u{301}", count: 72)
        #expect(try Self.wrap(accented + " x") == [accented, "x"])
        let pointed = String(repeating: "\u{5D0}\u{5B8}", count: 72)
        #expect(try Self.wrap(pointed + " x") == [pointed, "x"])
        let voiced = try Self.wrap(String(repeating: "か\u{3099}", count: 40))
        #expect(voiced.map(\.count) == [36, 4])
    }
}
