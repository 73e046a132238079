internal import CCurl

/// A libcurl easy handle, with the connections that it keeps open; used by one thread at a time.
@safe
struct EasyHandle: ~Copyable {
    private let handle: UnsafeMutableRawPointer
    /// What the callbacks work on; declared here so that it outlives `curl_easy_cleanup`, which may still call them.
    private var context: AnyObject?

    private init(owning handle: UnsafeMutableRawPointer) {
        unsafe self.handle = unsafe handle
    }

    /// A new handle that asks nothing of the environment.
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
        // Closing an SMTP connection says QUIT and waits for the answer, two minutes if need be.
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

    /// Sets a string, which libcurl copies; nil returns to the default.
    borrowing func set(_ option: CURLoption, _ value: String?) throws(TransferError) {
        guard let value else { return try check(unsafe latchkey_curl_set_string(handle, option, nil)) }
        guard !value.utf8.contains(0) else { throw TransferError(.invalid, "a NUL character in a transfer option") }
        try check(unsafe latchkey_curl_set_string(handle, option, value))
    }

    /// Trusts the certificate authorities in a PEM file, and none beside them.
    borrowing func trust(onlyFile path: String) throws(TransferError) {
        try set(CURLOPT_CAINFO, path)
        // Debian's libcurl would go on to trust the system's directory beside the file.
        try set(CURLOPT_CAPATH, nil)
    }

    /// Sets a list of strings, which must outlive the transfer; nil takes it away.
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

    /// Takes lists and bodies away, so that nothing dangles after a transfer.
    borrowing func detach(_ options: CURLoption...) {
        for option in options { _ = unsafe latchkey_curl_set_pointer(handle, option, nil) }
    }

    /// Keeps what the callbacks work on, and hands its address to the given options.
    mutating func attach(_ context: AnyObject, to options: CURLoption...) throws(TransferError) {
        self.context = context
        for option in options {
            try check(
                unsafe latchkey_curl_set_pointer(handle, option, Unmanaged.passUnretained(context).toOpaque())
            )
        }
    }

    borrowing func set(_ option: CURLoption, _ function: latchkey_curl_data_function) throws(TransferError) {
        try check(unsafe latchkey_curl_set_data_function(handle, option, function))
    }

    borrowing func setDebug(_ function: latchkey_curl_debug_function) throws(TransferError) {
        try check(unsafe latchkey_curl_set_debug_function(handle, function))
    }

    borrowing func setProgress(_ function: latchkey_curl_progress_function) throws(TransferError) {
        try check(unsafe latchkey_curl_set_progress_function(handle, function))
    }

    borrowing func setOpenSocket(_ function: latchkey_curl_socket_function) throws(TransferError) {
        try check(unsafe latchkey_curl_set_socket_function(handle, function))
    }

    /// A MIME structure for this handle's next transfer.
    borrowing func makeMIME() -> OpaquePointer? { unsafe curl_mime_init(handle) }

    /// Runs the transfer on this thread until it ends; CURLE_OK or what went wrong.
    borrowing func perform() -> CURLcode { unsafe curl_easy_perform(handle) }

    /// A number that libcurl knows about the last transfer, 0 if it does not.
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
    /// libcurl's constant sentence about the code: no host, address or secret in it.
    var sentence: String { unsafe String(cString: curl_easy_strerror(self)) }
}
