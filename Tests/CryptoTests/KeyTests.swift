import Crypto
import Testing

struct BadKey: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let parameters: PublicKeyParameters
}

@Suite("Keys") struct KeyTests {
    @Test(arguments: SignatureAlgorithm.allCases)
    func `a private key survives export and import`(_ algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey.generate(algorithm)
        let again = try SigningKey(algorithm, pkcs8: key.exportedPKCS8())
        #expect(again.verificationKey.parameters == key.verificationKey.parameters)
        #expect(try key.verificationKey.accepts(signature: again.sign([7]), for: [7]))
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `a private key is not taken for another algorithm`(_ algorithm: SignatureAlgorithm) throws {
        let exported = try SigningKey.generate(algorithm).exportedPKCS8()
        for other in SignatureAlgorithm.allCases where other != algorithm {
            expectInvalidKey { _ = try SigningKey(other, pkcs8: exported) }
        }
    }

    @Test func `truncated, extended and empty PKCS 8 are refused`() throws {
        let exported = try SigningKey.generate(.es256).exportedPKCS8().unwipedCopy()
        for length in 0..<exported.count {
            expectInvalidKey { _ = try SigningKey(.es256, pkcs8: SecureBytes(Array(exported.prefix(length)))) }
        }
        expectInvalidKey { _ = try SigningKey(.es256, pkcs8: SecureBytes(exported + [0])) }
    }

    @Test func `a private key with the public part of another is refused`() throws {
        let mine = try SigningKey.generate(.es256)
        let other = try SigningKey.generate(.es256)
        var bytes = try mine.exportedPKCS8().unwipedCopy()
        guard case .ec(let x, let y) = other.verificationKey.parameters else { return }
        bytes.replaceSubrange((bytes.count - 64)..., with: x + y)
        expectInvalidKey { _ = try SigningKey(.es256, pkcs8: SecureBytes(bytes)) }
    }

    @Test func `a key on another curve is refused`() {
        // An ECDSA key on secp256k1 in PKCS#8, made once by `openssl genpkey`.
        let foreign = hex(
            """
            308184020100301006072a8648ce3d020106052b8104000a046d306b0201010420
            0000000000000000000000000000000000000000000000000000000000000001a144034200
            0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798
            483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8
            """
        )
        expectInvalidKey { _ = try SigningKey(.es256, pkcs8: SecureBytes(foreign)) }
    }

    static let badKeys: [BadKey] = [
        BadKey(testDescription: "P-256 off the curve", parameters: .ec(x: repeated(1, 32), y: repeated(1, 32))),
        BadKey(testDescription: "P-256 infinity", parameters: .ec(x: repeated(0, 32), y: repeated(0, 32))),
        BadKey(testDescription: "P-256 beyond the field", parameters: .ec(x: repeated(255, 32), y: repeated(255, 32))),
        BadKey(testDescription: "P-256 short x", parameters: .ec(x: repeated(1, 31), y: repeated(1, 33))),
        BadKey(testDescription: "Ed25519 of 31 bytes", parameters: .okp(x: repeated(1, 31))),
        BadKey(testDescription: "Ed25519 empty", parameters: .okp(x: [])),
        BadKey(testDescription: "RSA of 1024 bits", parameters: .rsa(n: repeated(0xff, 128), e: [1, 0, 1])),
        BadKey(testDescription: "RSA of 2047 bits", parameters: .rsa(n: [0x7f] + repeated(0xff, 255), e: [1, 0, 1])),
        BadKey(testDescription: "RSA of 8200 bits", parameters: .rsa(n: repeated(0xff, 1025), e: [1, 0, 1])),
        BadKey(testDescription: "RSA leading zero", parameters: .rsa(n: [0] + repeated(0xff, 256), e: [1, 0, 1])),
        BadKey(testDescription: "RSA exponent 1", parameters: .rsa(n: repeated(0xff, 256), e: [1])),
        BadKey(testDescription: "RSA exponent 2", parameters: .rsa(n: repeated(0xff, 256), e: [2])),
        BadKey(testDescription: "RSA huge exponent", parameters: .rsa(n: repeated(0xff, 256), e: repeated(0xff, 9))),
        BadKey(testDescription: "RSA no exponent", parameters: .rsa(n: repeated(0xff, 256), e: [])),
    ]

    @Test(arguments: badKeys)
    func `malformed and weak public keys are refused`(_ bad: BadKey) {
        expectInvalidKey { _ = try VerificationKey(bad.parameters) }
    }

    private func expectInvalidKey(_ body: () throws -> Void) {
        let error = #expect(throws: CryptoError.self) { try body() }
        #expect(error?.kind == .invalidKey)
    }
}
