internal import COpenSSL

extension VerificationKey {
    /// The longest PEM text that is read, in bytes.
    private static let longestPEM = 1 << 20

    /// Reads public keys, and those of certificates, from a PEM text (RFC 7468).
    ///
    /// What stands around the blocks is ignored. A certificate is only what holds the key: neither its times nor its issuer are looked at.
    ///
    /// - Parameters:
    ///   - pem: the text.
    ///   - algorithm: what the keys have to be for.
    /// - Returns: the keys in their order; none where there is no block.
    /// - Throws: `CryptoError` of kind `.invalidKey` for a block that is damaged or of another kind, a private key among
    ///   them, and for a key that is too weak or of another algorithm.
    package static func reading(pem: String, _ algorithm: SignatureAlgorithm) throws(CryptoError) -> [VerificationKey] {
        let bytes = Array(pem.utf8)
        guard bytes.count <= longestPEM else { throw CryptoError(.invalidKey, "PEM text") }
        guard let input = unsafe BIO_new(BIO_s_mem()) else { throw .last("BIO_new") }
        defer { unsafe BIO_free(input) }
        guard unsafe bytes.isEmpty || BIO_write(input, bytes, Int32(bytes.count)) == Int32(bytes.count) else {
            throw .last("BIO_write")
        }
        var keys: [VerificationKey] = []
        while true {
            var isEnd: Int32 = 0
            guard let key = unsafe latchkey_next_public_key(input, &isEnd) else {
                guard isEnd == 1 else { throw .last("public key in PEM", kind: .invalidKey) }
                ERR_clear_error()
                return keys
            }
            keys.append(try unsafe VerificationKey(KeyHandle(owning: key), algorithm))
        }
    }
}
