internal import CCurl
internal import Glibc

/// The process-wide part of libcurl.
enum CurlLibrary {
    /// Prepares libcurl and makes the process ignore SIGPIPE, once, before the first handle; true on success.
    ///
    /// A global initialiser runs exactly once, as curl_global_init requires.
    static let isReady: Bool = {
        // CURLOPT_NOSIGNAL keeps libcurl from touching signal handlers, and its manual asks the application to ignore
        // SIGPIPE then: a TLS library may write to a closed socket.
        _ = signal(SIGPIPE, SIG_IGN)
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()
}
