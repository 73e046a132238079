package import Crypto

/// The lengths of a ticket's two numbers.
///
/// A ticket keeps the form that it was made with, so that an e-mail which was sent before an upgrade still works after it.
package enum SignInCodeForm: Int64, Sendable {
    /// Six digits in the e-mail and two on the asking device: tickets of versions that stored no form.
    case sixDigits = 6
    /// Eight digits in the e-mail and three on the asking device.
    case eightDigits = 8

    /// The number of digits that the asking device shows.
    package var confirmationLength: Int { self == .sixDigits ? 2 : 3 }

    /// The number of codes of this form.
    fileprivate var codes: UInt64 { self == .sixDigits ? 1_000_000 : 100_000_000 }
    /// The smallest number that the asking device shows.
    fileprivate var firstConfirmation: UInt64 { self == .sixDigits ? 10 : 100 }
    /// The number of confirmations of this form.
    fileprivate var confirmations: UInt64 { self == .sixDigits ? 90 : 900 }
    /// What precedes the round number under the HMAC: a code of one form says nothing about the code of the other.
    fileprivate var separation: [UInt8] { self == .sixDigits ? [] : [8] }
}

/// The two short numbers of a ticket: the sign-in code in the e-mail, and the digits that the asking device shows.
///
/// Both are computed from the ticket's id under keys of their own, so neither is stored. They are short: the caller that
/// checks them has to count wrong guesses.
package enum SignInCode {
    /// The code in a ticket's e-mail, without spaces.
    ///
    /// - Parameters:
    ///   - form: the ticket's.
    ///   - ticket: the ticket's id.
    ///   - keyID: that of the secret under which the ticket was made.
    ///   - secrets: the server's.
    /// - Returns: six or eight digits, or nil when the ticket's secret is no longer among the server's.
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

    /// The digits that the asking device shows: 10 to 99, or 100 to 999.
    ///
    /// - Parameters:
    ///   - form: the ticket's.
    ///   - ticket: the ticket's id.
    ///   - keyID: that of the secret under which the ticket was made.
    ///   - secrets: the server's.
    /// - Returns: nil when the ticket's secret is no longer among the server's.
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

    /// Whether a text is a ticket's code, with or without spaces; takes the same time for every wrong code.
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

    /// Whether a text is exactly a ticket's confirmation; takes the same time for every wrong one.
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

    /// A code as people read it: eight digits in two groups of four, six as they are.
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

    /// An evenly distributed number: 32-bit pieces of the HMAC above the largest multiple of `bound` are discarded,
    /// because they would favor the small remainders.
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
