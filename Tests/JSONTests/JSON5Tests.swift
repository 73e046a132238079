import JSON
import Testing

@Suite("JSON5") struct JSON5Tests {
    private static func parse(_ text: String) throws(JSON5Error) -> JSON5Value {
        try JSON5Value.parse(Array(text.utf8))
    }

    @Test(
        arguments: [
            ("null", .null), ("true", .bool(true)), (" // c\n false /* d */ ", .bool(false)),
            ("\u{FEFF}[\u{A0}1,\u{2028}2,]", .array([.number(1), .number(2)])), ("[]", .array([])),
            ("0", .number(0)), ("-0.5e-1", .number(-0.05)), (".5", .number(0.5)), ("5.", .number(5)),
            ("+1E2", .number(100)), ("0xfF", .number(255)), ("-0x10", .number(-16)), ("Infinity", .number(.infinity)),
            ("-Infinity", .number(-.infinity)),
            (#"'it"s'"#, .string(#"it"s"#)), (#""it's""#, .string("it's")),
            (#"'a\'b\"c\\d\/e'"#, .string(#"a'b"c\d/e"#)),
            (#"'\b\f\n\r\t\v\0'"#, .string("\u{8}\u{C}\n\r\t\u{B}\0")), (#"'\x41\u00e9\ud83d\ude00'"#, .string("Aé😀")),
            ("'one\\\ntwo\\\r\nthree'", .string("onetwothree")), (#"'\q'"#, .string("q")),
        ] as [(String, JSON5Value)]
    )
    func `what the specification allows is read`(text: String, expected: JSON5Value) throws {
        #expect(try Self.parse(text) == expected)
    }

    @Test func `a member knows its line, and its name may be an identifier`() throws {
        let text = "{\n  a: 1, // one\n\n  'b c': { $d_1: [2] },\n  größe: \"x\", \\u0065: null,\n}"
        let expected =
            [
                ("a", 2, .number(1)), ("b c", 4, .object([try member("$d_1", 4, .array([.number(2)]))])),
                ("größe", 5, .string("x")), ("e", 5, .null),
            ] as [(String, Int, JSON5Value)]
        guard case .object(let members) = try Self.parse(text) else { throw Mismatch() }
        #expect(members.map(\.name) == expected.map(\.0))
        #expect(members.map(\.line) == expected.map(\.1))
        #expect(members.map(\.value) == expected.map(\.2))
    }

    private struct Mismatch: Error {}

    /// Makes the member that the parser makes of a text whose lines before it are empty.
    private func member(_ name: String, _ line: Int, _ value: JSON5Value) throws -> JSON5Member {
        let text = String(repeating: "\n", count: line - 1) + "{ \(name): [2] }"
        guard case .object(let members) = try Self.parse(text), let member = members.first, member.value == value else {
            throw Mismatch()
        }
        return member
    }

    @Test(
        arguments: [
            ("", 1, 1, "empty"), ("{ a: 1,\n  b: [1,,2] }", 2, 9, "a value is missing before ','"),
            ("{ a: 1\n b: 2 }", 2, 2, "',' or '}' is missing before 'b'"),
            ("{ a: 'x\n }", 1, 6, "does not end in its line"),
            ("{ a: tru }", 1, 6, "'tru' is not a value"), ("{a:1}}", 1, 6, "the end of the text is missing before '}'"),
            ("{ a: 1,\n a: 2 }", 2, 2, "'a' stands here again; it was given in line 1"),
            ("{ a: 0x }", 1, 6, "'0x' is not a number"),
            ("{ // c\n a: /* x", 2, 5, "this comment does not end"), ("[01]", 1, 2, "'01' is not a number"),
            ("[1.2.3]", 1, 2, "is not a number"), ("[.]", 1, 2, "is not a number"), ("[1e]", 1, 2, "is not a number"),
            ("[-]", 1, 2, "is not a number"), (#"'\x4'"#, 1, 2, "2 hexadecimal digits"),
            (#"'\ud800'"#, 1, 2, "surrogate"),
            (#"'\1'"#, 1, 2, "a digit cannot be escaped"),
            ("{ 1a: 1 }", 1, 3, "the name of a member or '}' is missing"),
            ("{ a 1 }", 1, 5, "':' after 'a' is missing"), ("[1 /x]", 1, 4, "a comment"), ("'", 1, 1, "does not end"),
            ("[", 1, 2, "the text ends"), ("{a", 1, 3, "the text ends"), ("[NaNa]", 1, 2, "is not a number"),
        ] as [(String, Int, Int, String)]
    )
    func `anything else is refused with line, column and reason`(text: String, line: Int, column: Int, reason: String) {
        let error = #expect(throws: JSON5Error.self) { try Self.parse(text) }
        #expect(error?.line == line)
        #expect(error?.column == column)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `not a number is a number`() throws {
        guard case .number(let number) = try Self.parse("NaN") else { throw Mismatch() }
        #expect(number.isNaN)
    }

    @Test func `nesting has a limit`() throws {
        let deepest = JSON5Value.deepestNesting
        _ = try Self.parse(String(repeating: "[", count: deepest) + String(repeating: "]", count: deepest))
        let error = #expect(throws: JSON5Error.self) { try Self.parse(String(repeating: "[", count: 100_000)) }
        #expect(error?.column == deepest + 1)
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: JSON5Error.self) { try JSON5Value.parse([0x22, 0xFF, 0x22]) }
    }

    @Test func `no random text makes it fail otherwise`() {
        let pieces = [
            "{", "}", "[", "]", "a", ":", ",", "'", "\"", "\\", "u", "1", ".", "-", "/", "*", "\n", " ", "0x", "é",
        ]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            let count = Int.random(in: 0..<40, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            do throws(JSON5Error) { _ = try Self.parse(text) } catch {
                #expect(error.line >= 1 && error.column >= 1)
            }
        }
    }
}
