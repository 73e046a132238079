import Crypto
import Testing

@Suite("Secrets") struct SecretTests {
    @Test func `a secret prints as redacted, however it is printed`() throws {
        let secret = SecureBytes(ascii("correct horse"))
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(describing: secret), String(reflecting: secret), "\([secret])", dumped] {
            #expect(text.contains("<redacted>"))
            #expect(!text.contains("99"), "the first byte as a number")
            #expect(!text.contains("correct"))
        }
        #expect("\(try HMACKey(secret))" == "<redacted>")
        #expect("\(try SigningKey.generate(.es256))" == "<redacted>")
    }

    @Test func `secrets are compared by content and length`() {
        #expect(constantTimeEqual(SecureBytes([1, 2, 3]), SecureBytes([1, 2, 3])))
        #expect(!constantTimeEqual(SecureBytes([1, 2, 3]), SecureBytes([1, 2, 4])))
        #expect(!constantTimeEqual([1, 2, 3], [1, 2]))
        #expect(!constantTimeEqual([], [0]))
        #expect(constantTimeEqual([UInt8](), []))
    }

    @Test func `wiping empties the array`() {
        var bytes = ascii("correct horse")
        wipe(&bytes)
        #expect(bytes.isEmpty)
    }

    @Test func `random bytes come in the count asked for and differ`() throws {
        #expect(try Random.bytes(0).isEmpty)
        #expect(try Random.secret(0).count == 0)
        #expect(try Random.bytes(33).count == 33)
        #expect(try Set((0..<1000).map { _ in try Random.bytes(16) }).count == 1000)
        #expect(try !constantTimeEqual(Random.secret(32), Random.secret(32)))
        #expect(throws: CryptoError(.invalidArgument, "RAND_bytes")) { try Random.bytes(-1) }
        #expect(throws: CryptoError(.invalidArgument, "RAND_priv_bytes")) { try Random.secret(.max) }
    }

    @Test func `no random bytes are given out twice, whatever the thread and the count`() async throws {
        let pieces = try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    // Eight bytes of each are compared; two are equal by chance in one of a billion runs.
                    try (0..<1000).flatMap { round in
                        let bytes = try Random.bytes(8 + round % 300)
                        return stride(from: 0, through: bytes.count - 8, by: 8).map { Array(bytes[$0..<$0 + 8]) }
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(pieces).count == pieces.count)
    }

    @Test func `an error names the step and the code of OpenSSL, nothing else`() {
        let error = CryptoError(.library, "EVP_DigestSign", libraryCode: 0x1C80_000A)
        #expect("\(error)" == "EVP_DigestSign: library (OpenSSL error 0x1C80000A)")
        #expect("\(CryptoError(.invalidKey, "PKCS #8"))" == "PKCS #8: invalidKey")
    }
}
