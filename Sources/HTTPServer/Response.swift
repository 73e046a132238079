/// An answer: status, header fields and a whole body.
///
/// Date, Content-Length and Connection are the server's own. A field with an empty value is not sent.
package struct Response: Sendable {
    package var status: Int { didSet { constant = nil } }
    package var headers: [(name: String, value: String)] { didSet { constant = nil } }
    package var body: [UInt8] { didSet { constant = nil } }
    /// Set while nothing was changed after `constant()`.
    private(set) var constant: ConstantResponse?

    /// Makes an answer.
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

    /// JSON text that is already encoded.
    package static func json(status: Int = 200, _ body: [UInt8]) -> Response {
        Response(status: status, headers: [("Content-Type", "application/json; charset=utf-8")], body: body)
    }

    package static func text(status: Int = 200, _ text: String) -> Response {
        Response(status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array(text.utf8))
    }

    package static func html(status: Int = 200, _ text: String) -> Response {
        Response(status: status, headers: [("Content-Type", "text/html; charset=utf-8")], body: Array(text.utf8))
    }

    /// Sends the client elsewhere.
    ///
    /// Whether it may go there is for the caller to know.
    package static func redirect(to location: String, status: Int = 303) -> Response {
        Response(status: status, headers: [("Location", location)])
    }

    /// The same answer, prepared once for being sent many times.
    ///
    /// Worth it for answers that never change; changing the result undoes it.
    package func prepared() -> Response {
        var response = self
        response.constant = ConstantResponse()
        return response
    }

    /// The first field of that name, whatever its case.
    package func header(_ name: String) -> String? {
        headers.first { RequestHead.areSame($0.name, name) }?.value
    }
}
