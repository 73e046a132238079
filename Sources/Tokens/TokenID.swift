package import Crypto
import Foundation

/// A 16-byte ID, for example of a ticket, a session, an action code, an e-mail, a merge or a challenge; its text is 22
/// base64url characters.
///
/// An ID from ``random()`` consists of the creation time in milliseconds (6 bytes) and random bytes (10).
///
/// The time comes first, as in a version 7 UUID (RFC 9562, 5.7), so that IDs of the same time share an index page and a
/// commit writes few pages. An ID is no secret: the tokens and links that contain one are signed.
package struct TokenID: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    static let byteCount = 16
    private static let timeByteCount = 6

    /// Generates a new ID from the current time and random bytes.
    ///
    /// - Throws: `CryptoError` when the random generator fails.
    package static func random() throws(CryptoError) -> TokenID {
        let milliseconds = UInt64(max(0, Date().timeIntervalSince1970) * 1000)
        let random = try Random.bytes(byteCount - timeByteCount)
        return TokenID(
            high: milliseconds << 16 | UInt64(bigEndian: random.prefix(2)),
            low: UInt64(bigEndian: random.dropFirst(2))
        )
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes an ID from exactly 16 bytes; nil for any other number.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        high = UInt64(bigEndian: bytes.prefix(8))
        low = UInt64(bigEndian: bytes.dropFirst(8))
    }

    /// Parses the 22 base64url characters of ``text``; nil for any other text.
    package init?(text: String) {
        guard text.utf8.count == Base64URL.encodedCount(Self.byteCount), let bytes = Base64URL.decode(text) else {
            return nil
        }
        self.init(bytes: bytes)
    }

    /// The 16 bytes of the ID, the time of a random one first.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
        return bytes
    }

    /// The ID as it is stored and sent: 22 base64url characters.
    package var text: String {
        Base64URL.encode(bytes)
    }
}
