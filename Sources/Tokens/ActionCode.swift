package import Crypto

/// The signed single-use secret in an e-mail link (`oobCode` in the API).
///
/// Layout: version 1, key id 1, id 16, purpose 1, expiry 5 (seconds since 1970, big endian), HMAC-SHA256 truncated to
/// 16: 40 bytes, 54 base64url characters. Verification needs no database. The database records whether a code was used.
package struct ActionCode: Sendable, Equatable {
    /// The purpose of a code.
    package enum Purpose: UInt8, Sendable, CaseIterable {
        /// Sign in or link with an e-mail link (EMAIL_SIGNIN).
        case emailSignIn = 1
        /// Prove ownership of an address (VERIFY_EMAIL).
        case verifyEmail = 2
        /// Change to a new address (VERIFY_AND_CHANGE_EMAIL).
        case verifyAndChangeEmail = 3
        /// Restore an address that was changed or removed, or contest the account (RECOVER_EMAIL).
        case recoverEmail = 4
        /// Revert a change of sign-in methods (Latchkey's own).
        case revertMethodChange = 5
    }

    /// The result of verifying a text that is an unmodified code of this server.
    package enum Verdict: Sendable, Equatable {
        /// The code has not expired. Whether it was used is recorded in the database.
        case valid(ActionCode)
        /// The code has expired.
        case expired(ActionCode)
    }

    /// The ID by which the database finds the code's row.
    package let id: TokenID
    /// The only purpose for which the code is accepted.
    package let purpose: Purpose
    /// The end of the code's validity, in seconds since 1970.
    ///
    /// The code is valid before this second.
    package let expiry: Int64

    /// Creates the content of a code.
    ///
    /// This value is not signed; ``make(id:purpose:expiry:secrets:)`` returns the signed text.
    package init(id: TokenID, purpose: Purpose, expiry: Int64) {
        self.id = id
        self.purpose = purpose
        self.expiry = expiry
    }

    /// The first expiry that five bytes cannot hold, in the year 36812.
    private static let expiryLimit: Int64 = 1 << 40

    /// Makes the text of a code, signed with the newest secret.
    ///
    /// - Parameters:
    ///   - id: the ID of the code in the database.
    ///   - purpose: its purpose.
    ///   - expiry: seconds since 1970, from 0 to 2⁴⁰ − 1.
    ///   - secrets: the server's secrets.
    /// - Returns: 54 characters.
    /// - Throws: `CryptoError` of kind `.invalidArgument` for an expiry out of range, or when OpenSSL fails.
    package static func make(
        id: TokenID,
        purpose: Purpose,
        expiry: Int64,
        secrets: ServerSecrets
    ) throws(CryptoError) -> String {
        guard (0..<expiryLimit).contains(expiry) else { throw CryptoError(.invalidArgument, "action code expiry") }
        var payload = id.bytes
        payload.append(purpose.rawValue)
        payload.append(bigEndian: UInt64(expiry), count: 5)
        return try SignedFrame.make(.actionCode, payload, secrets)
    }

    /// Verifies an untrusted text.
    ///
    /// - Parameters:
    ///   - text: any text.
    ///   - secrets: the server's secrets.
    ///   - now: seconds since 1970.
    /// - Returns: the code and whether it has expired; nil unless the text is an unmodified code of this server.
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
