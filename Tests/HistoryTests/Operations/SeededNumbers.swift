import Tokens

/// Random numbers that a seed determines.
struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Makes the numbers of a seed and a place in the run, such as an operation's number.
    init(_ seed: UInt64, _ place: Int = 0) {
        state = seed &+ UInt64(truncatingIfNeeded: place) &* 0xD6E8_FEB8_6659_FD93
        _ = next()
    }

    // SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// Returns true in this many of a hundred cases.
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func pick<Values: Collection>(_ values: Values) -> Values.Element? { values.randomElement(using: &self) }

    mutating func id() throws -> TokenID {
        let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &self) }
        return if let id = TokenID(bytes: bytes) { id } else { try .random() }
    }
}
