import JSON
import Testing

@Suite("JSON writer")
struct WriterTests {
    func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `members and elements are separated and nested`() {
        let text = text { json in
            json.beginObject()
            json.member("s", "x")
            json.member("i", 7)
            json.member("l", Int64.min)
            json.member("b", true)
            json.member("v", ["a": [1, nil]] as JSONValue)
            json.memberNull("n")
            json.member("r", rawJSON: Array("[0.5]".utf8))
            json.beginObject("o")
            json.endObject()
            json.beginArray("a")
            json.element("x")
            json.element(2)
            json.element(false)
            json.elementNull()
            json.beginArray()
            json.endArray()
            json.beginObject()
            json.member("k", 0)
            json.endObject()
            json.element(rawJSON: "3".utf8)
            json.endArray()
            json.member("z", "end")
            json.endObject()
        }
        #expect(
            text
                == #"{"s":"x","i":7,"l":-9223372036854775808,"b":true,"v":{"a":[1,null]},"n":null,"r":[0.5],"o":{},"#
                + #""a":["x",2,false,null,[],{"k":0},3],"z":"end"}"#
        )
    }

    @Test func `a member that is nil is left out`() {
        let text = text { json in
            json.beginObject()
            json.member("a", String?.none)
            json.member("b", Int64?.none)
            json.member("c", Bool?.none)
            json.member("d", JSONValue?.none)
            json.member("e", String?.some("x"))
            json.member("f", Int64?.some(1))
            json.member("g", Bool?.some(false))
            json.member("h", JSONValue?.some(nil))
            json.endObject()
        }
        #expect(text == #"{"e":"x","f":1,"g":false,"h":null}"#)
    }

    @Test(arguments: [
        ("", #""""#), ("plain", #""plain""#), ("a\"b\\c/d", #""a\"b\\c/d""#), ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
        ("\0\u{1}\u{B}\u{F}\u{10}\u{1F}", #""\u0000\u0001\u000b\u000f\u0010\u001f""#), ("\u{7F}é€𝄞", "\"\u{7F}é€𝄞\""),
        ("é\"", "\"é\\\"\""),
    ])
    func `strings are escaped only where they must be`(_ string: String, _ expected: String) {
        #expect(text { $0.element(string) } == expected)
        #expect(text { $0.element(.string(string)) } == expected)
        #expect(
            text {
                $0.beginObject()
                $0.member(string, string)
                $0.endObject()
            } == "{\(expected):\(expected)}"
        )
    }

    @Test(arguments: [0, 1, -1, 9, 10, 99, 1234567890123, Int64.max, Int64.min])
    func `integers are written in full`(_ value: Int64) {
        #expect(text { $0.element(value) } == String(value))
    }

    @Test func `order of members and literals of numbers survive`() throws {
        let source = #"{"z":1.0,"a":-0,"m":[1e3,10000000000000000000000,0.10]}"#
        #expect(try JSONValue.parse(source).serialized() == Array(source.utf8))
    }

    @Test
    func `a character that needs an escape is found at each place of a string`() throws {
        // Strings are searched in words of eight bytes.
        for length in 1...40 {
            for place in 0..<length {
                for special: Character in ["\"", "\\", "\u{0}", "\u{1f}", " ", "\u{7f}", "é"] {
                    let text =
                        String(repeating: "a", count: place) + String(special)
                        + String(repeating: "b", count: length - place - 1)
                    var json = JSONWriter()
                    json.element(text)
                    #expect(try JSONValue.parse(json.bytes) == .string(text))
                    let isEscaped = json.bytes.contains(UInt8(ascii: "\\"))
                    #expect(isEscaped == (special == "\"" || special == "\\" || special < " "))
                }
                let quoted = Array("\"\(String(repeating: "a", count: place))\n".utf8)
                #expect(Self.error(quoted) == "controlCharacter at \(place + 1)")
                #expect(Self.error(quoted.dropLast()) == "unexpectedEnd at \(place + 1)")
            }
        }
    }

    private static func error(_ text: some Sequence<UInt8>) -> String? {
        do {
            _ = try JSONValue.parse(Array(text))
            return nil
        } catch {
            return "\(error.kind) at \(error.offset)"
        }
    }
}
