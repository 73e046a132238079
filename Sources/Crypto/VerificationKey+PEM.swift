internal import COpenSSL

extension VerificationKey {
    /// The maximum length of a PEM text, in bytes.
    private static let longestPEM = 1 << 20

    /// Reads all public keys in a PEM text (RFC 7468), both bare ones and those in certificates.
    ///
    /// Text around the blocks is ignored. Certificates serve only as containers of keys: neither their times nor their
    /// issuers are checked.
    ///
    /// - Parameters:
    ///   - pem: the text.
    ///   - algorithm: the required algorithm of the keys.
    /// - Returns: the keys in their order; none if there is no block.
    /// - Throws: `CryptoError` of kind `.invalidKey` for a damaged block, a block of another type such as a private
    ///   key, a key that is too weak or for another algorithm, or a text of more than 1 MiB; or when OpenSSL fails.
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
