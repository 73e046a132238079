/// The supported JWS signature algorithms (RFC 7518 section 3.1, RFC 8037).
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    /// ECDSA on P-256 with SHA-256; the default.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
    /// RSASSA-PKCS1-v1_5 with SHA-256, keys of 2048 to 8192 bits.
    case rs256 = "RS256"
}
