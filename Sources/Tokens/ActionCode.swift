package import Crypto

/// The signed single-use secret in a mailed link (`oobCode` on the wire).
///
/// Layout: version 1, key id 1, id 16, purpose 1, expiry 5 (seconds since 1970, big endian), HMAC-SHA256 truncated to
/// 16: 40 bytes, 54 base64url characters. Checking one needs no database; that it was not spent, the database knows.
package struct ActionCode: Sendable, Equatable {
    /// What a code may be used for.
    package enum Purpose: UInt8, Sendable, CaseIterable {
        /// Sign in or link by a mailed link (EMAIL_SIGNIN).
        case emailSignIn = 1
        /// Prove that an address is one's own (VERIFY_EMAIL).
        case verifyEmail = 2
        /// Move to a new address (VERIFY_AND_CHANGE_EMAIL).
        case verifyAndChangeEmail = 3
        /// Take a change of address back (RECOVER_EMAIL).
        case recoverEmail = 4
        /// Take a change of sign-in methods back (of our own).
        case revertMethodChange = 5
    }

    /// What `verify` found; a text that is no code of ours is nil instead.
    package enum Verdict: Sendable, Equatable {
        /// Ours, and in time.
        case valid(ActionCode)
        /// Ours, but too late.
        case expired(ActionCode)
    }

    /// The row of the code in the database.
    package let id: TokenID
    /// What it is for; a code for one purpose is worth nothing for another.
    package let purpose: Purpose
    /// Seconds since 1970; the code is good before this second.
    package let expiry: Int64

    /// The content of a code; only `make` gives it a signature.
    package init(id: TokenID, purpose: Purpose, expiry: Int64) {
        self.id = id
        self.purpose = purpose
        self.expiry = expiry
    }

    /// The first expiry that five bytes cannot hold, in the year 36812.
    private static let expiryLimit: Int64 = 1 << 40

    /// Makes the text of a code under the newest secret.
    ///
    /// - Parameters:
    ///   - id: names the code in the database.
    ///   - purpose: what it is for.
    ///   - expiry: seconds since 1970, from 0 to 2⁴⁰ − 1.
    ///   - secrets: the server's.
    /// - Returns: 54 characters.
    /// - Throws: `CryptoError` of kind `.invalidArgument` for an expiry out of range, or when OpenSSL fails.
    package static func make(
        id: TokenID,
        purpose: Purpose,
        expiry: Int64,
        secrets: ServerSecrets
    ) throws(CryptoError) -> String {
        guard (0..<expiryLimit).contains(expiry) else { throw CryptoError(.invalidArgument, "action code expiry") }
        let payload = id.bytes + [purpose.rawValue] + UInt64(expiry).bigEndianBytes.suffix(5)
        return try SignedFrame.make(.actionCode, payload, secrets)
    }

    /// Checks a text that came from outside.
    ///
    /// - Parameters:
    ///   - text: anything.
    ///   - secrets: the server's.
    ///   - now: seconds since 1970.
    /// - Returns: nil unless it is a code of ours, unchanged.
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func verify(
        _ text: String,
        secrets: ServerSecrets,
        now: Int64
    ) throws(CryptoError) -> Verdict? {
        guard let (_, payload) = try SignedFrame.open(.actionCode, text, secrets),
            let id = TokenID(bytes: payload.prefix(TokenID.byteCount)),
            let purpose = payload.dropFirst(TokenID.byteCount).first.flatMap(Purpose.init)
        else { return nil }
        let code = ActionCode(id: id, purpose: purpose, expiry: Int64(UInt64(bigEndian: payload.suffix(5))))
        return now < code.expiry ? .valid(code) : .expired(code)
    }
}
