package import Crypto

/// Keyed hashes of texts that must be recognized but not revealed, such as addresses and networks in counters, in the
/// records of known clients and in logs.
///
/// Layout: key id 1, HMAC-SHA256 32 over the purpose and the text: 33 bytes, 44 base64url characters.
package enum KeyedHash {
    /// Returns the hash under the newest secret.
    ///
    /// - Parameters:
    ///   - text: the text to hide, in a canonical form.
    ///   - purpose: a constant name; a text has unrelated hashes for different purposes.
    ///   - secrets: the server's secrets.
    /// - Returns: 44 characters.
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func make(_ text: String, purpose: String, secrets: ServerSecrets) throws(CryptoError) -> String {
        try make(text, purpose, secrets.newest)
    }

    /// Returns the hashes under all secrets, newest first.
    ///
    /// Look-ups that must find values stored before a rotation of the secret use all of them.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func all(_ text: String, purpose: String, secrets: ServerSecrets) throws(CryptoError) -> [String] {
        try secrets.all.map { secret throws(CryptoError) in try make(text, purpose, secret) }
    }

    /// Whether a stored hash is that of a text for a purpose, under one of the server's secrets; `false` for a text
    /// that is not a hash.
    ///
    /// The hashes are compared in constant time.
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
        message.reserveCapacity(8 + purpose.utf8.count + text.utf8.count)
        message.append(lengthPrefixed: purpose)
        message.append(lengthPrefixed: text)
        return Base64URL.encode([secret.keyID] + (try secret.keyedHash.code(for: message)))
    }
}
