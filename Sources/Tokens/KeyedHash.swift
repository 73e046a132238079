package import Crypto

/// Texts as the database keeps them when it must recognise but not know them: addresses in limits, fixed codes, look-ups.
///
/// Key id 1, HMAC-SHA256 32 over the purpose and the text: 33 bytes, 44 base64url characters.
package enum KeyedHash {
    /// The hash under the newest secret.
    ///
    /// - Parameters:
    ///   - text: what to hide, in one canonical form.
    ///   - purpose: a constant name; the same text has unrelated hashes for different purposes.
    ///   - secrets: the server's.
    /// - Returns: 44 characters.
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func make(_ text: String, purpose: String, secrets: ServerSecrets) throws(CryptoError) -> String {
        try make(text, purpose, secrets.newest)
    }

    /// The hashes under all secrets, newest first: a look-up that should survive a rotation asks for any of them.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func all(_ text: String, purpose: String, secrets: ServerSecrets) throws(CryptoError) -> [String] {
        try secrets.all.map { secret throws(CryptoError) in try make(text, purpose, secret) }
    }

    /// Whether a stored hash is that of a text, in a time that does not depend on the text.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func verify(
        _ hash: String,
        of text: String,
        purpose: String,
        secrets: ServerSecrets
    ) throws(CryptoError) -> Bool {
        guard let keyID = Base64URL.decode(hash)?.first else { return false }
        var matches = false
        for secret in secrets.candidates(keyID: keyID) {
            matches = constantTimeEqual(Array(try make(text, purpose, secret).utf8), Array(hash.utf8)) || matches
        }
        return matches
    }

    private static func make(
        _ text: String,
        _ purpose: String,
        _ secret: ServerSecret
    ) throws(CryptoError) -> String {
        var message: [UInt8] = []
        message.append(lengthPrefixed: purpose)
        message.append(lengthPrefixed: text)
        return Base64URL.encode([secret.keyID] + (try secret.keyedHash.code(for: message)))
    }
}
