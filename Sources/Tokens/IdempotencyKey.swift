package import Crypto

/// A secret that a client generates for one sign-up, so that a repeated sign-up finds the guest of the first one.
///
/// The guest's UID and session ID are keyed hashes of the key, so a repeated sign-up finds the guest although the key
/// is not stored. The key cannot be computed from them, so a copy of the database does not reveal it.
package struct IdempotencyKey: Sendable {
    /// The number of base64url characters that a key may have: 132 to 384 bits.
    package static let lengths = 22...64

    private let text: [UInt8]

    /// Parses the value of an `Idempotency-Key` header; `nil` unless it has 22 to 64 base64url characters.
    package init?(_ text: String) {
        guard Self.lengths.contains(text.utf8.count), text.utf8.allSatisfy(Self.isBase64URL) else { return nil }
        self.text = Array(text.utf8)
    }

    /// Returns the session ID for this key under a secret.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package func session(_ secret: ServerSecret) throws(CryptoError) -> TokenID {
        guard let id = TokenID(bytes: try secret.guestSession.code(for: text).prefix(TokenID.byteCount)) else {
            throw CryptoError(.library, "HMAC")
        }
        return id
    }

    /// Returns 32 bytes, keyed hashes of this key under a secret, from which the guest's UID is made.
    ///
    /// - Parameters:
    ///   - block: a counter, for callers that need more than 32 bytes.
    ///   - secret: one of the server's secrets.
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package func uidBytes(block: UInt8, _ secret: ServerSecret) throws(CryptoError) -> [UInt8] {
        try secret.guestUID.code(for: [block] + text)
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension IdempotencyKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
