import JSON
import Testing

/// Bounded and seeded, so that every run has the same cases.
@Suite("JSON under random input")
struct RandomTests {
    @Test func `random values are the same after writing and reading`() throws {
        var random = SplitMix(state: 1)
        for _ in 0..<3_000 {
            let value = random.value(depth: 0)
            let bytes = value.serialized()
            let parsed = try JSONValue.parse(bytes)
            #expect(parsed == value)
            #expect(parsed.serialized() == bytes)
        }
    }

    /// Accepted texts must survive a round trip unchanged; all others must be refused without a trap.
    @Test func `damaged texts are refused or survive a round trip`() throws {
        var random = SplitMix(state: 2)
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = random.value(depth: 0).serialized()
            for _ in 0..<Int.random(in: 1...3, using: &random) { random.damage(&bytes) }
            guard let value = try? JSONValue.parse(bytes) else { continue }
            accepted += 1
            #expect(try JSONValue.parse(value.serialized()) == value)
        }
        #expect(accepted > 0)
    }

    @Test func `random bytes of the grammar never trap`() {
        var random = SplitMix(state: 3)
        let alphabet =
            Array("[]{}:,\"\\u0dD8cC-+.eE19 \ntrufalsn".utf8) + [0x00, 0x1F, 0x80, 0xC3, 0xA9, 0xED, 0xF4, 0xFF]
        for _ in 0..<50_000 {
            let count = Int.random(in: 0...24, using: &random)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            guard let value = try? JSONValue.parse(bytes) else { continue }
            #expect((try? JSONValue.parse(value.serialized())) == value)
        }
    }
}

/// SplitMix64: small, seeded, and good enough to choose tests.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func value(depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth < 5 ? 8 : 5), using: &self) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &self))
        case 2: return .number(JSONNumber(Int64.random(in: .min ... .max, using: &self)))
        case 3: return JSONNumber(literal: decimal()).map(JSONValue.number) ?? .null
        case 4: return .string(string())
        case 5, 6: return .array((0..<Int.random(in: 0..<5, using: &self)).map { _ in value(depth: depth + 1) })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0..<16, using: &self) { object[string()] = value(depth: depth + 1) }
            return .object(object)
        }
    }

    mutating func decimal() -> String {
        "\(Bool.random(using: &self) ? "-" : "")\(next() % 1000).\(next())e\(Int8.random(in: .min ... .max, using: &self))"
    }

    mutating func string() -> String {
        var string = ""
        for _ in 0..<Int.random(in: 0..<12, using: &self) {
            let limit: UInt32 = [0x30, 0x80, 0x800, 0x1_0000, 0x11_0000].randomElement(using: &self) ?? 0x80
            guard let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &self)) else { continue }
            string.unicodeScalars.append(scalar)
        }
        return string
    }

    mutating func damage(_ bytes: inout [UInt8]) {
        guard let index = bytes.indices.randomElement(using: &self) else { return }
        switch Int.random(in: 0..<4, using: &self) {
        case 0: bytes.remove(at: index)
        case 1: bytes.insert(UInt8.random(in: .min ... .max, using: &self), at: index)
        case 2: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
        default: bytes.removeSubrange(index...)
        }
    }
}
