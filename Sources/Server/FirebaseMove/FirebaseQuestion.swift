internal import HTTPServer
internal import JSON
internal import Transfer

/// A call of clients that is forwarded to Firebase in the phase `pass`.
struct FirebaseCall: Sendable {
    let method: Method
    /// The path at Firebase.
    let path: String
    let host: FirebaseHost

    private init(_ method: Method, _ path: String, _ host: FirebaseHost = .identityToolkit) {
        self.method = method
        self.path = path
        self.host = host
    }

    static let token = FirebaseCall(.post, "/v1/token", .tokens)

    /// Returns the forwarded call of this name; `nil` for a call that is not forwarded.
    static func named(_ name: String) -> FirebaseCall? {
        names.contains(name) ? FirebaseCall(.post, "/v1/\(name)") : nil
    }

    /// Returns the forwarded call that reads at this path; `nil` for a call that is not forwarded.
    static func reading(_ path: String) -> FirebaseCall? {
        reads.contains(path) ? FirebaseCall(.get, path) : nil
    }

    private static let names: Set<String> = [
        "accounts:signUp", "accounts:sendOobCode", "accounts:signInWithEmailLink", "accounts:signInWithIdp",
        "accounts:signInWithCustomToken", "accounts:signInWithPassword", "accounts:createAuthUri", "accounts:lookup",
        "accounts:update", "accounts:delete", "accounts:resetPassword",
    ]
    private static let reads: Set<String> = ["/v1/projects", "/v1/recaptchaParams", "/v2/recaptchaConfig"]

    /// Whether an SDK makes the call when a page loads, and forgets its user at any error in JSON.
    var isOfStoredUsers: Bool { host == .tokens || path == "/v1/accounts:lookup" }
}

/// What a question to Firebase has from the client's request beside its body.
struct FirebaseAsker: Sendable {
    /// The API key, which is one of `firebase.apiKeys`.
    let key: String
    /// Header fields that are passed on.
    let headers: [(name: String, value: String)]

    /// The maximum number of bytes in a field that is passed on, and the maximum number of fields.
    ///
    /// Firebase must never refuse a question for its length.
    private static let longestField = 1024, mostFields = 8

    /// Whether a value of a query is one that the SDKs send, such as a version or the name of a client's kind.
    static func isPlain(_ value: String) -> Bool {
        value.utf8.count <= 64
            && value.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            }
    }

    /// Takes the key and the headers from a request.
    ///
    /// - Parameters:
    ///   - key: the API key.
    ///   - request: the client's request.
    ///   - admits: whether web pages of an origin may call this server.
    init(key: String, of request: Request, admits: (String) -> Bool) {
        self.key = key
        var headers = request.headers.filter { field in
            let name = field.name.lowercased()
            return (name == "x-client-version" || name.hasPrefix("x-firebase-"))
                && field.value.utf8.count <= Self.longestField && HTTPRequest.isFieldValue(field.value)
        }
        headers = Array(headers.prefix(Self.mostFields))
        // A key may be restricted to sites.
        if let origin = request.header("Origin"), admits(origin) {
            headers.append((name: "Referer", value: "\(origin)/"))
        }
        self.headers = headers
    }

    /// Makes a question with a JSON body, or without a body for `nil`.
    func question(_ method: Method, _ path: String, query: String = "", json: JSONObject?) -> HTTPRequest {
        question(
            method,
            path,
            query: query,
            type: "application/json",
            body: json.map { JSONValue.object($0).serialized() }
        )
    }

    /// Makes the question that exchanges a refresh token.
    func question(refreshing token: String) -> HTTPRequest {
        question(
            .post,
            FirebaseCall.token.path,
            type: "application/x-www-form-urlencoded",
            body: Array("grant_type=refresh_token&refresh_token=\(PercentEncoding.component(token))".utf8)
        )
    }

    private func question(
        _ method: Method,
        _ path: String,
        query: String = "",
        type: String,
        body: [UInt8]?
    ) -> HTTPRequest {
        HTTPRequest(
            method == .get ? "GET" : "POST",
            "\(path)?key=\(PercentEncoding.component(key))\(query)",
            headers: body == nil ? headers : headers + [(name: "Content-Type", value: type)],
            body: body
        )
    }
}
