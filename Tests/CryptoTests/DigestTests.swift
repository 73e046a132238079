import Crypto
import Testing

struct DigestCase: Sendable, CustomTestStringConvertible {
    let name: String
    var key: [UInt8] = []
    let message: [UInt8]
    let expected: [UInt8]
    var testDescription: String { name }
}

@Suite("Digests") struct DigestTests {
    /// FIPS 180-4 examples.
    static let sha256Cases = [
        DigestCase(
            name: "empty",
            message: [],
            expected: hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        ),
        DigestCase(
            name: "abc",
            message: ascii("abc"),
            expected: hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        ),
        DigestCase(
            name: "two blocks",
            message: ascii("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            expected: hex("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        ),
    ]

    /// RFC 4231 section 4.
    static let hmacCases = [
        DigestCase(
            name: "1",
            key: repeated(0x0b, 20),
            message: ascii("Hi There"),
            expected: hex("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        ),
        DigestCase(
            name: "2, key shorter than the output",
            key: ascii("Jefe"),
            message: ascii("what do ya want for nothing?"),
            expected: hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        ),
        DigestCase(
            name: "3",
            key: repeated(0xaa, 20),
            message: repeated(0xdd, 50),
            expected: hex("773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe")
        ),
        DigestCase(
            name: "4",
            key: Array(1...25),
            message: repeated(0xcd, 50),
            expected: hex("82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b")
        ),
        DigestCase(
            name: "5, truncated to 128 bits",
            key: repeated(0x0c, 20),
            message: ascii("Test With Truncation"),
            expected: hex("a3b6167473100ee06e0c796c2955552b")
        ),
        DigestCase(
            name: "6, key longer than a block",
            key: repeated(0xaa, 131),
            message: ascii("Test Using Larger Than Block-Size Key - Hash Key First"),
            expected: hex("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
        ),
        DigestCase(
            name: "7, key and data longer than a block",
            key: repeated(0xaa, 131),
            message: ascii(
                "This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm."
            ),
            expected: hex("9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2")
        ),
    ]

    @Test(arguments: sha256Cases)
    func `SHA-256 matches FIPS 180-4`(_ vector: DigestCase) throws {
        #expect(try sha256(vector.message) == vector.expected)
    }

    @Test(arguments: hmacCases)
    func `HMAC-SHA256 matches RFC 4231`(_ vector: DigestCase) throws {
        let code = try hmacSHA256(key: vector.key, vector.message)
        #expect(code.count == 32)
        #expect(Array(code.prefix(vector.expected.count)) == vector.expected)
    }

    @Test func `one HMAC key serves many messages alike`() throws {
        let key = try HMACKey(SecureBytes(repeated(0x0b, 20)))
        let first = try key.code(for: ascii("Hi There"))
        #expect(try key.code(for: ascii("something else")) != first)
        #expect(try key.code(for: ascii("Hi There")) == first)
        #expect(first == Self.hmacCases[0].expected)
    }

    @Test func `threads that share an HMAC key get the codes of their own messages`() async throws {
        let key = try HMACKey(SecureBytes(repeated(0xaa, 131)))
        let vectors = Self.hmacCases.suffix(2)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for vector in vectors + vectors + vectors + vectors {
                group.addTask {
                    try (0..<500).allSatisfy { _ in try key.code(for: vector.message) == vector.expected }
                }
            }
            for try await areRight in group { #expect(areRight) }
        }
    }

    @Test func `an empty key and an empty message are a legitimate HMAC`() throws {
        let expected = hex("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
        #expect(try hmacSHA256(key: [], []) == expected)
    }
}

struct HKDFCase: Sendable, CustomTestStringConvertible {
    let name: String
    let secret: [UInt8]
    let salt: [UInt8]
    let info: [UInt8]
    let expected: [UInt8]
    var testDescription: String { name }
}

@Suite("Derivation of keys") struct KeyDerivationTests {
    /// RFC 5869 appendix A.
    static let cases = [
        HKDFCase(
            name: "A.1",
            secret: repeated(0x0b, 22),
            salt: Array(0x00...0x0c),
            info: Array(0xf0...0xf9),
            expected: hex(
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
            )
        ),
        HKDFCase(
            name: "A.2, longer inputs",
            secret: Array(0x00...0x4f),
            salt: Array(0x60...0xaf),
            info: Array(0xb0...0xff),
            expected: hex(
                """
                b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09
                da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
                """
            )
        ),
        HKDFCase(
            name: "A.3, neither salt nor info",
            secret: repeated(0x0b, 22),
            salt: [],
            info: [],
            expected: hex(
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
            )
        ),
    ]

    @Test(arguments: cases)
    func `HKDF-SHA256 matches RFC 5869`(_ vector: HKDFCase) throws {
        let key = try hkdfSHA256(
            secret: SecureBytes(vector.secret),
            salt: vector.salt,
            info: vector.info,
            length: vector.expected.count
        )
        #expect(key.unwipedCopy() == vector.expected)
    }

    @Test(arguments: [0, -1, 8161])
    func `an impossible length is refused`(_ length: Int) {
        #expect(throws: CryptoError(.invalidArgument, "HKDF")) {
            try hkdfSHA256(secret: SecureBytes([1]), info: [], length: length)
        }
    }

    @Test func `an empty secret is refused`() {
        #expect(throws: CryptoError(.invalidArgument, "HKDF")) {
            try hkdfSHA256(secret: SecureBytes([]), info: [], length: 32)
        }
    }
}
