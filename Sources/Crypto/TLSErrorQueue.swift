internal import COpenSSL

/// OpenSSL's queues of errors, of which each thread has its own.
enum OpenSSLErrors {
    /// Empties this thread's queue and returns its newest entry as the error of a step; if the queue was empty, the
    /// error has the reason "no reason given".
    static func take(_ step: TLSError.Step) -> TLSError {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard code != 0 else { return TLSError(step: step, reason: "no reason given") }
        // ERR_error_string_n: "at most len bytes, including the terminating null byte".
        var text = [CChar](repeating: 0, count: 256)
        unsafe ERR_error_string_n(code, &text, text.count)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return TLSError(step: step, reason: String(decoding: bytes, as: UTF8.self))
    }
}
