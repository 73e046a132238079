package import Crypto

/// The two short numbers of a ticket: the six-digit code in the mail, and the two digits that the asking device shows.
///
/// Both are computed from the ticket's id under keys of their own, so neither is stored. They are short: whoever checks
/// them has to count wrong guesses.
package enum SignInCode {
    /// The six digits of a ticket's mail.
    ///
    /// - Parameters:
    ///   - ticket: the ticket's id.
    ///   - keyID: that of the secret under which the ticket was made.
    ///   - secrets: the server's.
    /// - Returns: `000000` to `999999`, or nil when the ticket's secret is no longer among the server's.
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func code(ticket: TokenID, keyID: UInt8, secrets: ServerSecrets) throws(CryptoError) -> String? {
        guard let secret = secrets.candidates(keyID: keyID).first else { return nil }
        return try code(ticket, secret)
    }

    /// The two digits that the asking device shows, 10 to 99.
    ///
    /// - Parameters:
    ///   - ticket: the ticket's id.
    ///   - keyID: that of the secret under which the ticket was made.
    ///   - secrets: the server's.
    /// - Returns: nil when the ticket's secret is no longer among the server's.
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func confirmation(
        ticket: TokenID,
        keyID: UInt8,
        secrets: ServerSecrets
    ) throws(CryptoError) -> String? {
        guard let secret = secrets.candidates(keyID: keyID).first else { return nil }
        return try confirmation(ticket, secret)
    }

    /// Whether a text is exactly a ticket's six digits; takes the same time for every wrong one.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func verify(
        code text: String,
        ticket: TokenID,
        keyID: UInt8,
        secrets: ServerSecrets
    ) throws(CryptoError) -> Bool {
        var matches = false
        for secret in secrets.candidates(keyID: keyID) {
            matches = constantTimeEqual(Array(try code(ticket, secret).utf8), Array(text.utf8)) || matches
        }
        return matches
    }

    /// Whether a text is exactly a ticket's two digits; takes the same time for every wrong one.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func verify(
        confirmation text: String,
        ticket: TokenID,
        keyID: UInt8,
        secrets: ServerSecrets
    ) throws(CryptoError) -> Bool {
        var matches = false
        for secret in secrets.candidates(keyID: keyID) {
            matches = constantTimeEqual(Array(try confirmation(ticket, secret).utf8), Array(text.utf8)) || matches
        }
        return matches
    }

    private static func code(_ ticket: TokenID, _ secret: ServerSecret) throws(CryptoError) -> String {
        let digits = String(try number(below: 1_000_000, ticket, secret.signInCode))
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }

    private static func confirmation(_ ticket: TokenID, _ secret: ServerSecret) throws(CryptoError) -> String {
        String(10 + (try number(below: 90, ticket, secret.confirmation)))
    }

    /// An evenly distributed number: 32-bit pieces of the HMAC above the largest multiple of `bound` are thrown away,
    /// as they would favour the small remainders.
    static func number(below bound: UInt64, _ ticket: TokenID, _ key: HMACKey) throws(CryptoError) -> UInt64 {
        let range: UInt64 = 1 << 32
        let limit = range - range % bound
        // One piece is thrown away with a chance under 1 in 1000; none of 2040 fitting does not happen.
        for round in UInt8.min..<UInt8.max {
            let code = try key.code(for: ticket.bytes + [round])
            for start in stride(from: 0, to: code.count, by: 4) {
                let piece = UInt64(bigEndian: code[start..<start + 4])
                if piece < limit { return piece % bound }
            }
        }
        throw CryptoError(.library, "sign-in code")
    }
}
