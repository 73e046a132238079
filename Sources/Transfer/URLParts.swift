internal import CCurl

/// A URL parsed by libcurl's own parser, so that checks and transfers interpret it in the same way.
struct URLParts {
    let scheme: String
    let host: String
    let port: Int?
    let user: String?
    let password: String?
    let path: String
    let query: String?

    /// Parses an absolute URL.
    ///
    /// - Parameter url: the URL; user and password may be percent-encoded and are returned decoded.
    /// - Throws: `TransferError` of kind `invalid`; its text does not repeat the URL, which may contain a password.
    init(_ url: String) throws(TransferError) {
        guard let handle = unsafe curl_url() else { throw TransferError(.other, "out of memory") }
        defer { unsafe curl_url_cleanup(handle) }
        guard !url.utf8.contains(0),
            unsafe curl_url_set(handle, CURLUPART_URL, url, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK
        else { throw TransferError(.invalid, "not a URL") }

        func part(_ part: CURLUPart, decoded: Bool = false) throws(TransferError) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            let code = unsafe curl_url_get(handle, part, &text, decoded ? UInt32(CURLU_URLDECODE) : 0)
            defer { unsafe curl_free(text) }
            if code == CURLUE_OK, let text = unsafe text { return unsafe String(validatingCString: text) }
            // "URLDECODE and a control character in the result" is an error, distinct from "there is no such part".
            guard code != CURLUE_URLDECODE else {
                throw TransferError(.invalid, "the URL contains a control character")
            }
            return nil
        }
        guard let scheme = try part(CURLUPART_SCHEME), let host = try part(CURLUPART_HOST), !host.isEmpty else {
            throw TransferError(.invalid, "not an absolute URL")
        }
        self.scheme = scheme
        self.host = host
        port = try part(CURLUPART_PORT).flatMap { Int($0) }
        user = try part(CURLUPART_USER, decoded: true)
        password = try part(CURLUPART_PASSWORD, decoded: true)
        path = try part(CURLUPART_PATH) ?? "/"
        query = try part(CURLUPART_QUERY)
    }
}
