package import Crypto

/// The value of the cookie that identifies a browser session on the server's own pages.
///
/// Layout: version 1, key id 1, session id 16, HMAC-SHA256 truncated to 16: 34 bytes, 46 base64url characters. The token
/// is verified before any database read, and the database has only the id, which opens nothing without the HMAC.
package enum BrowserSessionToken {
    /// Makes the cookie's value, signed with the newest secret.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func make(id: TokenID, secrets: ServerSecrets) throws(CryptoError) -> String {
        try SignedFrame.make(.browserSession, id.bytes, secrets)
    }

    /// Verifies an untrusted text, and returns the id of the browser session; nil unless the text is an unmodified token
    /// of this server.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func verify(_ text: String, secrets: ServerSecrets) throws(CryptoError) -> TokenID? {
        guard let (_, payload) = try SignedFrame.open(.browserSession, text, secrets) else { return nil }
        return TokenID(bytes: payload)
    }
}
