internal import COpenSSL

/// The server's side of TLS 1.2 and 1.3 for one certificate.
///
/// The connections do no I/O themselves: their owner moves the bytes (``TLSServerConnection``).
@safe package final class TLSServer: @unchecked Sendable {
    // Unchecked: an SSL_CTX may be used from many threads once it is set up ("SSL_CTX objects can be shared",
    // openssl-threads(7)).
    private let context: OpaquePointer

    /// The certificate that is presented to clients.
    package let certificate: TLSCertificate

    /// Sets up TLS for a certificate.
    ///
    /// - Parameter certificate: the certificate and key to serve.
    /// - Throws: `TLSError` when OpenSSL fails.
    package init(certificate: TLSCertificate) throws(TLSError) {
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else { throw OpenSSLErrors.take(.setUp) }
        guard unsafe latchkey_tls_require_version_1_2(context) == 1,
            unsafe SSL_CTX_use_certificate(context, certificate.certificate) == 1,
            unsafe SSL_CTX_use_PrivateKey(context, certificate.privateKey) == 1
        else {
            unsafe SSL_CTX_free(context)
            throw OpenSSLErrors.take(.setUp)
        }
        unsafe latchkey_tls_set_no_renegotiation(context)
        unsafe self.context = context
        self.certificate = certificate
    }

    deinit { unsafe SSL_CTX_free(context) }

    /// Creates the server's side of one connection, whose handshake has not begun.
    ///
    /// - Throws: `TLSError` when OpenSSL fails.
    package func connection() throws(TLSError) -> TLSServerConnection {
        unsafe try TLSServerConnection(context: context)
    }
}
