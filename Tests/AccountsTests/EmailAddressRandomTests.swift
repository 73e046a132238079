import Accounts
import PostgreSQLHarness
import Testing

/// Bounded and seeded, so that every run has the same cases.
@Suite("E-mail addresses under random input", .enabled(if: TestDatabase.isEnginesTurn))
struct EmailAddressRandomTests {
    /// Checks what must hold for every text, whether it is an address or not.
    func check(_ text: String) -> Bool {
        guard let address = try? EmailAddress(parsing: text) else { return false }
        let canonical = address.canonical
        let isSound =
            canonical.utf8.count <= 254
            && canonical.utf8.count(where: { $0 == UInt8(ascii: "@") }) == 1
            && canonical.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && !(0x80...0xA0 ~= $0.value) }
            && address.domain.utf8.allSatisfy { $0 < 0x80 }
            && canonical.utf8.elementsEqual((try? EmailAddress(parsing: canonical))?.canonical.utf8 ?? "".utf8)
            && (try? EmailAddress(parsing: address.displayForm)) == address
            && (try? EmailAddress(parsing: " \(text)\n")) == address
        if !isSound { Issue.record("\(text.debugDescription) \(canonical.debugDescription)") }
        return true
    }

    @Test func `every character of Unicode in either part`() {
        var local = 0
        var domain = 0
        for value in UInt32(0)...0x10FFFF {
            // For the Han, Hangul and private-use ranges, one in sixteen is enough.
            if 0x3400...0xD7FF ~= value || value > 0x1_FFFF, value % 16 != 0 { continue }
            guard let scalar = Unicode.Scalar(value) else { continue }
            local += check("a\(scalar)@b.com") ? 1 : 0
            domain += check("a@b\(scalar).com") ? 1 : 0
        }
        #expect(local > 10_000)
        #expect(domain > 5_000)
    }

    @Test func `random characters of many kinds`() {
        var random = SplitMix(state: 4)
        let pieces =
            [
                "a", "Z", "9", ".", "-", "@", "xn--", "\u{301}", "\u{323}", "\u{345}", "Σ", "σ", "ς", "ß", "ẞ", "İ",
                "ı", "é", "É", "Ω",
            ]
            + [
                "א", "ا", "١", "用", "。", "．", "ー", "क", "\u{94D}", "\u{200D}", "\u{212A}", "𐐀", "Ǆ", "가", "\u{1100}",
                "\u{1161}",
            ]
        var accepted = 0
        for _ in 0..<60_000 {
            var text = ""
            for _ in 0..<Int.random(in: 1...8, using: &random) { text += pieces.randomElement(using: &random) ?? "" }
            if Bool.random(using: &random) { text += "@" }
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                text += pieces.filter { $0 != "@" }.randomElement(using: &random) ?? ""
            }
            accepted += check(text) ? 1 : 0
        }
        #expect(accepted > 500)
    }

    @Test func `random scalars never trap`() {
        var random = SplitMix(state: 5)
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                let limit: UInt32 = [0x80, 0x800, 0x1_0000, 0x11_0000].randomElement(using: &random) ?? 0x80
                guard let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &random)) else { continue }
                text.unicodeScalars.append(scalar)
                if UInt32.random(in: 0..<10, using: &random) == 0 { text += "@" }
            }
            _ = check(text)
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
    }
}
