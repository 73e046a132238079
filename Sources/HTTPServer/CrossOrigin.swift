/// Which web pages may call a path.
enum WebAccess: Comparable, Sendable {
    /// Only pages of the server's own origin, as far as browsers enforce it.
    case closed
    /// Pages of the origins that ``WebCallerRules`` admit; of every origin if the router has no rules.
    case callable
    /// Pages of every origin.
    case published
}

/// Decides which web pages of other origins may call the routes that were added with `cors`, and read the responses.
package protocol WebCallerRules: Sendable {
    /// Whether pages of an origin may read responses.
    ///
    /// - Parameter origin: the `Origin` field as it was sent.
    func admits(_ origin: String) -> Bool
    /// Checks a browser's call of a shared route by its head, before its body is read.
    ///
    /// The check runs on the connection's thread and must not block.
    ///
    /// - Parameters:
    ///   - request: the request without its body; a preflight too.
    ///   - hasBody: whether a body follows.
    /// - Throws: any error to reject the call; the server's `errorResponse` makes the response from it.
    func check(_ request: Request, hasBody: Bool) throws
}

/// Cross-origin calls of web pages (the Fetch standard's CORS protocol), never with credentials.
enum CrossOrigin {
    /// The header field that tells caches to keep responses for different origins, or for no origin, apart.
    static let vary = (name: "Vary", value: "Origin")

    /// Returns the header fields that CORS adds to every response of a shared route.
    ///
    /// - Parameter origin: the origin whose pages may read the response; `nil` for none.
    static func headers(origin: String?) -> [(name: String, value: String)] {
        guard let origin = origin.flatMap(printable) else { return [vary] }
        return [
            ("Access-Control-Allow-Origin", origin),
            ("Access-Control-Expose-Headers", "ETag, Retry-After, X-Request-Id"),
            vary,
        ]
    }

    /// Returns the response to OPTIONS: 204 with the path's methods and, if the path is shared and the request has an
    /// `Origin`, the fields that allow these methods and the requested header fields to web pages.
    static func preflight(_ request: Request, methods: [Method], isShared: Bool) -> Response {
        let list = methods.map(\.rawValue).joined(separator: ", ")
        var response = Response(status: 204, headers: [("Allow", list)])
        guard isShared, request.header("Origin") != nil else { return response }
        response.headers.append(("Access-Control-Allow-Methods", list))
        let asked = request.headers("Access-Control-Request-Headers").joined(separator: ", ")
        if let asked = printable(asked), !asked.isEmpty {
            response.headers.append(("Access-Control-Allow-Headers", asked))
        }
        if request.header("Access-Control-Request-Private-Network") == "true" {
            response.headers.append(("Access-Control-Allow-Private-Network", "true"))
        }
        response.headers.append(("Access-Control-Max-Age", "7200"))
        response.headers.append(
            (
                "Vary",
                "Access-Control-Request-Method, Access-Control-Request-Headers, Access-Control-Request-Private-Network"
            )
        )
        return response
    }

    /// Returns a text from the client if it may be sent back: printable ASCII of at most 2048 bytes; otherwise `nil`.
    private static func printable(_ text: String) -> String? {
        text.utf8.count <= 2048 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : nil
    }
}
