import JSON
import Testing

@Suite("JSON at its limits")
struct LimitTests {
    func nested(_ depth: Int, _ open: String, _ close: String) -> String {
        String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }

    @Test(arguments: [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")])
    func `nesting is taken up to the limit and refused beyond`(_ open: String, _ close: String) throws {
        let levels = open.count(where: { "[{".contains($0) })
        _ = try JSONValue.parse(nested(32 / levels, open, close))
        _ = try JSONValue.parse(nested(4 / levels, open, close), maximumDepth: 4)
        #expect(throws: JSONError.self) { try JSONValue.parse(nested(32 / levels + 1, open, close)) }
        #expect(throws: JSONError.self) { try JSONValue.parse(nested(4 / levels + 1, open, close), maximumDepth: 4) }
    }

    @Test func `depth counts what lies in each other and not what lies beside`() throws {
        let value = try JSONValue.parse("[[],[],[[]],{\"a\":[]}]", maximumDepth: 3)
        #expect(value.array?.count == 4)
        #expect(try JSONValue.parse("1", maximumDepth: 0) == 1)
        #expect(throws: JSONError.self) { try JSONValue.parse("[]", maximumDepth: 0) }
        #expect(throws: JSONError.self) { try JSONValue.parse("[]", maximumDepth: -1) }
    }

    @Test func `a hundred thousand brackets are refused early`() {
        do {
            _ = try JSONValue.parse([UInt8](repeating: UInt8(ascii: "["), count: 100_000))
            Issue.record("accepted")
        } catch {
            #expect(error.kind == .tooDeep)
            #expect(error.offset == 32)
        }
    }

    @Test func `no depth that is asked for overflows the stack`() throws {
        let deep = try JSONValue.parse(nested(512, "[", "]"), maximumDepth: .max)
        #expect(try JSONValue.parse(deep.serialized(), maximumDepth: .max) == deep)
        #expect(!deep.containsNUL)
        #expect(throws: JSONError.self) { try JSONValue.parse(nested(513, "[", "]"), maximumDepth: .max) }
    }

    /// Parses generated names and the last one again, and returns the error and the time.
    func duplicate(after count: Int, _ name: (Int) -> String) -> (error: JSONError?, seconds: Double) {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for index in 0..<count {
            text.append(contentsOf: "\"\(name(index))\":0,".utf8)
        }
        text.append(contentsOf: "\"\(name(count - 1))\":0}".utf8)
        var caught: JSONError?
        let time = ContinuousClock().measure {
            do throws(JSONError) { _ = try JSONValue.parse(text) } catch { caught = error }
        }
        return (caught, Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18)
    }

    @Test(arguments: [2, 11, 12, 13, 14, 100, 100_000])
    func `a name that comes twice is found among few and many`(_ count: Int) {
        #expect(duplicate(after: count) { "n\($0)" }.error?.kind == .duplicateName)
    }

    /// The names differ only in the order of their combining marks: hashed as Unicode text they would share one hash.
    @Test func `names that are equal as Unicode cost no more than others`() {
        let marks = ["\u{0301}", "\u{0323}", "\u{0327}", "\u{0334}", "\u{0345}", "\u{3099}", "\u{0591}", "\u{05B0}"]
        let name = { (index: Int) in
            var rest = index
            var left = marks
            var name = "a"
            while !left.isEmpty {
                name += left.remove(at: rest % left.count)
                rest /= left.count + 1
            }
            return name
        }
        let result = duplicate(after: 10_000, name)
        #expect(result.error?.kind == .duplicateName)
        #expect(result.seconds < 5, "quadratic in the number of names")
    }

    @Test func `a hundred thousand different names are read in order`() throws {
        let text = "{" + (0..<100_000).map { "\"n\($0)\":\($0)" }.joined(separator: ",") + "}"
        let object = try #require(try JSONValue.parse(text).object)
        #expect(object.count == 100_000)
        #expect(object.members.last?.name == "n99999")
    }

    @Test(arguments: [
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809", "1e400", "-1e400",
        "1e-400", "1e99999999999999999999", "0.1e-99999999999999999999", "18446744073709551616",
        String(repeating: "9", count: 20_000), "0." + String(repeating: "0", count: 20_000) + "1",
        "1e" + String(repeating: "9", count: 20_000),
    ])
    func `no number traps and every number is kept`(_ literal: String) throws {
        let number = try #require(try JSONValue.parse(literal).number)
        #expect(number.literal == literal)
        #expect(JSONValue.number(number).serialized() == Array(literal.utf8))
        _ = number.int64
        #expect(number.double?.isFinite != false)
    }
}
