internal import COpenSSL

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D) with a random 96-bit nonce and a 128-bit tag.
///
/// With random nonces one key should seal at most 2³² messages.
package enum AESGCM {
    /// The number of bytes in a key.
    package static let keyLength = 32
    /// The number of bytes in the nonce at the start of sealed bytes.
    package static let nonceLength = 12
    /// The number of bytes in the tag at the end of sealed bytes.
    package static let tagLength = 16

    /// Encrypts and authenticates bytes under a fresh random nonce.
    ///
    /// - Parameters:
    ///   - plaintext: the bytes to encrypt; may be empty.
    ///   - key: 32 bytes.
    ///   - associatedData: the data that the sealed bytes are bound to, but do not contain.
    /// - Returns: nonce ‖ ciphertext ‖ tag.
    /// - Throws: `CryptoError` of kind `.invalidKey` for a key of another length, `.invalidArgument` if the plaintext
    ///   or the associated data has 2 GiB or more, or when OpenSSL fails.
    package static func seal(
        _ plaintext: [UInt8],
        key: SecureBytes,
        associatedData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try insecureSeal(plaintext, key: key, associatedData: associatedData, nonce: Random.bytes(nonceLength))
    }

    /// Encrypts like ``seal(_:key:associatedData:)``, but with the caller's nonce, for published test vectors.
    ///
    /// - Throws: what ``seal(_:key:associatedData:)`` throws, and `.invalidArgument` for a nonce of another length than
    ///   12 bytes.
    /// - Warning: A nonce used twice with one key reveals the key stream and the authentication key.
    package static func insecureSeal(
        _ plaintext: [UInt8],
        key: SecureBytes,
        associatedData: [UInt8],
        nonce: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard nonce.count == nonceLength else { throw CryptoError(.invalidArgument, "AES-GCM nonce") }
        let cipher = try CipherContext(key: key, nonce: nonce, direction: .encrypt)
        try cipher.authenticate(associatedData)
        var sealed = nonce
        sealed.append(contentsOf: try cipher.update(plaintext))
        sealed.append(contentsOf: try cipher.finishedTag())
        return sealed
    }

    /// Verifies and decrypts sealed bytes: nonce ‖ ciphertext ‖ tag, as ``seal(_:key:associatedData:)`` returns them.
    ///
    /// - Returns: the plaintext, once the tag has been verified.
    /// - Throws: `CryptoError` of kind `.authenticationFailed` when the bytes are too short, were changed, or were
    ///   sealed under another key or for other associated data; of kind `.invalidKey` for a key of another length;
    ///   `.invalidArgument` for 2 GiB or more; or when OpenSSL fails.
    package static func open(
        _ sealed: [UInt8],
        key: SecureBytes,
        associatedData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= nonceLength + tagLength else { throw CryptoError(.authenticationFailed, "AES-GCM") }
        let nonce = Array(sealed[..<nonceLength])
        let ciphertext = Array(sealed[nonceLength..<(sealed.count - tagLength)])
        let cipher = try CipherContext(key: key, nonce: nonce, direction: .decrypt)
        try cipher.authenticate(associatedData)
        var plaintext = try cipher.update(ciphertext)
        guard cipher.accepts(tag: Array(sealed[(sealed.count - tagLength)...])) else {
            wipe(&plaintext)
            throw .last("AES-GCM", kind: .authenticationFailed)
        }
        return plaintext
    }
}

/// An OpenSSL context that encrypts or decrypts one message, and wipes its key when freed.
@safe
private struct CipherContext: ~Copyable {
    enum Direction: Int32 {
        case decrypt = 0
        case encrypt = 1
    }

    private let context: OpaquePointer

    init(key: SecureBytes, nonce: [UInt8], direction: Direction) throws(CryptoError) {
        guard key.count == AESGCM.keyLength else { throw CryptoError(.invalidKey, "AES-256-GCM") }
        guard let made = unsafe EVP_CIPHER_CTX_new() else { throw .last("EVP_CIPHER_CTX_new") }
        let done = key.withSpan { key in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe nonce.span.withUnsafeBufferPointer { nonce in
                    // The default nonce length of AES-GCM is 12 bytes.
                    unsafe EVP_CipherInit_ex2(
                        made,
                        Algorithms.shared.aes256GCM,
                        key.baseAddress,
                        nonce.baseAddress,
                        direction.rawValue,
                        nil
                    )
                }
            }
        }
        guard done == 1 else {
            unsafe EVP_CIPHER_CTX_free(made)
            throw .last("EVP_CipherInit_ex2")
        }
        unsafe context = made
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(context)
    }

    func authenticate(_ bytes: [UInt8]) throws(CryptoError) {
        guard !bytes.isEmpty else { return }
        guard let length = Int32(exactly: bytes.count) else { throw CryptoError(.invalidArgument, "AES-GCM") }
        var written: Int32 = 0
        let done = unsafe bytes.span.withUnsafeBufferPointer { bytes in
            unsafe EVP_CipherUpdate(context, nil, &written, bytes.baseAddress, length)
        }
        guard done == 1 else { throw .last("EVP_CipherUpdate") }
    }

    /// Encrypts or decrypts bytes, whichever the context was created for, and returns as many bytes.
    ///
    /// Decrypted bytes must not be used before ``accepts(tag:)`` returned `true`.
    func update(_ input: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard !input.isEmpty else { return [] }
        guard let length = Int32(exactly: input.count) else { throw CryptoError(.invalidArgument, "AES-GCM") }
        var done: Int32 = 0
        let output = unsafe [UInt8](unsafeUninitializedCapacity: input.count) { output, count in
            var written: Int32 = 0
            done = unsafe input.span.withUnsafeBufferPointer { input in
                unsafe EVP_CipherUpdate(context, output.baseAddress, &written, input.baseAddress, length)
            }
            count = done == 1 ? Int(written) : 0
        }
        guard done == 1, output.count == input.count else { throw .last("EVP_CipherUpdate") }
        return output
    }

    func finishedTag() throws(CryptoError) -> [UInt8] {
        guard finish() else { throw .last("EVP_CipherFinal_ex") }
        var done: Int32 = 0
        let tag = unsafe [UInt8](unsafeUninitializedCapacity: AESGCM.tagLength) { tag, written in
            done = unsafe latchkey_gcm_get_tag(context, Int32(AESGCM.tagLength), tag.baseAddress)
            written = done == 1 ? AESGCM.tagLength : 0
        }
        guard done == 1 else { throw .last("EVP_CTRL_AEAD_GET_TAG") }
        return tag
    }

    /// Whether the tag is that of the decrypted message and its associated data; compared in constant time.
    func accepts(tag: [UInt8]) -> Bool {
        var tag = tag
        let set = unsafe tag.withUnsafeMutableBufferPointer { tag in
            unsafe latchkey_gcm_set_tag(context, Int32(tag.count), tag.baseAddress)
        }
        return set == 1 && finish()
    }

    private func finish() -> Bool {
        // GCM writes nothing here, but OpenSSL requires a buffer.
        var unused = [UInt8](repeating: 0, count: 16)
        return unsafe unused.withUnsafeMutableBufferPointer { unused in
            var written: Int32 = 0
            return unsafe EVP_CipherFinal_ex(context, unused.baseAddress, &written) == 1 && written == 0
        }
    }
}
