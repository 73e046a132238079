internal import COpenSSL

/// Owns one `EVP_PKEY`, private or public.
///
/// OpenSSL does not change a finished key, and locks its internal caches, so threads can share it.
@safe
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of a new OpenSSL key, which is freed with this object.
    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// Whether this key may be used with an algorithm: type, curve and strength.
    func fits(_ algorithm: SignatureAlgorithm) -> Bool {
        switch algorithm {
        case .es256: unsafe latchkey_is_p256(pointer) == 1
        case .edDSA: unsafe EVP_PKEY_is_a(pointer, "ED25519") == 1
        case .rs256: unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 && (2048...8192).contains(EVP_PKEY_get_bits(pointer))
        }
    }

    func parameters(_ algorithm: SignatureAlgorithm) throws(CryptoError) -> PublicKeyParameters {
        switch algorithm {
        case .es256: .ec(x: try integer("qx", width: 32), y: try integer("qy", width: 32))
        case .edDSA: .okp(x: try rawPublicKey())
        case .rs256: .rsa(n: try integer("n"), e: try integer("e"))
        }
    }

    private func integer(_ name: String, width: Int32 = 0) throws(CryptoError) -> [UInt8] {
        // `fits` accepts at most 8192 bits.
        let capacity = width > 0 ? width : 1024
        var length: Int32 = -1
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(capacity)) { output, written in
            length = unsafe latchkey_integer(pointer, name, output.baseAddress, capacity, width)
            written = max(0, Int(length))
        }
        guard length > 0 else { throw .last("EVP_PKEY_get_bn_param", kind: .invalidKey) }
        return bytes
    }

    private func rawPublicKey() throws(CryptoError) -> [UInt8] {
        var done: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 32) { output, written in
            var length = 32
            done = unsafe EVP_PKEY_get_raw_public_key(pointer, output.baseAddress, &length)
            written = done == 1 ? length : 0
        }
        guard done == 1, bytes.count == 32 else { throw .last("EVP_PKEY_get_raw_public_key", kind: .invalidKey) }
        return bytes
    }
}
