import JSON
import Testing

@Suite("JSON values")
struct ValueTests {
    @Test(
        arguments: [
            ("1", 1), ("-1", -1), ("0", 0), ("-0", 0), ("9223372036854775807", Int64.max),
            ("-9223372036854775808", Int64.min), ("9223372036854775808", nil), ("1.0", nil), ("1e3", nil), ("1.5", nil),
        ] as [(String, Int64?)]
    )
    func `an integer is one only as written and in range`(_ text: String, _ value: Int64?) throws {
        #expect(try JSONValue.parse(text).int64 == value)
    }

    @Test(
        arguments: [("1.5", 1.5), ("1e3", 1000), ("-0", 0), ("1e400", nil), ("1e-400", 0), ("123", 123)]
            as [(String, Double?)]
    )
    func `a double is finite or absent`(_ text: String, _ value: Double?) throws {
        #expect(try JSONValue.parse(text).double == value)
    }

    @Test func `each question is answered for its own kind only`() throws {
        let value = try JSONValue.parse(#"{"s":"x","i":1,"b":true,"a":[1],"o":{"p":2},"n":null,"t":"1"}"#)
        let object = try #require(value.object)
        #expect(object["s"]?.string == "x")
        #expect(object["i"]?.int64 == 1)
        #expect(object["b"]?.bool == true)
        #expect(object["a"]?.array == [1])
        #expect(object["o"]?["p"]?.int64 == 2)
        #expect(object["n"]?.isNull == true)
        #expect(object["missing"] == nil)
        #expect(object["t"]?.int64 == nil)
        #expect(object["i"]?.string == nil)
        #expect(object["i"]?.bool == nil)
        #expect(object["b"]?.int64 == nil)
        #expect(object["s"]?.array == nil)
        #expect(object["s"]?.object == nil)
        #expect(object["s"]?["x"] == nil)
        #expect(object["s"]?.isNull == false)
    }

    @Test func `members keep their order through change`() {
        var object = JSONObject()
        object.append("a", 1)
        object["b"] = 2
        object["c"] = 3
        object["a"] = "one"
        object["b"] = nil
        object["missing"] = nil
        #expect(JSONValue.object(object).serialized() == Array(#"{"a":"one","c":3}"#.utf8))
        #expect(object.count == 2)
        #expect(JSONObject().isEmpty)
    }

    @Test(arguments: [
        ("\"a\"", false), ("\"\\u0000\"", true), ("[[\"a\\u0000b\"]]", true), ("{\"a\\u0000\":1}", true),
        ("{\"a\":{\"b\":[1,\"\\u0000\"]}}", true), ("{\"a\":[null,true,1]}", false),
    ])
    func `U+0000 is found in names and strings at any depth`(_ text: String, _ expected: Bool) throws {
        #expect(try JSONValue.parse(text).containsNUL == expected)
    }

    @Test func `equality is that of the written text`() throws {
        #expect(JSONValue.string("\u{E9}") != "e\u{301}")
        #expect(try JSONValue.parse("1") != JSONValue.parse("1.0"))
        #expect(try JSONValue.parse("{\"a\":1,\"b\":2}") != JSONValue.parse("{\"b\":2,\"a\":1}"))
        #expect(JSONValue.null != false)
        #expect(JSONValue.string("1") != 1)
    }

    @Test(arguments: ["1", "-0.5e+7", "100"])
    func `a number can be made from its text`(_ text: String) {
        #expect(JSONNumber(literal: text)?.literal == text)
    }

    @Test(arguments: ["", " 1", "1 ", "01", "+1", "NaN", "true", "\"1\"", "1,", "0x1", "[1]"])
    func `a number cannot be made from anything else`(_ text: String) {
        #expect(JSONNumber(literal: text) == nil)
    }
}
