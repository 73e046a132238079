internal import COpenSSL

/// The server's side of a TLS connection, which does no I/O.
///
/// The owner moves the encrypted bytes between the connection and a socket.
///
///     connection.receive(bytesFromSocket)
///     let isReady = try connection.handshake()
///     send(connection.takeOutput())
///
/// Use it from one thread at a time.
@safe package struct TLSServerConnection: ~Copyable {
    private let ssl: OpaquePointer
    // Owned by `ssl`.
    private let input: OpaquePointer
    private let output: OpaquePointer

    init(context: OpaquePointer) throws(TLSError) {
        guard let ssl = unsafe SSL_new(context) else { throw OpenSSLErrors.take(.setUp) }
        guard let input = unsafe BIO_new(BIO_s_mem()), let output = unsafe BIO_new(BIO_s_mem()) else {
            unsafe SSL_free(ssl)
            throw OpenSSLErrors.take(.setUp)
        }
        unsafe latchkey_tls_empty_means_wait(input)
        unsafe latchkey_tls_empty_means_wait(output)
        unsafe SSL_set_bio(ssl, input, output)
        unsafe SSL_set_accept_state(ssl)
        unsafe self.ssl = ssl
        unsafe self.input = input
        unsafe self.output = output
    }

    deinit { unsafe SSL_free(ssl) }

    /// The negotiated version of TLS, such as "TLSv1.3"; meaningful once the handshake is done.
    package var version: String { unsafe String(cString: SSL_get_version(ssl)) }

    /// Takes encrypted bytes that came from the client, for the next call of `handshake()` or `read(maximum:)`.
    ///
    /// - Parameter bytes: the bytes from the socket.
    package mutating func receive(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        _ = unsafe BIO_write(input, bytes, Int32(clamping: bytes.count))
    }

    /// Continues the handshake.
    ///
    /// - Returns: whether the handshake is done; if not, it needs more bytes from the client. In both cases, send
    ///   `takeOutput()` first.
    /// - Throws: `TLSError` when the handshake failed; `takeOutput()` may still return an alert to send.
    package mutating func handshake() throws(TLSError) -> Bool {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(ssl)
        if result == 1 { return true }
        guard unsafe SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ else { throw OpenSSLErrors.take(.handshake) }
        return false
    }

    /// Decrypts received bytes.
    ///
    /// - Parameter maximum: the maximum number of bytes to return.
    /// - Returns: bytes of the client; empty when more must be received first; nil when the client ended the stream.
    /// - Throws: `TLSError` when the stream is broken.
    package mutating func read(maximum: Int = 16_384) throws(TLSError) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: max(1, maximum))
        ERR_clear_error()
        let count = unsafe SSL_read(ssl, &buffer, Int32(clamping: buffer.count))
        if count > 0 { return Array(buffer[..<Int(count)]) }
        switch unsafe SSL_get_error(ssl, count) {
        case SSL_ERROR_WANT_READ: return []
        case SSL_ERROR_ZERO_RETURN: return nil
        default: throw OpenSSLErrors.take(.read)
        }
    }

    /// Encrypts bytes for the client, to be sent with the next `takeOutput()`.
    ///
    /// - Parameter bytes: the bytes to send.
    /// - Throws: `TLSError` when the stream is broken.
    package mutating func write(_ bytes: [UInt8]) throws(TLSError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(16_384))
            ERR_clear_error()
            let count = unsafe SSL_write(ssl, piece, Int32(piece.count))
            guard count > 0 else { throw OpenSSLErrors.take(.write) }
            rest = rest.dropFirst(Int(count))
        }
    }

    /// Ends the server's side of the stream: adds TLS's closing notification (`close_notify`) to `takeOutput()`.
    package mutating func close() {
        ERR_clear_error()
        _ = unsafe SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// Returns and removes the encrypted bytes that wait to be sent to the client; empty if there are none.
    package mutating func takeOutput() -> [UInt8] {
        let count = unsafe latchkey_tls_pending(output)
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe BIO_read(output, &bytes, Int32(clamping: count))
        return read == count ? bytes : Array(bytes.prefix(max(0, Int(read))))
    }
}
