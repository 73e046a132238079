internal import CCurl
internal import Glibc

/// The process-wide part of libcurl.
enum CurlLibrary {
    /// Prepares libcurl once, before the first handle; true if that worked.
    ///
    /// A global initialiser runs exactly once, which curl_global_init wants.
    static let isReady: Bool = {
        // CURLOPT_NOSIGNAL keeps libcurl from touching signal handlers, and its manual asks the application to ignore
        // SIGPIPE then: a TLS library may write to a closed socket.
        _ = signal(SIGPIPE, SIG_IGN)
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()
}
