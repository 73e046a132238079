/// What libcurl's messages about a connection tell about TLS.
///
/// libcurl has no other interface for most of it. A message of another version that is not understood is ignored.
///
/// Used by the thread of one transfer at a time.
final class TLSNotes {
    /// Version and cipher; `nil` without TLS.
    private(set) var version: String?
    /// When the peer's certificate expires, in milliseconds since 1970.
    private(set) var expiry: Int64?
    /// Why the peer's certificate is not accepted, in OpenSSL's or libcurl's words.
    private(set) var problem: String?

    /// Reads a message.
    ///
    /// - Returns: the message if an operator should see it; otherwise `nil`.
    func note(_ message: UnsafeRawBufferPointer) -> String? {
        let text = unsafe SMTPLine.text(message)
        if let rest = Self.rest(of: text, after: "SSL connection using ") {
            version = rest
            return "Encrypted with \(rest)."
        }
        if let rest = Self.rest(of: text, after: "  expire date: ") ?? Self.rest(of: text, after: " expire date: ") {
            expiry = TLSDate.moment(rest)
            return "The certificate expires on \(rest)."
        }
        if let rest = Self.rest(of: text, after: "SSL certificate problem: ") {
            problem = rest
            return "The certificate is not trusted: \(rest)."
        }
        if text.hasPrefix("SSL: "), text.contains("target host name") {
            problem = "it is for another name than the server's"
            return "The certificate is for another name."
        }
        return text.hasPrefix("Connected to ") ? text : nil
    }

    private static func rest(of text: String, after prefix: String) -> String? {
        text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }
}
