package import Crypto
import Foundation

/// 16 bytes that name a ticket, a session or an action code, stored as 22 base64url characters: the time they were made, in
/// milliseconds (6), then random (10).
///
/// The time comes first, as in a UUID of version 7 (RFC 9562, 5.7), so that the ids of one moment share a page of their index
/// and a commit writes few pages. Nobody can use an id that they guess: it leaves the server under an HMAC only.
package struct TokenID: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    static let byteCount = 16
    private static let timeByteCount = 6

    /// A new id.
    ///
    /// - Throws: `CryptoError` when the random generator fails.
    package static func random() throws(CryptoError) -> TokenID {
        let milliseconds = UInt64(max(0, Date().timeIntervalSince1970) * 1000)
        let time = milliseconds.bigEndianBytes.suffix(timeByteCount)
        guard let id = TokenID(bytes: time + (try Random.bytes(byteCount - timeByteCount))) else {
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
