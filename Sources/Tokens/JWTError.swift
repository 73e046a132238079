package import Crypto

/// The reason why a text is not a token signed by one of the known keys.
package enum JWTError: Error, Sendable, Equatable {
    /// The text is longer than `JWT.maximumLength`, and was not examined further.
    case tooLong
    /// Not three strict base64url segments, or the header is not a JSON object with an `alg`.
    case malformed
    /// The header requires an unsupported feature: `crit`, or a `typ` other than `JWT`.
    case unsupportedHeader
    /// The header names an unknown key, or names none and there is no ``VerificationKeys/unnamed`` key; or, if the keys
    /// are found by `iss`, the issuer is missing or unknown.
    case unknownKey
    /// The header's algorithm is not supported (`none` never is), or not that of the key, or of any of the issuer's.
    case wrongAlgorithm
    /// The signature was not made by the key, or by none of the issuer's keys.
    case badSignature
    /// Signed, but the claims are not a JSON object.
    case malformedClaims
    /// OpenSSL failed. Nothing is known about the token.
    case library(CryptoError)
}
