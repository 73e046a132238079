internal import COpenSSL

/// Ed25519 (RFC 8032) over whole messages.
///
/// OpenSSL signs and verifies by Ed25519 only in a single call, with a new context each time.
enum EdDSA {
    static let signatureLength = 64

    static func sign(_ message: Span<UInt8>, with key: KeyHandle) throws(CryptoError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .last("EVP_MD_CTX_new") }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestSignInit(context, nil, nil, nil, key.pointer) == 1 else {
            throw .last("EVP_DigestSignInit")
        }
        var done: Int32 = 0
        let signature = unsafe [UInt8](unsafeUninitializedCapacity: signatureLength) { output, written in
            var length = signatureLength
            done = unsafe message.withUnsafeBufferPointer { message in
                unsafe EVP_DigestSign(context, output.baseAddress, &length, message.baseAddress, message.count)
            }
            written = done == 1 ? length : 0
        }
        guard done == 1 else { throw .last("EVP_DigestSign") }
        return signature
    }

    static func accepts(
        signature: [UInt8],
        for message: Span<UInt8>,
        with key: KeyHandle
    ) throws(CryptoError) -> Bool {
        guard signature.count == signatureLength else { return false }
        guard let context = unsafe EVP_MD_CTX_new() else { throw .last("EVP_MD_CTX_new") }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key.pointer) == 1 else {
            throw .last("EVP_DigestVerifyInit")
        }
        let answer = unsafe signature.span.withUnsafeBufferPointer { signature in
            unsafe message.withUnsafeBufferPointer { message in
                unsafe EVP_DigestVerify(
                    context,
                    signature.baseAddress,
                    signature.count,
                    message.baseAddress,
                    message.count
                )
            }
        }
        if answer != 1 { ERR_clear_error() }
        return answer == 1
    }
}
