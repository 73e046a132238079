/// A request to an HTTP server.
package struct HTTPRequest: Sendable {
    /// The method, such as "POST".
    package var method: String
    /// An absolute http or https URL.
    package var url: String
    /// The header fields in order.
    ///
    /// libcurl adds Host, Accept, User-Agent and, with a body, Content-Length if they are missing.
    package var headers: [(name: String, value: String)]
    /// The body; nil for none.
    package var body: [UInt8]?

    package init(
        _ method: String = "GET",
        _ url: String,
        headers: [(name: String, value: String)] = [],
        body: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// Whether a text can be the value of a header field: it has no control character other than a tab (RFC 9110,
    /// section 5.5).
    package static func isFieldValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// Returns the header lines for libcurl, in libcurl's notation for empty values and for fields that it must not
    /// add.
    ///
    /// - Throws: `TransferError` of kind `invalid` for a name that is not a token or a value with a control character
    ///   other than a tab.
    func headerLines() throws(TransferError) -> [String] {
        var lines: [String] = []
        for (name, value) in headers {
            guard Self.isToken(name), Self.isFieldValue(value) else {
                throw TransferError(.invalid, "a header field contains a line break")
            }
            lines.append(value.allSatisfy { $0 == " " || $0 == "\t" } ? "\(name);" : "\(name): \(value)")
        }
        // libcurl would wait for "100 Continue" before a larger body, and declares every body as a form.
        for name in ["Expect", "Content-Type"]
        where !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) {
            lines.append("\(name):")
        }
        return lines
    }

    /// Whether a text is a token, as methods and the names of fields must be (RFC 9110 section 5.6.2).
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}

/// The response of an HTTP server.
package struct HTTPResponse: Sendable {
    package let status: Int
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    /// Returns the value of the first field with that name, ignoring case; nil without one.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }
}
