internal import CMicrohttpd
internal import Glibc
internal import Synchronization

/// A certificate chain with its private key, as new TLS connections use them.
@safe final class Certificate: @unchecked Sendable {  // Written by `init` only; GnuTLS lets any thread read both.
    /// When the certificate expires, in seconds since 1970.
    let expiry: Int64
    private let files: [[UInt8]]
    private var loaded: latchkey_http_certificate

    /// Reads and checks the files of a certificate chain and its key.
    ///
    /// - Throws: `ServerStartError` if a file cannot be read or parsed, or the key is not the certificate's.
    init(_ tls: HTTPConfiguration.TLS) throws(ServerStartError) {
        files = [try Self.read(tls.certificateFile), try Self.read(tls.keyFile)]
        var loaded = unsafe latchkey_http_certificate()
        let result = unsafe Int(
            latchkey_http_load_certificate(&loaded, files[0], files[0].count, files[1], files[1].count)
        )
        guard result == 0 else {
            let file = result == LATCHKEY_BAD_KEY ? tls.keyFile : tls.certificateFile
            switch result {
            case LATCHKEY_BAD_CERTIFICATE, LATCHKEY_BAD_KEY:
                throw ServerStartError("\(file) is not usable; it must be in PEM format")
            default:
                throw ServerStartError("\(tls.keyFile) is not the key of the certificate in \(tls.certificateFile)")
            }
        }
        unsafe self.loaded = unsafe loaded
        expiry = unsafe Int64(loaded.expiry)
    }

    deinit {
        unsafe latchkey_http_free_certificate(&loaded)
    }

    /// Whether another certificate came from files with the same content.
    func isSame(as other: Certificate) -> Bool { files == other.files }

    /// Passes chain and key to a TLS handshake; they must outlive it.
    func give(
        _ chain: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>,
        _ count: UnsafeMutablePointer<UInt32>,
        _ key: UnsafeMutablePointer<gnutls_privkey_t?>
    ) {
        unsafe chain.pointee = unsafe loaded.chain
        unsafe count.pointee = unsafe loaded.count
        unsafe key.pointee = unsafe loaded.key
    }

    private static func read(_ file: String) throws(ServerStartError) -> [UInt8] {
        guard let stream = unsafe fopen(file, "re") else {
            throw ServerStartError(unsafe "cannot read \(file): \(String(cString: strerror(errno)))")
        }
        defer { unsafe fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = unsafe fread(&bytes, 1, bytes.count, stream)
        guard count < bytes.count else { throw ServerStartError("\(file) is too long for a certificate or key") }
        return Array(bytes[..<count])
    }
}

/// The certificate of a server, which can be replaced while the server runs.
final class Certificates: Sendable {
    private struct State {
        var current: Certificate?
        /// The replaced certificates, kept because a handshake may still use one.
        ///
        /// A certificate is replaced every few weeks.
        var earlier: [Certificate] = []
    }

    private let state: Mutex<State>

    /// Makes the store with its first certificate; `nil` for a server without TLS.
    init(_ certificate: Certificate?) {
        state = Mutex(State(current: certificate))
    }

    /// The certificate for new connections; `nil` without TLS.
    var current: Certificate? { state.withLock(\.current) }

    /// Uses another certificate for connections from now on.
    func replace(_ certificate: Certificate) {
        state.withLock { state in
            if let current = state.current { state.earlier.append(current) }
            state.current = certificate
        }
    }
}

/// Chooses the certificate of a TLS handshake for libmicrohttpd.
///
/// A `gnutls_certificate_retrieve_function2`. GnuTLS uses what it gets until the handshake is over and frees nothing.
@c func latchkey_http_retrieve(
    _ session: OpaquePointer?,
    _ authorities: UnsafePointer<gnutls_datum_t>?,
    _ authorityCount: Int32,
    _ algorithms: UnsafePointer<gnutls_pk_algorithm_t>?,
    _ algorithmCount: Int32,
    _ chain: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?,
    _ count: UnsafeMutablePointer<UInt32>?,
    _ key: UnsafeMutablePointer<gnutls_privkey_t?>?
) -> Int32 {
    // libmicrohttpd stores the connection in the session, before the handshake.
    guard let session = unsafe session, let chain = unsafe chain, let count = unsafe count, let key = unsafe key,
        let own = unsafe latchkey_http_session_context(session)
    else { return -1 }
    let connection = unsafe Unmanaged<Connection>.fromOpaque(own).takeUnretainedValue()
    guard let certificate = connection.core.certificates.current else { return -1 }
    unsafe certificate.give(chain, count, key)
    return 0
}
