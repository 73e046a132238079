package import Crypto

/// A secret that a client draws for one sign-up, so that a repeated sign-up finds the guest of the first one.
///
/// The identifiers of the guest are keyed hashes of it. They name the guest without being stored anywhere else. The key
/// cannot be computed from them, so a copy of the database does not hold it.
package struct IdempotencyKey: Sendable {
    /// The number of base64url characters that a key may have: 132 to 384 bits.
    package static let lengths = 22...64

    private let text: [UInt8]

    /// Reads the value of an `Idempotency-Key` header; `nil` unless it has 22 to 64 base64url characters.
    package init?(_ text: String) {
        guard Self.lengths.contains(text.utf8.count), text.utf8.allSatisfy(Self.isBase64URL) else { return nil }
        self.text = Array(text.utf8)
    }

    /// The session id that belongs to this key under a secret.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package func session(_ secret: ServerSecret) throws(CryptoError) -> TokenID {
        guard let id = TokenID(bytes: try secret.guestSession.code(for: text).prefix(TokenID.byteCount)) else {
            throw CryptoError(.library, "HMAC")
        }
        return id
    }

    /// 32 bytes for the UID that belongs to this key under a secret.
    ///
    /// - Parameters:
    ///   - block: counts up where 32 bytes are not enough.
    ///   - secret: one of the server's.
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
