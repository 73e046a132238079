import JSON
import Testing

@Suite("JSON that is refused")
struct RefusedTextTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let kind: JSONError.Kind
        let offset: Int
        var testDescription: String { "\(String(decoding: bytes, as: UTF8.self).debugDescription): \(kind)" }

        init(_ text: String, _ kind: JSONError.Kind, _ offset: Int) {
            self.init(Array(text.utf8), kind, offset)
        }

        init(_ bytes: [UInt8], _ kind: JSONError.Kind, _ offset: Int) {
            self.bytes = bytes
            self.kind = kind
            self.offset = offset
        }
    }

    static let grammar: [Case] = [
        Case("", .unexpectedEnd, 0), Case(" ", .unexpectedEnd, 1), Case("[", .unexpectedEnd, 1),
        Case("{", .unexpectedEnd, 1),
        Case("[1", .unexpectedEnd, 2), Case("[1,", .unexpectedEnd, 3), Case("{\"a\"", .unexpectedEnd, 4),
        Case("{\"a\":", .unexpectedEnd, 5), Case("{\"a\":1", .unexpectedEnd, 6), Case("{\"a\":1,", .unexpectedEnd, 7),
        Case("[1 true]", .unexpectedByte, 3), Case("[,1]", .unexpectedByte, 1), Case("[1,]", .unexpectedByte, 3),
        Case("[1,,2]", .unexpectedByte, 3), Case("[\"\",]", .unexpectedByte, 4), Case("[,]", .unexpectedByte, 1),
        Case("[1:2]", .unexpectedByte, 2), Case("[}", .unexpectedByte, 1), Case("[1}", .unexpectedByte, 2),
        Case("{]", .unexpectedByte, 1), Case("{\"a\":1]", .unexpectedByte, 6), Case("{,}", .unexpectedByte, 1),
        Case("{\"a\":1,}", .unexpectedByte, 7), Case("{\"a\":1,,\"b\":2}", .unexpectedByte, 7),
        Case("{a:1}", .unexpectedByte, 1),
        Case("{'a':1}", .unexpectedByte, 1), Case("{1:1}", .unexpectedByte, 1), Case("{null:null}", .unexpectedByte, 1),
        Case("{\"a\" 1}", .unexpectedByte, 5), Case("{\"a\"::1}", .unexpectedByte, 5),
        Case("{\"a\",1}", .unexpectedByte, 4),
        Case("{\"a\":}", .unexpectedByte, 5), Case("{[1]:2}", .unexpectedByte, 1), Case("['a']", .unexpectedByte, 1),
        Case("nul", .unexpectedEnd, 3), Case("nulL", .unexpectedByte, 3), Case("tru", .unexpectedEnd, 3),
        Case("True", .unexpectedByte, 0), Case("fals0", .unexpectedByte, 4), Case("undefined", .unexpectedByte, 0),
        Case("truex", .trailingBytes, 4), Case("1]", .trailingBytes, 1), Case("{}}", .trailingBytes, 2),
        Case("[] []", .trailingBytes, 3), Case("\"\"x", .trailingBytes, 2), Case("{}#", .trailingBytes, 2),
        Case("[1]\0", .trailingBytes, 3), Case("{\"a\":1}/**/", .trailingBytes, 7), Case("1 // one", .trailingBytes, 2),
        Case("/**/1", .unexpectedByte, 0), Case("[1]\u{A0}", .trailingBytes, 3), Case("[\u{C}]", .unexpectedByte, 1),
        Case("[\u{B}1]", .unexpectedByte, 1), Case("\u{2060}1", .unexpectedByte, 0),
        Case("\u{FEFF}{}", .unexpectedByte, 0),
        Case("<a>", .unexpectedByte, 0), Case("*", .unexpectedByte, 0), Case("\\u0061", .unexpectedByte, 0),
    ]

    static let numbers: [Case] = [
        Case("-", .invalidNumber, 0), Case("+1", .unexpectedByte, 0), Case(".5", .unexpectedByte, 0),
        Case("1.", .invalidNumber, 0), Case("[-.5]", .invalidNumber, 1), Case("[1.e1]", .invalidNumber, 1),
        Case("1e", .invalidNumber, 0), Case("1e+", .invalidNumber, 0), Case("1E-", .invalidNumber, 0),
        Case("[0e]", .invalidNumber, 1), Case("01", .trailingBytes, 1), Case("[-01]", .unexpectedByte, 3),
        Case("00", .trailingBytes, 1), Case("[1.5.6]", .unexpectedByte, 4), Case("0x1F", .trailingBytes, 1),
        Case("1_000", .trailingBytes, 1), Case("--1", .invalidNumber, 0), Case("[1-2]", .unexpectedByte, 2),
        Case("[1e1.5]", .unexpectedByte, 4), Case("[1 2]", .unexpectedByte, 3), Case("NaN", .unexpectedByte, 0),
        Case("Infinity", .unexpectedByte, 0), Case("-Infinity", .invalidNumber, 0), Case("1a", .trailingBytes, 1),
        Case("١", .unexpectedByte, 0), Case("-１", .invalidNumber, 0),
    ]

    static let strings: [Case] = [
        Case("\"", .unexpectedEnd, 1), Case("\"abc", .unexpectedEnd, 4), Case("\"\\", .unexpectedEnd, 2),
        Case("\"\\\"", .unexpectedEnd, 3), Case("\"\\n", .unexpectedEnd, 3), Case("\"\\u00", .unexpectedEnd, 5),
        Case("[\"a\nb\"]", .controlCharacter, 3), Case("\"\t\"", .controlCharacter, 1),
        Case("\"\0\"", .controlCharacter, 1),
        Case("\"\\n\u{1F}\"", .controlCharacter, 3), Case("{\"\u{1}\":1}", .controlCharacter, 2),
        Case("\"\\x00\"", .invalidEscape, 1), Case("\"\\a\"", .invalidEscape, 1), Case("\"\\'\"", .invalidEscape, 1),
        Case("\"\\\0\"", .invalidEscape, 1), Case("\"\\U0041\"", .invalidEscape, 1),
        Case("\"\\u00A\"", .invalidEscape, 1),
        Case("\"\\u00G0\"", .invalidEscape, 1), Case("\"\\u+123\"", .invalidEscape, 1),
        Case("\"\\u 123\"", .invalidEscape, 1),
        Case("\"\\🌀\"", .invalidEscape, 1), Case("\"\\é\"", .invalidEscape, 1),
        Case("\"\\uD800\"", .loneSurrogate, 1), Case("\"\\uDC00\"", .loneSurrogate, 1),
        Case("\"\\uD800a\"", .loneSurrogate, 1),
        Case("\"\\uD800\\n\"", .loneSurrogate, 1), Case("\"\\uD800\\uD800\"", .loneSurrogate, 1),
        Case("\"\\uD800\\u0041\"", .loneSurrogate, 1), Case("\"\\uDC00\\uD800\"", .loneSurrogate, 1),
        Case("\"x\\uD800\\u\"", .invalidEscape, 8), Case("\"\\uD8\"", .invalidEscape, 1),
        Case("\"\\uD800\\u1x\"", .invalidEscape, 7), Case("\"\\uD834\\uDd", .unexpectedEnd, 11),
    ]

    static let encoding: [Case] = [
        Case([0x22, 0xFF, 0x22], .invalidUTF8, 1), Case([0x22, 0x61, 0xE9, 0x22], .invalidUTF8, 2),
        Case([0x22, 0xC0, 0xAF, 0x22], .invalidUTF8, 1), Case([0x22, 0xE0, 0x80, 0x80, 0x22], .invalidUTF8, 1),
        Case([0x22, 0xED, 0xA0, 0x80, 0x22], .invalidUTF8, 1),
        Case([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], .invalidUTF8, 1),
        Case([0x22, 0xF0, 0x9F, 0x98, 0x22], .invalidUTF8, 1), Case([0x22, 0x80, 0x22], .invalidUTF8, 1),
        Case([0x22, 0xC3, 0x5C, 0x6E, 0xA9, 0x22], .invalidUTF8, 1),
        Case([0x22, 0x5C, 0x6E, 0xA9, 0x22], .invalidUTF8, 3),
        Case([0x7B, 0x22, 0xE9, 0x22, 0x3A, 0x31, 0x7D], .invalidUTF8, 2),
        Case([0xFF, 0xFE, 0x31, 0x00], .unexpectedByte, 0),
        Case([0x31, 0x80], .trailingBytes, 1), Case([0x5B, 0xFF, 0x5D], .unexpectedByte, 1),
        Case([0x22, 0x5C, 0xE5, 0x22], .invalidEscape, 1), Case([0x22, 0x5C, 0x75, 0xE5, 0x22], .invalidEscape, 1),
    ]

    static let duplicates: [Case] = [
        Case("{\"a\":1,\"a\":1}", .duplicateName, 7), Case("{\"a\":1,\"\\u0061\":2}", .duplicateName, 7),
        Case("{\"\":1,\"\":2}", .duplicateName, 6), Case("[{\"x\":{\"a\":1,\"b\":1,\"a\":2}}]", .duplicateName, 19),
        Case("{\"a\":{\"b\":1},\"b\":1,\"a\":1}", .duplicateName, 19),
        Case("{\"é\":1,\"\\u00e9\":1}", .duplicateName, 8),
        Case("{\"a\\u0000\":1,\"a\\u0000\":1}", .duplicateName, 13),
    ]

    @Test(arguments: grammar + numbers + strings + encoding + duplicates)
    func `says what is wrong and where`(_ item: Case) {
        #expect(throws: JSONError.self) { try JSONValue.parse(item.bytes) }
        do {
            _ = try JSONValue.parse(item.bytes)
        } catch {
            #expect(error.kind == item.kind)
            #expect(error.offset == item.offset)
        }
    }

    @Test func `every beginning of a text is refused without its end`() throws {
        let text = Array(#"{"a":[1,-2.5e+3,"é\n\ud83d\ude39"],"b":{"c":null,"d":true}}"#.utf8)
        _ = try JSONValue.parse(text)
        for count in 0..<text.count {
            #expect(throws: JSONError.self) { try JSONValue.parse(Array(text[..<count])) }
        }
    }

    @Test func `the message holds nothing of the text`() {
        do {
            _ = try JSONValue.parse("{\"secret\":secret}")
            Issue.record("accepted")
        } catch {
            #expect("\(error)" == "unexpected byte at byte 10")
        }
    }
}
