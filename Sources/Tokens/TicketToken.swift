package import Crypto

/// What the holder of a ticket gets to ask with: version 1, key id 1, ticket id 16, HMAC-SHA256 truncated to 16.
///
/// 34 bytes, 46 base64url characters. Checked before any database read.
package struct TicketToken: Sendable, Equatable {
    /// The row of the ticket in the database.
    package let id: TokenID
    /// The secret it was made under; the ticket's sign-in code and confirmation come from the same.
    package let keyID: UInt8

    /// The content of a token; only `make` gives it a signature.
    package init(id: TokenID, keyID: UInt8) {
        self.id = id
        self.keyID = keyID
    }

    /// Makes the text for a ticket under the newest secret; the ticket's row should keep `secrets.newest.keyID`.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func make(id: TokenID, secrets: ServerSecrets) throws(CryptoError) -> String {
        try SignedFrame.make(.ticket, id.bytes, secrets)
    }

    /// Checks a text that came from outside; nil unless it is a ticket of ours, unchanged.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func verify(_ text: String, secrets: ServerSecrets) throws(CryptoError) -> TicketToken? {
        guard let (keyID, payload) = try SignedFrame.open(.ticket, text, secrets),
            let id = TokenID(bytes: payload)
        else { return nil }
        return TicketToken(id: id, keyID: keyID)
    }
}
