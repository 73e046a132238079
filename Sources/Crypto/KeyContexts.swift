internal import COpenSSL

/// Contexts that are prepared to sign or verify with one ES256 or RS256 key.
///
/// Creating a context costs several look-ups by name inside OpenSSL, so idle contexts are kept (``ContextPool``).
final class KeyContexts: Sendable {
    enum Use: Sendable {
        case sign
        case verify
    }

    private let key: KeyHandle
    private let algorithm: SignatureAlgorithm
    private let use: Use
    private let idle = ContextPool<KeyContext>()

    init(_ key: KeyHandle, _ algorithm: SignatureAlgorithm, for use: Use) {
        self.key = key
        self.algorithm = algorithm
        self.use = use
    }

    func take() throws(CryptoError) -> KeyContext {
        if let context = idle.take() { return context }
        return try KeyContext(key, algorithm, for: use)
    }

    /// Gives a context back after a successful use.
    ///
    /// After a failure, the caller must drop the context instead.
    func put(_ context: KeyContext) {
        idle.put(context)
    }
}

/// An `EVP_PKEY_CTX` that is ready to sign or verify any number of digests with one key.
///
/// "EVP_PKEY_sign() can be called more than once on the same context if several operations are performed using the same
/// parameters" (EVP_PKEY_sign(3)). The same holds for verifying.
@safe
final class KeyContext: @unchecked Sendable {  // used only by the thread that took it out of its KeyContexts
    private let context: OpaquePointer

    init(_ key: KeyHandle, _ algorithm: SignatureAlgorithm, for use: KeyContexts.Use) throws(CryptoError) {
        guard let made = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else {
            throw .last("EVP_PKEY_CTX_new_from_pkey")
        }
        unsafe context = made
        let started =
            switch use {
            case .sign: unsafe EVP_PKEY_sign_init(made)
            case .verify: unsafe EVP_PKEY_verify_init(made)
            }
        guard started == 1 else { throw .last("EVP_PKEY_sign_init") }
        guard algorithm == .rs256 else { return }
        guard unsafe latchkey_use_rs256(made, Algorithms.shared.sha256) == 1 else {
            throw .last("EVP_PKEY_CTX_set_rsa_padding")
        }
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(context)
    }

    func sign(digest: [UInt8], capacity: Int) throws(CryptoError) -> [UInt8] {
        var done: Int32 = 0
        let signature = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, written in
            var length = capacity
            done = unsafe digest.span.withUnsafeBufferPointer { digest in
                unsafe EVP_PKEY_sign(context, output.baseAddress, &length, digest.baseAddress, digest.count)
            }
            written = done == 1 ? length : 0
        }
        guard done == 1 else { throw .last("EVP_PKEY_sign") }
        return signature
    }

    func accepts(signature: [UInt8], digest: [UInt8]) -> Bool {
        let answer = unsafe signature.span.withUnsafeBufferPointer { signature in
            unsafe digest.span.withUnsafeBufferPointer { digest in
                unsafe EVP_PKEY_verify(
                    context,
                    signature.baseAddress,
                    signature.count,
                    digest.baseAddress,
                    digest.count
                )
            }
        }
        // 0 is a wrong signature, and a negative result one that OpenSSL cannot parse. Neither is accepted.
        if answer != 1 { ERR_clear_error() }
        return answer == 1
    }
}
