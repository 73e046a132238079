package import Crypto

/// 128 random bits that name a ticket, a session or an action code; stored as 22 base64url characters.
package struct TokenID: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    static let byteCount = 16

    /// A new id.
    ///
    /// - Throws: `CryptoError` when the random generator fails.
    package static func random() throws(CryptoError) -> TokenID {
        guard let id = TokenID(bytes: try Random.bytes(byteCount)) else {
            throw CryptoError(.library, "RAND_bytes")
        }
        return id
    }

    /// Reads exactly 16 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        high = UInt64(bigEndian: bytes.prefix(8))
        low = UInt64(bigEndian: bytes.dropFirst(8))
    }

    /// Reads exactly the 22 characters that `text` answers.
    package init?(text: String) {
        guard text.utf8.count == Base64URL.encodedCount(Self.byteCount), let bytes = Base64URL.decode(text) else {
            return nil
        }
        self.init(bytes: bytes)
    }

    /// The 16 bytes.
    package var bytes: [UInt8] {
        high.bigEndianBytes + low.bigEndianBytes
    }

    /// 22 base64url characters.
    package var text: String {
        Base64URL.encode(bytes)
    }
}
