/// The public parameters of a key as in a JWK (RFC 7518 section 6, RFC 8037 section 2), big endian.
package enum PublicKeyParameters: Sendable, Hashable {
    /// A point of P-256, by its coordinates.
    ///
    /// `VerificationKey` rejects coordinates that do not have 32 bytes. This type does not check them.
    case ec(x: [UInt8], y: [UInt8])
    /// An Ed25519 public key of 32 bytes.
    case okp(x: [UInt8])
    /// An RSA modulus and exponent without leading zeros.
    case rsa(n: [UInt8], e: [UInt8])

    /// The algorithm that is used with keys of this type.
    package var algorithm: SignatureAlgorithm {
        switch self {
        case .ec: .es256
        case .okp: .edDSA
        case .rsa: .rs256
        }
    }
}
