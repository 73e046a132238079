/// Which web pages may call a path.
enum WebAccess: Comparable, Sendable {
    /// Pages of the server's own origin alone, as far as browsers go.
    case closed
    /// Pages of the origins that ``WebCallerRules`` admit.
    case callable
    /// Pages of every origin.
    case published
}

/// Decides which web pages may call the server's shared routes and read the answers.
package protocol WebCallerRules: Sendable {
    /// Whether pages of an origin may read answers.
    ///
    /// - Parameter origin: the `Origin` field as it was sent.
    func admits(_ origin: String) -> Bool
    /// Judges a call by its head, before its body is read.
    ///
    /// It runs in the connection's thread and must not wait.
    ///
    /// - Parameters:
    ///   - request: the request without its body; a preflight too.
    ///   - hasBody: whether a body follows.
    /// - Throws: what reaches `errorResponse`.
    func check(_ request: Request, hasBody: Bool) throws
}

/// Cross-origin calls of web pages (the Fetch standard's CORS protocol), never with credentials.
enum CrossOrigin {
    /// The answer depends on the asker, also when there is none, so that caches keep the two apart.
    static let vary = (name: "Vary", value: "Origin")

    /// What every answer of a shared route carries.
    static func headers(origin: String?) -> [(name: String, value: String)] {
        guard let origin = origin.flatMap(printable) else { return [vary] }
        return [
            ("Access-Control-Allow-Origin", origin),
            ("Access-Control-Expose-Headers", "ETag, Retry-After"),
            vary,
        ]
    }

    /// The answer to OPTIONS: what the path allows, and to a preflight also what the page asked for.
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

    /// What may be reflected: visible ASCII of reasonable length.
    private static func printable(_ text: String) -> String? {
        text.utf8.count <= 2048 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : nil
    }
}
