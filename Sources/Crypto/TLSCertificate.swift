internal import COpenSSL

/// A self-signed certificate with its private key: ECDSA on P-256, valid from an hour before it was made until 366 days
/// after (RFC 5280).
///
/// A client trusts the certificate if `pem` is its list of authorities (`curl --cacert`).
@safe package final class TLSCertificate: @unchecked Sendable {
    // Unchecked: both objects are written only in the initializer, and OpenSSL counts their references atomically.
    let certificate: OpaquePointer
    let privateKey: OpaquePointer

    /// The certificate in PEM, without the private key.
    package let pem: String

    /// Generates a key and signs a certificate for it; both are kept in memory only.
    ///
    /// - Parameter names: the host names and IP addresses that the certificate is valid for; the first is also its
    ///   common name. Each has 1 to 64 letters, digits, dots, colons and hyphens.
    /// - Throws: `TLSError` when there is no name, a name is invalid, or OpenSSL fails.
    package init(names: [String] = ["localhost", "127.0.0.1", "::1"]) throws(TLSError) {
        guard let first = names.first, names.allSatisfy(Self.isName) else {
            throw TLSError(step: .setUp, reason: "no name for the certificate")
        }
        guard let key = unsafe latchkey_tls_generate_p256() else { throw OpenSSLErrors.take(.setUp) }
        guard let certificate = unsafe X509_new() else {
            unsafe EVP_PKEY_free(key)
            throw OpenSSLErrors.take(.setUp)
        }
        guard unsafe Self.fill(certificate, key: key, commonName: first, alternativeNames: names),
            let pem = unsafe Self.pem(of: certificate)
        else {
            unsafe X509_free(certificate)
            unsafe EVP_PKEY_free(key)
            throw OpenSSLErrors.take(.setUp)
        }
        unsafe self.certificate = certificate
        unsafe self.privateKey = key
        self.pem = pem
    }

    deinit {
        unsafe X509_free(certificate)
        unsafe EVP_PKEY_free(privateKey)
    }

    private static let oneYear = 366 * 24 * 3600

    private static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x2d...0x2e,
                    0x30...0x3a:
                    true
                default: false
                }
            }
    }

    private static func isIPAddress(_ name: String) -> Bool {
        name.utf8.contains(UInt8(ascii: ":")) || name.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2e }
    }

    private static func fill(
        _ certificate: OpaquePointer,
        key: OpaquePointer,
        commonName: String,
        alternativeNames: [String]
    ) -> Bool {
        var serial: UInt64 = 0
        guard unsafe RAND_bytes(&serial, Int32(MemoryLayout<UInt64>.size)) == 1 else { return false }
        // Positive and not zero (RFC 5280 §4.1.2.2).
        serial = serial >> 1 | 1
        let san = alternativeNames.map { (isIPAddress($0) ? "IP:" : "DNS:") + $0 }.joined(separator: ",")
        return unsafe X509_set_version(certificate, 2) == 1
            && ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1
            // An hour of tolerance for clocks that are behind.
            && X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != nil
            && X509_gmtime_adj(X509_getm_notAfter(certificate), oneYear) != nil
            && X509_set_pubkey(certificate, key) == 1
            && name(certificate, commonName)
            && latchkey_tls_add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE") == 1
            && latchkey_tls_add_extension(certificate, NID_key_usage, "critical,digitalSignature") == 1
            && latchkey_tls_add_extension(certificate, NID_ext_key_usage, "serverAuth") == 1
            && latchkey_tls_add_extension(certificate, NID_subject_key_identifier, "hash") == 1
            && latchkey_tls_add_extension(certificate, NID_subject_alt_name, san) == 1
            && X509_sign(certificate, key, EVP_sha256()) > 0
    }

    private static func name(_ certificate: OpaquePointer, _ commonName: String) -> Bool {
        guard let subject = unsafe X509_get_subject_name(certificate) else { return false }
        let bytes = Array(commonName.utf8)
        return unsafe X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0) == 1
            && X509_set_issuer_name(certificate, subject) == 1
    }

    private static func pem(of certificate: OpaquePointer) -> String? {
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { return nil }
        defer { unsafe BIO_free(bio) }
        guard unsafe PEM_write_bio_X509(bio, certificate) == 1 else { return nil }
        var start: UnsafeMutablePointer<CChar>?
        let count = unsafe latchkey_tls_memory(bio, &start)
        guard let start = unsafe start, count > 0 else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}
