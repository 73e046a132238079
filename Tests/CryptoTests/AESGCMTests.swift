import Crypto
import Testing

struct GCMCase: Sendable, CustomTestStringConvertible {
    let name: String
    let key: [UInt8]
    let nonce: [UInt8]
    var plaintext: [UInt8] = []
    var associatedData: [UInt8] = []
    var ciphertext: [UInt8] = []
    let tag: [UInt8]
    var testDescription: String { name }
}

@Suite("AES-GCM") struct AESGCMTests {
    static let longKey = hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
    static let longPlaintext = hex(
        """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255
        """
    )
    static let longCiphertext = hex(
        """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
        8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad
        """
    )

    /// Test cases 13 to 16 of "The Galois/Counter Mode of Operation", which NIST validated with 256-bit keys.
    static let cases = [
        GCMCase(
            name: "13",
            key: repeated(0, 32),
            nonce: repeated(0, 12),
            tag: hex("530f8afbc74536b9a963b4f1c4cb738b")
        ),
        GCMCase(
            name: "14",
            key: repeated(0, 32),
            nonce: repeated(0, 12),
            plaintext: repeated(0, 16),
            ciphertext: hex("cea7403d4d606b6e074ec5d3baf39d18"),
            tag: hex("d0d1c8a799996bf0265b98b5d48ab919")
        ),
        GCMCase(
            name: "15",
            key: longKey,
            nonce: hex("cafebabefacedbaddecaf888"),
            plaintext: longPlaintext,
            ciphertext: longCiphertext,
            tag: hex("b094dac5d93471bdec1a502270e3cc6c")
        ),
        GCMCase(
            name: "16",
            key: longKey,
            nonce: hex("cafebabefacedbaddecaf888"),
            plaintext: Array(longPlaintext.prefix(60)),
            associatedData: hex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
            ciphertext: Array(longCiphertext.prefix(60)),
            tag: hex("76fc6ece0f4e1768cddf8853bb2d551b")
        ),
    ]

    @Test(arguments: cases)
    func `the published vectors seal and open`(_ vector: GCMCase) throws {
        let key = SecureBytes(vector.key)
        let sealed = try AESGCM.insecureSeal(
            vector.plaintext,
            key: key,
            associatedData: vector.associatedData,
            nonce: vector.nonce
        )
        #expect(sealed == vector.nonce + vector.ciphertext + vector.tag)
        #expect(try AESGCM.open(sealed, key: key, associatedData: vector.associatedData) == vector.plaintext)
    }

    @Test func `a change of any one bit is refused`() throws {
        let key = try Random.secret(32)
        let sealed = try AESGCM.seal(ascii("forty-two"), key: key, associatedData: ascii("place"))
        for changed in oneBitChanged(sealed) {
            expectRefused(changed, key, ascii("place"))
        }
    }

    @Test func `every truncation and an extension are refused`() throws {
        let key = try Random.secret(32)
        let sealed = try AESGCM.seal(ascii("forty-two"), key: key, associatedData: [])
        for length in 0..<sealed.count {
            expectRefused(Array(sealed.prefix(length)), key, [])
        }
        expectRefused(sealed + [0], key, [])
    }

    @Test func `another key and other associated data are refused`() throws {
        let key = try Random.secret(32)
        let sealed = try AESGCM.seal(ascii("forty-two"), key: key, associatedData: ascii("here"))
        expectRefused(sealed, try Random.secret(32), ascii("here"))
        expectRefused(sealed, key, ascii("there"))
        expectRefused(sealed, key, [])
    }

    @Test func `the same text never seals to the same bytes`() throws {
        let key = try Random.secret(32)
        let all = try (0..<100).map { _ in try AESGCM.seal([], key: key, associatedData: []) }
        #expect(Set(all).count == 100)
    }

    @Test(arguments: [0, 16, 31, 33])
    func `a key of another length is refused`(_ length: Int) {
        #expect(throws: CryptoError(.invalidKey, "AES-256-GCM")) {
            try AESGCM.seal([1], key: SecureBytes(repeated(1, length)), associatedData: [])
        }
    }

    /// Expects a failed authentication, whatever OpenSSL's own code.
    private func expectRefused(_ sealed: [UInt8], _ key: SecureBytes, _ associatedData: [UInt8]) {
        let error = #expect(throws: CryptoError.self) {
            try AESGCM.open(sealed, key: key, associatedData: associatedData)
        }
        #expect(error?.kind == .authenticationFailed)
    }
}
