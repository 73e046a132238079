/// A response: status, header fields and a complete body.
///
/// The server sets Date, Content-Length and Connection. A field with an empty value is not sent.
package struct Response: Sendable {
    package var status: Int { didSet { constant = nil } }
    package var headers: [(name: String, value: String)] { didSet { constant = nil } }
    package var body: [UInt8] { didSet { constant = nil } }
    /// The form of this response that libmicrohttpd keeps between requests; nil unless `prepared()` was called and
    /// nothing changed since.
    private(set) var constant: ConstantResponse?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: 200 to 599.
    ///   - headers: header fields in order; names and values without line breaks.
    ///   - body: the body; not sent with 204 and 304 and to HEAD.
    package init(status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates a response from encoded JSON text.
    package static func json(status: Int = 200, _ body: [UInt8]) -> Response {
        Response(status: status, headers: [("Content-Type", "application/json; charset=utf-8")], body: body)
    }

    package static func text(status: Int = 200, _ text: String) -> Response {
        Response(status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array(text.utf8))
    }

    package static func html(status: Int = 200, _ text: String) -> Response {
        Response(status: status, headers: [("Content-Type", "text/html; charset=utf-8")], body: Array(text.utf8))
    }

    /// Creates a response that redirects the client to a URL.
    ///
    /// The caller must ensure that the location is allowed.
    package static func redirect(to location: String, status: Int = 303) -> Response {
        Response(status: status, headers: [("Location", location)])
    }

    /// Returns the same response, prepared for being sent many times.
    ///
    /// Useful for responses that never change. A change of the result undoes it.
    package func prepared() -> Response {
        var response = self
        response.constant = ConstantResponse()
        return response
    }

    /// Returns the value of the first field with that name, ignoring case; nil without one.
    package func header(_ name: String) -> String? {
        headers.first { RequestHead.areSame($0.name, name) }?.value
    }
}
