/// An error that the server itself finds: a request that HTTP or the routes do not allow, or one that could not be
/// answered.
///
/// The server's `errorResponse` closure creates the response to it.
package struct HTTPError: Error, Equatable, Sendable {
    /// The HTTP status of the response.
    package let status: Int
    /// A stable code for programs, such as `NOT_FOUND`.
    package let code: String
    /// A sentence that is safe to send.
    package let message: String
    /// The methods that a path allows, for `Allow`; empty except for 405.
    package let allowedMethods: [Method]

    init(status: Int, code: String, message: String, allowedMethods: [Method] = []) {
        self.status = status
        self.code = code
        self.message = message
        self.allowedMethods = allowedMethods
    }

    package static let notFound = HTTPError(status: 404, code: "NOT_FOUND", message: "There is nothing at this path.")

    package static func methodNotAllowed(_ allowed: [Method]) -> HTTPError {
        HTTPError(
            status: 405,
            code: "METHOD_NOT_ALLOWED",
            message: "This path does not support the request's method.",
            allowedMethods: allowed
        )
    }

    package static func bodyTooLarge(limit: Int) -> HTTPError {
        HTTPError(status: 413, code: "BODY_TOO_LARGE", message: "The body is longer than \(limit) bytes.")
    }

    package static let headTooLarge = HTTPError(
        status: 431,
        code: "HEADERS_TOO_LARGE",
        message: "The request line and header fields are too long."
    )

    package static func malformed(_ message: String) -> HTTPError {
        HTTPError(status: 400, code: "MALFORMED_REQUEST", message: message)
    }

    /// The `Resumption` of a suspended request was released without a response, which is a bug in the handler.
    package static let unanswered = HTTPError(
        status: 500,
        code: "INTERNAL_ERROR",
        message: "The server gave no response."
    )

    /// A response that cannot be sent as it is, such as a header field with a line break.
    package static let unsendable = HTTPError(
        status: 500,
        code: "INTERNAL_ERROR",
        message: "The server's response cannot be sent."
    )

    package static let overdue = HTTPError(
        status: 503,
        code: "TIMEOUT",
        message: "The response took too long."
    )

    package static let stopping = HTTPError(status: 503, code: "STOPPING", message: "The server is stopping.")
}
