import Crypto
import Foundation
import Synchronization
import Testing

struct SignatureCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key: PublicKeyParameters
    let message: [UInt8]
    let signature: [UInt8]
}

@Suite("Signatures") struct SignatureTests {
    /// RFC 6979 appendix A.2.5.
    static let p256 = PublicKeyParameters.ec(
        x: hex("60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"),
        y: hex("7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299")
    )
    /// RFC 8032 section 7.1, test 2.
    static let ed25519 = PublicKeyParameters.okp(
        x: hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
    )
    static let published = [
        SignatureCase(
            testDescription: "RFC 6979 A.2.5, sample",
            key: p256,
            message: ascii("sample"),
            signature: hex(
                """
                EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716
                F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8
                """
            )
        ),
        SignatureCase(
            testDescription: "RFC 6979 A.2.5, test",
            key: p256,
            message: ascii("test"),
            signature: hex(
                """
                F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367
                019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083
                """
            )
        ),
        SignatureCase(
            testDescription: "RFC 8032 7.1, test 2",
            key: ed25519,
            message: [0x72],
            signature: hex(
                """
                92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da
                085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
                """
            )
        ),
    ]

    @Test(arguments: published)
    func `published signatures are accepted, and no other message with them`(_ vector: SignatureCase) throws {
        let key = try VerificationKey(vector.key)
        #expect(try key.accepts(signature: vector.signature, for: vector.message))
        #expect(try !key.accepts(signature: vector.signature, for: vector.message + [0]))
    }

    @Test func `Ed25519 signs as RFC 8032 says`() throws {
        let seed = hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
        let key = try SigningKey(.edDSA, pkcs8: ed25519PKCS8(seed))
        #expect(key.verificationKey.parameters == Self.ed25519)
        #expect(try key.sign([0x72]) == Self.published[2].signature)
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `what a key signs its public half accepts, and a change of any one bit is refused`(
        _ algorithm: SignatureAlgorithm
    ) throws {
        let key = try SigningKey.generate(algorithm)
        let message = ascii("header.claims")
        let signature = try key.sign(message)
        let publicKey = try VerificationKey(key.verificationKey.parameters)
        #expect(publicKey.algorithm == algorithm)
        #expect(try publicKey.accepts(signature: signature, for: message))
        for changed in oneBitChanged(signature) {
            #expect(try !publicKey.accepts(signature: changed, for: message))
        }
        for changed in oneBitChanged(message) {
            #expect(try !publicKey.accepts(signature: signature, for: changed))
        }
        #expect(try publicKey.accepts(signature: signature, for: message), "refusals leave nothing behind")
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `a signature of another length is refused`(_ algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey.generate(algorithm)
        let signature = try key.sign([1, 2, 3])
        for wrong in [[], [0], Array(signature.dropLast()), signature + [0], [0] + signature, signature + signature] {
            #expect(try !key.verificationKey.accepts(signature: wrong, for: [1, 2, 3]))
        }
    }

    @Test func `r and s beyond the order of P-256, zero, and the DER form are refused`() throws {
        let order = hex("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
        let field = hex("FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF")
        let key = try VerificationKey(Self.p256)
        let good = Self.published[0].signature
        let (r, s) = (Array(good.prefix(32)), Array(good.suffix(32)))
        let zero = repeated(0, 32)
        let one = repeated(0, 31) + [1]
        let wrong = [
            order + s, r + order, order + order, zero + s, r + zero, zero + zero, one + one, field + s, r + field,
            repeated(0xff, 64), s + r, plus(r, order) + s, r + plus(s, order),
        ]
        for signature in wrong {
            #expect(try !key.accepts(signature: signature, for: ascii("sample")))
        }
        let der = try #require(ECDSASignature.der(fromFixedWidth: good))
        #expect(try !key.accepts(signature: der, for: ascii("sample")))
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `one key signs on eight threads at once`(_ algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey.generate(algorithm)
        let rounds = algorithm == .rs256 ? 20 : 250
        let good = Atomic<Int>(0)
        let group = DispatchGroup()
        for thread in 0..<8 {
            group.enter()
            Thread {
                for round in 0..<rounds {
                    let message = ascii("\(thread) \(round)")
                    guard let signature = try? key.sign(message),
                        (try? key.verificationKey.accepts(signature: signature, for: message)) == true
                    else { continue }
                    good.add(1, ordering: .relaxed)
                }
                group.leave()
            }.start()
        }
        #expect(group.wait(timeout: .now() + 60) == .success)
        #expect(good.load(ordering: .relaxed) == 8 * rounds)
    }

    /// Adds 256-bit numbers modulo 2²⁵⁶.
    private func plus(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var sum = left
        var carry = 0
        for index in sum.indices.reversed() {
            let total = Int(left[index]) + Int(right[index]) + carry
            sum[index] = UInt8(total & 0xff)
            carry = total >> 8
        }
        return sum
    }
}

/// Wraps an Ed25519 seed in PKCS#8 (RFC 8410 section 7).
func ed25519PKCS8(_ seed: [UInt8]) -> SecureBytes {
    SecureBytes(hex("302e020100300506032b657004220420") + seed)
}
