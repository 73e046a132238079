import JSON
import Testing

@Suite("JSON merge patch")
struct MergePatchTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let target: String
        let patch: String
        let result: String
        var testDescription: String { "\(target) + \(patch)" }

        init(_ target: String, _ patch: String, _ result: String) {
            (self.target, self.patch, self.result) = (target, patch, result)
        }
    }

    private static func merged(_ target: String, _ patch: String) throws -> String {
        let result = try JSONValue.parse(target).merging(patch: JSONValue.parse(patch))
        return String(decoding: result.serialized(), as: UTF8.self)
    }

    static let appendixA = [
        Case(#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        Case(#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        Case(#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        Case(#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        Case(#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        Case(#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        Case(#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        Case(#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        Case(#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        Case(#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        Case(#"{"a":"foo"}"#, "null", "null"),
        Case(#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        Case(#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        Case("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        Case("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]

    @Test(arguments: appendixA)
    func `every line of RFC 7396's appendix A holds`(_ example: Case) throws {
        #expect(try Self.merged(example.target, example.patch) == example.result)
    }

    static let order = [
        Case(#"{"z":1,"a":2,"m":3}"#, #"{"m":4,"b":5,"z":6,"A":7}"#, #"{"z":6,"a":2,"m":4,"b":5,"A":7}"#),
        Case(#"{"z":{"y":1,"x":2}}"#, #"{"z":{"x":3,"w":4}}"#, #"{"z":{"y":1,"x":3,"w":4}}"#),
        Case(#"{"a":1,"b":2}"#, #"{"a":null,"b":null,"c":null}"#, "{}"),
        // Numbers and null in arrays stay as they were written.
        Case(
            #"{"n":1.10,"big":12345678901234567890123}"#,
            #"{"e":1e400}"#,
            #"{"n":1.10,"big":12345678901234567890123,"e":1e400}"#
        ),
        Case("{}", #"{"a":[null,{"b":null}]}"#, #"{"a":[null,{"b":null}]}"#),
        // One text in two normal forms is two names.
        Case("{\"\u{e9}\":1}", "{\"e\u{301}\":2}", "{\"\u{e9}\":1,\"e\u{301}\":2}"),
    ]

    @Test(arguments: order)
    func `what stays keeps its place, and what is new follows in the patch's order`(_ example: Case) throws {
        #expect(try Self.merged(example.target, example.patch) == example.result)
    }

    @Test(arguments: [11, 12, 13, 40])
    func `few members and many are found alike`(count: Int) throws {
        let target = (0..<count).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
        let patch = (0..<count).reversed().map { $0 % 3 == 0 ? #""k\#($0)":null"# : #""k\#($0)":"new""# }
        let added = (0..<count).map { #""n\#($0)":1"# }
        let kept = (0..<count).filter { $0 % 3 != 0 }.map { #""k\#($0)":"new""# }
        let result = try Self.merged("{\(target)}", "{\((patch + added).joined(separator: ","))}")
        #expect(result == "{\((kept + added).joined(separator: ","))}")
    }

    @Test func `many members take linear time`() throws {
        let names = (0..<60_000).map { #""\#($0)":0"# }.joined(separator: ",")
        let other = (30_000..<90_000).map { #""\#($0)":1"# }.joined(separator: ",")
        let clock = ContinuousClock()
        let (target, patch) = (try JSONValue.parse("{\(names)}"), try JSONValue.parse("{\(other)}"))
        let time = clock.measure { #expect(target.merging(patch: patch).object?.count == 90_000) }
        // Comparing each with each would take billions of comparisons, which is minutes.
        #expect(time < .seconds(10))
    }
}
