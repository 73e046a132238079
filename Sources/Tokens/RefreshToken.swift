package import Crypto

/// What a device keeps to get new ID tokens: version 1, key id 1, session id 16, generation 8, HMAC-SHA256 truncated
/// to 16: 42 bytes, 56 base64url characters.
///
/// Nothing in it is random or stored: the row of the session keeps only the generation. Checked before any database
/// read.
package struct RefreshToken: Sendable, Equatable {
    /// The row of the session in the database.
    package let session: TokenID
    /// Counts up with each rotation; 0 or more.
    package let generation: Int64

    /// The content of a token; only `make` gives it a signature.
    package init(session: TokenID, generation: Int64) {
        self.session = session
        self.generation = generation
    }

    /// Makes the text under the newest secret; the same session, generation and secret always give the same text.
    ///
    /// - Throws: `CryptoError` of kind `.invalidArgument` for a negative generation, or when OpenSSL fails.
    package static func make(
        session: TokenID,
        generation: Int64,
        secrets: ServerSecrets
    ) throws(CryptoError) -> String {
        guard let number = UInt64(exactly: generation) else { throw CryptoError(.invalidArgument, "generation") }
        return try SignedFrame.make(.refreshToken, session.bytes + number.bigEndianBytes, secrets)
    }

    /// Checks a text that came from outside; nil unless it is a refresh token of ours, unchanged.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func verify(_ text: String, secrets: ServerSecrets) throws(CryptoError) -> RefreshToken? {
        guard let (_, payload) = try SignedFrame.open(.refreshToken, text, secrets),
            let session = TokenID(bytes: payload.prefix(TokenID.byteCount)),
            let generation = Int64(exactly: UInt64(bigEndian: payload.suffix(8)))
        else { return nil }
        return RefreshToken(session: session, generation: generation)
    }
}
