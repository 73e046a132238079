internal import CCurl

/// A libcurl easy handle with the connections that it keeps open.
///
/// Used by one thread at a time.
@safe
struct EasyHandle: ~Copyable {
    private let handle: UnsafeMutableRawPointer
    /// The contexts of the callbacks, by the first option that has their address.
    ///
    /// Declared here so that they outlive `curl_easy_cleanup`, which may still call the callbacks.
    private var contexts: [CURLoption.RawValue: AnyObject] = [:]

    private init(owning handle: UnsafeMutableRawPointer) {
        unsafe self.handle = unsafe handle
    }

    /// Creates a handle that ignores the environment's proxy settings and `.netrc`.
    static func make() throws(TransferError) -> EasyHandle {
        guard CurlLibrary.isReady, let raw = unsafe curl_easy_init() else {
            throw TransferError(.other, "libcurl cannot be initialised")
        }
        let handle = unsafe EasyHandle(owning: raw)
        // Timeouts without signals, as threads need.
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_PROXY, "")
        try handle.set(CURLOPT_NOPROXY, "*")
        try handle.set(CURLOPT_NETRC, 0)
        return handle
    }

    deinit {
        // Closing an SMTP connection sends QUIT and waits for the answer, for up to two minutes.
        let limit = ClosingLimit(socket: activeSocket)
        unsafe curl_easy_cleanup(handle)
        limit?.end()
    }

    /// Sets a number or a flag.
    borrowing func set(_ option: CURLoption, _ value: Int) throws(TransferError) {
        try check(unsafe latchkey_curl_set_long(handle, option, value))
    }

    /// Sets a size.
    borrowing func set(_ option: CURLoption, size: Int) throws(TransferError) {
        try check(unsafe latchkey_curl_set_size(handle, option, curl_off_t(size)))
    }

    /// Sets a string, which libcurl copies; nil restores the default.
    borrowing func set(_ option: CURLoption, _ value: String?) throws(TransferError) {
        guard let value else { return try check(unsafe latchkey_curl_set_string(handle, option, nil)) }
        guard !value.utf8.contains(0) else { throw TransferError(.invalid, "a NUL character in a transfer option") }
        try check(unsafe latchkey_curl_set_string(handle, option, value))
    }

    /// Trusts only the certificate authorities in a PEM file.
    borrowing func trust(onlyFile path: String) throws(TransferError) {
        try set(CURLOPT_CAINFO, path)
        // Otherwise Debian's libcurl would also trust the system's directory.
        try set(CURLOPT_CAPATH, nil)
    }

    /// Sets a list of strings, which must outlive the transfer; an empty list removes the previous one.
    borrowing func set(_ option: CURLoption, _ list: borrowing StringList) throws(TransferError) {
        try check(unsafe latchkey_curl_set_pointer(handle, option, list.head))
    }

    /// Sets the MIME body, which must outlive the transfer.
    borrowing func setBody(_ body: borrowing MIMEBody) throws(TransferError) {
        try check(unsafe latchkey_curl_set_pointer(handle, CURLOPT_MIMEPOST, UnsafeMutableRawPointer(body.mime)))
    }

    /// Copies the bytes of a request's body into the handle.
    borrowing func setBody(_ bytes: [UInt8]) throws(TransferError) {
        try set(CURLOPT_POSTFIELDSIZE_LARGE, size: bytes.count)
        let result = unsafe bytes.withUnsafeBytes { buffer in
            // An empty array may have no address, and a null pointer would mean "read the body from a callback".
            guard let start = buffer.baseAddress, unsafe !buffer.isEmpty else {
                return unsafe latchkey_curl_set_string(handle, CURLOPT_COPYPOSTFIELDS, "")
            }
            return unsafe latchkey_curl_set_pointer(
                handle,
                CURLOPT_COPYPOSTFIELDS,
                UnsafeMutableRawPointer(mutating: start)
            )
        }
        try check(result)
    }

    /// Clears options that point to lists and bodies, so that the handle has no dangling pointers after a transfer.
    borrowing func detach(_ options: CURLoption...) {
        for option in options { _ = unsafe latchkey_curl_set_pointer(handle, option, nil) }
    }

    /// Keeps the context of callbacks, and passes its address to the given options.
    mutating func attach(_ context: AnyObject, to first: CURLoption, _ others: CURLoption...) throws(TransferError) {
        contexts[first.rawValue] = context
        for option in [first] + others {
            try check(
                unsafe latchkey_curl_set_pointer(handle, option, Unmanaged.passUnretained(context).toOpaque())
            )
        }
    }

    borrowing func set(_ option: CURLoption, _ function: latchkey_curl_data_function) throws(TransferError) {
        try check(unsafe latchkey_curl_set_data_function(handle, option, function))
    }

    /// Sets the function that sees what is sent and received, and its context.
    mutating func setDebug(_ function: latchkey_curl_debug_function, _ context: AnyObject) throws(TransferError) {
        try attach(context, to: CURLOPT_DEBUGDATA)
        try check(unsafe latchkey_curl_set_debug_function(handle, function))
        try set(CURLOPT_VERBOSE, 1)
    }

    borrowing func setProgress(_ function: latchkey_curl_progress_function) throws(TransferError) {
        try check(unsafe latchkey_curl_set_progress_function(handle, function))
    }

    /// Sets the function that opens sockets, and its context.
    mutating func setOpenSocket(_ function: latchkey_curl_socket_function, _ context: AnyObject) throws(TransferError) {
        try attach(context, to: CURLOPT_OPENSOCKETDATA)
        try check(unsafe latchkey_curl_set_socket_function(handle, function))
    }

    /// Creates a MIME structure for this handle's next transfer; nil without memory.
    borrowing func makeMIME() -> OpaquePointer? { unsafe curl_mime_init(handle) }

    /// Runs the transfer on this thread until it ends, and returns CURLE_OK or an error.
    borrowing func perform() -> CURLcode { unsafe curl_easy_perform(handle) }

    /// Returns a number about the last transfer, 0 if libcurl does not know it.
    borrowing func number(_ info: CURLINFO) -> Int {
        var value = 0
        return unsafe latchkey_curl_get_long(handle, info, &value) == CURLE_OK ? value : 0
    }

    private var activeSocket: Int32? {
        var socket: curl_socket_t = -1
        guard unsafe latchkey_curl_get_socket(handle, &socket) == CURLE_OK, socket >= 0 else { return nil }
        return socket
    }

    private borrowing func check(_ code: CURLcode) throws(TransferError) {
        guard code != CURLE_OK else { return }
        throw TransferError(.other, code: Int(code.rawValue), code.sentence)
    }
}

extension CURLcode {
    /// libcurl's constant message for the code, without host, address or secret.
    var sentence: String { unsafe String(cString: curl_easy_strerror(self)) }
}
