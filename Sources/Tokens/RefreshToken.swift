package import Crypto

/// The token with which a device gets new ID tokens.
///
/// Layout: version 1, key id 1, session id 16, generation 8, HMAC-SHA256 truncated to 16: 42 bytes, 56 base64url
/// characters. The text is not stored: it is computed from the session's ID and generation, which the session's row
/// keeps. It is verified before any database read.
package struct RefreshToken: Sendable, Equatable {
    /// The ID of the session's row in the database.
    package let session: TokenID
    /// The position of the token in the sequence of its session's refresh tokens: 1 for the first one, and one more with each
    /// rotation.
    ///
    /// All tokens of a session that does not rotate have 1.
    package let generation: Int64

    /// Creates the content of a token.
    ///
    /// This value is not signed; ``make(session:generation:secrets:)`` returns the signed text.
    package init(session: TokenID, generation: Int64) {
        self.session = session
        self.generation = generation
    }

    /// Makes the text of a token, signed with the newest secret.
    ///
    /// The same session, generation and secret always give the same text.
    ///
    /// - Throws: `CryptoError` of kind `.invalidArgument` for a negative generation, or when OpenSSL fails.
    package static func make(
        session: TokenID,
        generation: Int64,
        secrets: ServerSecrets
    ) throws(CryptoError) -> String {
        guard let number = UInt64(exactly: generation) else { throw CryptoError(.invalidArgument, "generation") }
        var payload = session.bytes
        payload.append(bigEndian: number)
        return try SignedFrame.make(.refreshToken, payload, secrets)
    }

    /// Whether a text has the length and the version of this server's refresh tokens, valid or not.
    package static func hasShape(_ text: String) -> Bool { SignedFrame.hasShape(.refreshToken, text) }

    /// Checks the signature of an untrusted text.
    ///
    /// Only the database knows whether the token is still valid.
    ///
    /// - Returns: the content; `nil` unless this server has made the token.
    /// - Throws: ``CryptoError`` if OpenSSL fails.
    package static func verify(_ text: String, secrets: ServerSecrets) throws(CryptoError) -> RefreshToken? {
        guard let (_, payload) = try SignedFrame.open(.refreshToken, text, secrets),
            let session = TokenID(bytes: payload.prefix(TokenID.byteCount)),
            let generation = Int64(exactly: UInt64(bigEndian: payload.suffix(8)))
        else { return nil }
        return RefreshToken(session: session, generation: generation)
    }
}
