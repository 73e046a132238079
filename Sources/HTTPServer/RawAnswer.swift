internal import Glibc

/// A response as bytes, for the one case in which libmicrohttpd cannot send it.
enum RawAnswer {
    /// Returns an HTTP/1.1 response that closes the connection.
    ///
    /// Fields with an empty value or a control character, and `Connection` fields of the response, are left out.
    static func bytes(_ response: Response, extra: [(name: String, value: String)]) -> [UInt8] {
        var head = "HTTP/1.1 \(response.status) Refused\r\nDate: \(date())\r\n"
        for field in response.headers + extra where isSendable(field) && !RequestHead.areSame(field.name, "Connection")
        {
            head += "\(field.name): \(field.value)\r\n"
        }
        head += "Connection: close\r\nContent-Length: \(response.body.count)\r\n\r\n"
        return Array(head.utf8) + response.body
    }

    private static func isSendable(_ field: (name: String, value: String)) -> Bool {
        !field.value.isEmpty && (field.name + field.value).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// Returns the current time as an HTTP date (RFC 9110, section 5.6.7).
    private static func date() -> String {
        var now = time(nil)
        var parts = unsafe tm()
        _ = unsafe gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 40)
        // The names are English in the C locale, which is the default of a process.
        let count = unsafe strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
