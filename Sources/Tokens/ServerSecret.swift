internal import Crypto

/// One server secret as the keys that were derived from it; the secret itself is not kept.
///
/// Every purpose has a key of its own (HKDF-SHA256, RFC 5869), so a code of one kind never passes for another.
package struct ServerSecret: Sendable {
    /// What names this secret in everything made under it; derived from it, and itself not secret.
    package let keyID: UInt8
    let actionCode: HMACKey
    let ticket: HMACKey
    let signInCode: HMACKey
    let confirmation: HMACKey
    let refreshToken: HMACKey
    let keyedHash: HMACKey
    let guestUID: HMACKey
    let guestSession: HMACKey
    let challenge: HMACKey
    let sealing: SecureBytes
    /// To tell the same secret given twice.
    let fingerprint: SecureBytes

    init(_ secret: SecureBytes) throws(CryptoError) {
        func derive(_ purpose: String, _ length: Int = 32) throws(CryptoError) -> SecureBytes {
            let (salt, info) = (Array("latchkey".utf8), Array("v1 \(purpose)".utf8))
            return try hkdfSHA256(secret: secret, salt: salt, info: info, length: length)
        }
        keyID = try derive("key id", 1).withSpan { $0[0] }
        actionCode = try HMACKey(derive("action code"))
        ticket = try HMACKey(derive("ticket"))
        signInCode = try HMACKey(derive("sign-in code"))
        confirmation = try HMACKey(derive("confirmation"))
        refreshToken = try HMACKey(derive("refresh token"))
        keyedHash = try HMACKey(derive("keyed hash"))
        guestUID = try HMACKey(derive("guest UID"))
        guestSession = try HMACKey(derive("guest session"))
        challenge = try HMACKey(derive("challenge"))
        sealing = try derive("sealing", AESGCM.keyLength)
        fingerprint = try derive("fingerprint")
    }
}

extension ServerSecret: CustomStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
