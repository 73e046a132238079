package import Crypto

/// The lengths of a ticket's two numbers: the sign-in code in the e-mail, and the digits that the asking device, which
/// requested the e-mail, shows.
///
/// A ticket keeps the form that it was made with, so that an e-mail that was sent before an upgrade still works.
package enum SignInCodeForm: Int64, Sendable {
    /// Six digits in the e-mail and two on the asking device: tickets of versions that stored no form.
    case sixDigits = 6
    /// Eight digits in the e-mail and three on the asking device.
    case eightDigits = 8

    /// The number of digits that the asking device shows.
    package var confirmationLength: Int { self == .sixDigits ? 2 : 3 }

    /// The number of different sign-in codes of this form.
    fileprivate var codes: UInt64 { self == .sixDigits ? 1_000_000 : 100_000_000 }
    /// The smallest number that the asking device shows.
    fileprivate var firstConfirmation: UInt64 { self == .sixDigits ? 10 : 100 }
    /// The number of different numbers that the asking device may show.
    fileprivate var confirmations: UInt64 { self == .sixDigits ? 90 : 900 }
    /// The bytes between the ticket's ID and the round number in the HMAC's message, which make the codes of the two
    /// forms unrelated.
    fileprivate var separation: [UInt8] { self == .sixDigits ? [] : [8] }
}

/// The two short numbers of a ticket: the sign-in code in the e-mail, and the digits that the asking device, which
/// requested the e-mail, shows.
///
/// Both are computed from the ticket's ID under keys of their own, so neither is stored, and the ID, which is public,
/// does not reveal them. They are short, so the caller
/// must limit wrong guesses.
package enum SignInCode {
    /// Returns the code in a ticket's e-mail, without spaces.
    ///
    /// - Parameters:
    ///   - form: the ticket's form.
    ///   - ticket: the ticket's ID.
    ///   - keyID: the key ID of the secret under which the ticket was made.
    ///   - secrets: the server's secrets.
    /// - Returns: six or eight digits; nil if the ticket's secret is no longer among the server's.
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func code(
        _ form: SignInCodeForm,
        ticket: TokenID,
        keyID: UInt8,
        secrets: ServerSecrets
    ) throws(CryptoError) -> String? {
        guard let secret = secrets.candidates(keyID: keyID).first else { return nil }
        return try code(form, ticket, secret)
    }

    /// Returns the digits that the device that requested a ticket's e-mail shows: 10 to 99, or 100 to 999.
    ///
    /// - Parameters:
    ///   - form: the ticket's form.
    ///   - ticket: the ticket's ID.
    ///   - keyID: the key ID of the secret under which the ticket was made.
    ///   - secrets: the server's secrets.
    /// - Returns: the digits; nil if the ticket's secret is no longer among the server's.
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func confirmation(
        _ form: SignInCodeForm,
        ticket: TokenID,
        keyID: UInt8,
        secrets: ServerSecrets
    ) throws(CryptoError) -> String? {
        guard let secret = secrets.candidates(keyID: keyID).first else { return nil }
        return try confirmation(form, ticket, secret)
    }

    /// Whether a text is the code in a ticket's e-mail, apart from white space, under any secret with the key ID.
    ///
    /// Takes the same time for all wrong codes of one length.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func verify(
        code text: String,
        _ form: SignInCodeForm,
        ticket: TokenID,
        keyID: UInt8,
        secrets: ServerSecrets
    ) throws(CryptoError) -> Bool {
        let digits = Array(text.filter { !$0.isWhitespace }.utf8)
        var matches = false
        for secret in secrets.candidates(keyID: keyID) {
            matches = constantTimeEqual(Array(try code(form, ticket, secret).utf8), digits) || matches
        }
        return matches
    }

    /// Whether a text is exactly the digits that the device that requested a ticket's e-mail shows, under any secret
    /// with the key ID.
    ///
    /// Takes the same time for all wrong digits of one length.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func verify(
        confirmation text: String,
        _ form: SignInCodeForm,
        ticket: TokenID,
        keyID: UInt8,
        secrets: ServerSecrets
    ) throws(CryptoError) -> Bool {
        var matches = false
        for secret in secrets.candidates(keyID: keyID) {
            matches = constantTimeEqual(Array(try confirmation(form, ticket, secret).utf8), Array(text.utf8)) || matches
        }
        return matches
    }

    /// Formats a code for people: eight digits in two groups of four, six digits unchanged.
    package static func grouped(_ code: String) -> String {
        code.utf8.count == 8 ? "\(code.prefix(4)) \(code.suffix(4))" : code
    }

    private static func code(
        _ form: SignInCodeForm,
        _ ticket: TokenID,
        _ secret: ServerSecret
    ) throws(CryptoError) -> String {
        let digits = String(try number(below: form.codes, ticket, form, secret.signInCode))
        return String(repeating: "0", count: max(0, Int(form.rawValue) - digits.utf8.count)) + digits
    }

    private static func confirmation(
        _ form: SignInCodeForm,
        _ ticket: TokenID,
        _ secret: ServerSecret
    ) throws(CryptoError) -> String {
        String(form.firstConfirmation + (try number(below: form.confirmations, ticket, form, secret.confirmation)))
    }

    /// Returns a number below `bound`, evenly distributed over tickets.
    ///
    /// 32-bit pieces of the HMAC from the largest multiple of `bound` on are discarded, because they would favor the
    /// small remainders.
    private static func number(
        below bound: UInt64,
        _ ticket: TokenID,
        _ form: SignInCodeForm,
        _ key: HMACKey
    ) throws(CryptoError) -> UInt64 {
        let range: UInt64 = 1 << 32
        let limit = range - range % bound
        // A piece is discarded with a chance of at most 1 in 40. That all of 2040 are discarded does not happen.
        for round in UInt8.min..<UInt8.max {
            let code = try key.code(for: ticket.bytes + form.separation + [round])
            for start in stride(from: 0, to: code.count, by: 4) {
                let piece = UInt64(bigEndian: code[start..<start + 4])
                if piece < limit { return piece % bound }
            }
        }
        throw CryptoError(.library, "sign-in code")
    }
}
