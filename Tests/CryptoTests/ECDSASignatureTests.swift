import Crypto
import Testing

struct DERCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let der: [UInt8]

    init(_ description: String, _ der: String) {
        testDescription = description
        self.der = hex(der)
    }
}

@Suite("ECDSA signature forms") struct ECDSASignatureTests {
    static let full = "00" + String(repeating: "ff", count: 32)

    static let refused = [
        DERCase("empty", ""),
        DERCase("only a tag", "30"),
        DERCase("not a sequence", "31 06 020101 020101"),
        DERCase("sequence longer than the bytes", "30 07 020101 020101"),
        DERCase("sequence shorter than the bytes", "30 05 020101 020101"),
        DERCase("trailing byte", "30 06 020101 020101 00"),
        DERCase("trailing byte inside", "30 07 020101 020101 00"),
        DERCase("long form of a short length", "30 81 06 020101 020101"),
        DERCase("indefinite length", "30 80 020101 020101 0000"),
        DERCase("one integer", "30 03 020101"),
        DERCase("three integers", "30 09 020101 020101 020101"),
        DERCase("not an integer", "30 06 030101 020101"),
        DERCase("empty integer", "30 05 0200 020101"),
        DERCase("zero r", "30 06 020100 020101"),
        DERCase("zero s", "30 06 020101 020100"),
        DERCase("negative", "30 06 020180 020101"),
        DERCase("not minimal", "30 07 02020001 020101"),
        DERCase("not minimal zero", "30 07 02020000 020101"),
        DERCase("integer longer than the rest", "30 06 020101 020201"),
        DERCase("long form inside", "30 07 02810101 020101"),
        DERCase("r of 33 bytes", "30 26 0221" + "01" + String(repeating: "ff", count: 32) + "020101"),
        DERCase("r of 34 bytes", "30 27 0222" + "00" + String(repeating: "ff", count: 33) + "020101"),
    ]

    @Test(arguments: refused)
    func `malformed DER is refused`(_ vector: DERCase) {
        #expect(ECDSASignature.fixedWidth(fromDER: vector.der) == nil)
    }

    @Test func `the smallest and the largest integers are padded to 32 bytes`() {
        #expect(ECDSASignature.fixedWidth(fromDER: hex("3006020101020102")) == pair(1, 2))
        #expect(ECDSASignature.fixedWidth(fromDER: hex("300702020080020102")) == pair(0x80, 2))
        let largest = hex("3046 0221" + Self.full + "0221" + Self.full)
        #expect(ECDSASignature.fixedWidth(fromDER: largest) == repeated(0xff, 64))
    }

    @Test(arguments: [0, 1, 63, 65, 72])
    func `a fixed-width signature of another length is refused`(_ length: Int) {
        #expect(ECDSASignature.der(fromFixedWidth: repeated(1, length)) == nil)
    }

    @Test func `zero is refused`() {
        #expect(ECDSASignature.der(fromFixedWidth: pair(0, 1)) == nil)
        #expect(ECDSASignature.der(fromFixedWidth: pair(1, 0)) == nil)
        #expect(ECDSASignature.der(fromFixedWidth: pair(0, 0)) == nil)
    }

    @Test func `both ways lead back`() throws {
        var leading = try Random.bytes(64)
        for zeros in 0..<31 {
            leading[zeros] = 0
            leading[32 + zeros] = 0
            leading[31] |= 1
            leading[63] |= 1
            let der = try #require(ECDSASignature.der(fromFixedWidth: leading))
            #expect(ECDSASignature.fixedWidth(fromDER: der) == leading)
        }
    }

    private func pair(_ r: UInt8, _ s: UInt8) -> [UInt8] {
        repeated(0, 31) + [r] + repeated(0, 31) + [s]
    }
}
