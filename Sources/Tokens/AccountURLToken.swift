package import Crypto

/// The single-use token in the URL with which an app opens the account page for its user.
///
/// Layout: version 1, key id 1, id 16, session id 16, expiry 5 (seconds since 1970, big endian), HMAC-SHA256 truncated
/// to 16: 55 bytes, 74 base64url characters. The server stores nothing about a token until it is used.
package struct AccountURLToken: Sendable, Equatable {
    /// How long a token is valid, in seconds.
    package static let life: Int64 = 60
    static let payloadLength = TokenID.byteCount * 2 + 5

    /// The session whose ID token requested the URL.
    package let session: TokenID
    /// The end of the token's validity, in seconds since 1970; the token is accepted before this second.
    package let expiry: Int64
    /// The SHA-256 digest of the token's text as base64url, by which the database recognizes a used token.
    package let digest: String

    /// When the token was made, in seconds since 1970.
    package var issuedAt: Int64 { expiry - Self.life }
    /// When the record that the token was used may be deleted, in milliseconds since 1970: later than any transaction
    /// waits.
    package var spentUntil: Int64 { (expiry + 60) * 1000 }

    /// Makes the text of a token, signed with the newest secret.
    ///
    /// - Parameters:
    ///   - id: a new random ID.
    ///   - session: the session of the user who may open the page.
    ///   - now: seconds since 1970.
    ///   - secrets: the server's secrets.
    /// - Throws: `CryptoError` of kind `.invalidArgument` for a time out of range, or when OpenSSL fails.
    package static func make(
        id: TokenID,
        session: TokenID,
        now: Int64,
        secrets: ServerSecrets
    ) throws(CryptoError) -> String {
        let (expiry, overflows) = now.addingReportingOverflow(life)
        guard !overflows, (0..<1 << 40).contains(expiry) else { throw CryptoError(.invalidArgument, "account URL") }
        var payload = id.bytes + session.bytes
        payload.append(bigEndian: UInt64(expiry), count: 5)
        return try SignedFrame.make(.accountURL, payload, secrets)
    }

    /// Verifies the signature of an untrusted text; nil unless the text is an unmodified token of this server.
    ///
    /// Whether the token has expired or was used is left to the transaction.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func verify(_ text: String, secrets: ServerSecrets) throws(CryptoError) -> AccountURLToken? {
        guard let (_, payload) = try SignedFrame.open(.accountURL, text, secrets) else { return nil }
        let fields = Array(payload)
        guard let session = TokenID(bytes: fields[TokenID.byteCount..<TokenID.byteCount * 2]) else { return nil }
        return AccountURLToken(
            session: session,
            expiry: Int64(UInt64(bigEndian: fields[(TokenID.byteCount * 2)...])),
            digest: Base64URL.encode(try sha256([UInt8](text.utf8)))
        )
    }
}
