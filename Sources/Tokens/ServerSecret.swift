internal import Crypto

/// One server secret, as the keys derived from it.
///
/// The secret itself is not kept.
///
/// Each purpose has its own key (HKDF-SHA256, RFC 5869), so a code of one kind is never accepted as another.
package struct ServerSecret: Sendable {
    /// A byte that identifies this secret in everything made under it; two secrets may share it.
    ///
    /// The byte is derived from the secret, but is not secret itself.
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
    let browserSession: HMACKey
    let accountURL: HMACKey
    let sealing: SecureBytes
    /// Bytes that are equal only for equal secrets, to detect a secret that is configured twice.
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
        browserSession = try HMACKey(derive("browser session"))
        accountURL = try HMACKey(derive("account URL"))
        sealing = try derive("sealing", AESGCM.keyLength)
        fingerprint = try derive("fingerprint")
    }
}

extension ServerSecret: CustomStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
