internal import COpenSSL

/// OpenSSL's algorithm objects, fetched once: a fetch by name costs more than a short digest.
///
/// The objects are immutable and live as long as the process. An algorithm that OpenSSL does not have is `nil`, which
/// makes the calls that need it fail.
@safe
struct Algorithms: @unchecked Sendable {  // read only after initialisation; OpenSSL's fetched methods are thread-safe
    static let shared = Algorithms()

    let sha256: OpaquePointer?
    let hmac: OpaquePointer?
    let hkdf: OpaquePointer?
    let aes256GCM: OpaquePointer?

    private init() {
        unsafe sha256 = EVP_MD_fetch(nil, "SHA256", nil)
        unsafe hmac = EVP_MAC_fetch(nil, "HMAC", nil)
        unsafe hkdf = EVP_KDF_fetch(nil, "HKDF", nil)
        unsafe aes256GCM = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    }
}
