package import Crypto

/// Why a text is not a token signed by one of the known keys.
package enum JWTError: Error, Sendable, Equatable {
    /// Longer than `JWT.maximumLength`; not looked at any further.
    case tooLong
    /// Not three strict base64url segments with a JSON object in the first.
    case malformed
    /// The header asks for something we do not do: `crit`, or a `typ` other than `JWT`.
    case unsupportedHeader
    /// The header names no key, or none that is known.
    case unknownKey
    /// The header names another algorithm than the key has; `none` is always one.
    case wrongAlgorithm
    /// The key did not sign this.
    case badSignature
    /// Signed, but the claims are not a JSON object.
    case malformedClaims
    /// OpenSSL failed; nothing is known about the token.
    case library(CryptoError)
}
