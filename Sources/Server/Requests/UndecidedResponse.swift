internal import Accounts
internal import HTTPServer

extension Services {
    /// The plain-text response to a Firebase web SDK that checks its stored user or renews its token, when the error
    /// says nothing final about the user (429, 5xx except 501, or a session that was just replaced); otherwise `nil`.
    ///
    /// When a page loads, that SDK calls `accounts:lookup`, with a new token from `/v1/token` if the stored one has
    /// expired. Any JSON error makes the SDK delete the stored user, and with the user a guest's only credential. The
    /// SDK treats a body that is not JSON as a network failure, and keeps the user.
    func undecidedResponse(to error: any Error, _ envelope: ErrorEnvelope, _ request: Request) -> Response? {
        guard Self.pathsOfStoredUsers.contains(request.path),
            request.header("X-Client-Version")?.contains("/JsCore/") == true
        else { return nil }
        if (error as? Refusal)?.isOfReplacedSession == true {
            return .undecided(status: 503, "This session was replaced a moment ago.", retryAfter: 2)
        }
        guard envelope.httpStatus == 429 || envelope.httpStatus >= 500 && envelope.httpStatus != 501 else { return nil }
        return .undecided(
            status: envelope.httpStatus,
            "The server cannot decide this now.",
            retryAfter: envelope.retryAfter ?? 2
        )
    }

    /// The paths at which Firebase's web SDKs check the user that they have stored, or renew its token.
    static let pathsOfStoredUsers = Set(
        identityToolkitPrefixes.map { "\($0)/v1/accounts:lookup" } + tokenPaths + ["\(legacyPrefix)/getAccountInfo"]
    )
}

extension Response {
    /// A plain-text response that no client parses as JSON.
    static func undecided(status: Int, _ sentence: String, retryAfter: Int) -> Response {
        var response = Response.text(status: status, "\(sentence) Try again in \(retryAfter) s.\n")
        response.headers.append((name: "Retry-After", value: String(retryAfter)))
        response.headers.append((name: "Cache-Control", value: "no-store"))
        return response
    }
}
