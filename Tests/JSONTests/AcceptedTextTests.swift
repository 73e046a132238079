import JSON
import Testing

@Suite("JSON that is accepted")
struct AcceptedTextTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let value: JSONValue
        var testDescription: String { text }

        init(_ text: String, _ value: JSONValue) {
            self.text = text
            self.value = value
        }
    }

    static func number(_ literal: String) -> JSONValue {
        JSONNumber(literal: literal).map(JSONValue.number) ?? .null
    }

    static let cases: [Case] = [
        Case("null", nil), Case("true", true), Case("false", false), Case(" true ", true), Case("\t\r\n 1\n", 1),
        Case("[]", []), Case("{}", [:]), Case("[ ]", []), Case("{ \n }", [:]), Case("[[]]", [[]]), Case("\"\"", ""),
        Case("[[] ]", [[]]), Case("[1 , 2]", [1, 2]), Case("[\"\"]", [""]), Case("[null]", [nil]),
        Case("[null, 1, \"1\", {}]", [nil, 1, "1", [:]]), Case("{\"a\":[]}", ["a": []]), Case("{\"\":0}", ["": 0]),
        Case("{\"a\" : 1 , \"b\":{\"a\":2}}", ["a": 1, "b": ["a": 2]]),
        Case("[{\"a\":1},{\"a\":1}]", [["a": 1], ["a": 1]]),
        Case("0", 0), Case("-0", number("-0")), Case("-1", -1), Case("[20e1]", [number("20e1")]),
        Case("1E22", number("1E22")), Case("1E-2", number("1E-2")), Case("1E+2", number("1E+2")),
        Case("123.456e78", number("123.456e78")), Case("-0.0", number("-0.0")), Case("1e9999", number("1e9999")),
        Case("0e1", number("0e1")), Case("0.1", number("0.1")), Case("-0e-0", number("-0e-0")),
        Case("123123e100000", number("123123e100000")), Case("9223372036854775808", number("9223372036854775808")),
        Case(#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), Case(#""\u0060\u012a\u12AB""#, "\u{60}\u{12A}\u{12AB}"),
        Case(#""\uD801\udc37""#, "\u{10437}"), Case(#""\ud83d\ude39\ud83d\udc8d""#, "\u{1F639}\u{1F48D}"),
        Case(#""\uDBFF\uDFFF""#, "\u{10FFFF}"), Case(#""\uD800\uDC00""#, "\u{10000}"),
        Case(#""\uFFFE\uFFFF""#, "\u{FFFE}\u{FFFF}"),
        Case(#""\u0000""#, "\0"), Case(#""a\u0000b""#, "a\0b"), Case(#""\\u0000""#, "\\u0000"), Case(#""\\n""#, "\\n"),
        Case(#""\u0022\u005C\u002F""#, "\"\\/"), Case("\"\u{7F}\"", "\u{7F}"), Case("\"π\"", "π"), Case("\"€𝄞\"", "€𝄞"),
        Case("\"\u{2028}\u{2029}\"", "\u{2028}\u{2029}"), Case("\"\u{FEFF}\"", "\u{FEFF}"),
        Case("\"\u{FFFF}\"", "\u{FFFF}"),
        Case("\"asd \"", "asd "), Case("\" \"", " "),
        Case(#""é\né\té""#, "é\né\té"), Case("\"/*a*/\"", "/*a*/"), Case("\"\u{200B}\"", "\u{200B}"),
        Case(#"{"\u0061":1,"b":2}"#, ["a": 1, "b": 2]), Case("{\"a\":1,\"A\":2}", ["a": 1, "A": 2]),
        // They look like one character, but are two names in JSON.
        Case("{\"\u{E9}\":1,\"e\u{301}\":2}", .object(twoNames)),
    ]

    static var twoNames: JSONObject {
        var object = JSONObject()
        object.append("\u{E9}", 1)
        object.append("e\u{301}", 2)
        return object
    }

    @Test(arguments: cases)
    func `accepted text is read as the value it says`(_ item: Case) throws {
        #expect(try JSONValue.parse(item.text) == item.value)
    }

    @Test(arguments: cases)
    func `accepted text is the same after writing and reading`(_ item: Case) throws {
        let value = try JSONValue.parse(item.text)
        #expect(try JSONValue.parse(value.serialized()) == value)
    }

    @Test func `borrowed bytes are read like an array`() throws {
        let bytes = Array("xx{\"a\":1}".utf8)
        #expect(try JSONValue.parse(bytes.span.extracting(2..<bytes.count)) == ["a": 1])
    }
}
