package import Crypto

/// The token with which the device that requested a sign-in e-mail redeems its ticket or polls for the approval.
///
/// Layout: version 1, key id 1, ticket id 16, HMAC-SHA256 truncated to 16: 34 bytes, 46 base64url characters. The token
/// is verified before any database read.
package struct TicketToken: Sendable, Equatable {
    /// The ID of the ticket's row in the database.
    package let id: TokenID
    /// The key ID of the secret that signed the token.
    ///
    /// The ticket's sign-in code and the digits on the asking device use the same secret.
    package let keyID: UInt8

    /// Creates the content of a token.
    ///
    /// This value is not signed; ``make(id:secrets:)`` returns the signed text.
    package init(id: TokenID, keyID: UInt8) {
        self.id = id
        self.keyID = keyID
    }

    /// Makes the text of a ticket's token, signed with the newest secret.
    ///
    /// The caller stores `secrets.newest.keyID` with the ticket, for the ticket's code and digits (``SignInCode``).
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func make(id: TokenID, secrets: ServerSecrets) throws(CryptoError) -> String {
        try SignedFrame.make(.ticket, id.bytes, secrets)
    }

    /// Verifies an untrusted text; nil unless the text is an unmodified ticket token of this server.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func verify(_ text: String, secrets: ServerSecrets) throws(CryptoError) -> TicketToken? {
        guard let (keyID, payload) = try SignedFrame.open(.ticket, text, secrets),
            let id = TokenID(bytes: payload)
        else { return nil }
        return TicketToken(id: id, keyID: keyID)
    }
}
