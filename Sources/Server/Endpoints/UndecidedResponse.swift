internal import Accounts
internal import HTTPServer

extension Services {
    /// The answer to a web SDK of Firebase that asks for its user while the server cannot decide; `nil` for all others.
    ///
    /// When a page loads, that SDK calls `accounts:lookup`, with a fresh token from `/v1/token` where the stored one is old. Any
    /// JSON error there makes it delete the stored user, and with it a guest's only way to their UID. A body that is not JSON
    /// counts as a failure of the network, and the user stays.
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

    /// Where web SDKs find out what became of the user that they have stored.
    private static let pathsOfStoredUsers = Set(
        identityToolkitPrefixes.map { "\($0)/v1/accounts:lookup" } + tokenPaths + ["\(legacyPrefix)/getAccountInfo"]
    )
}

extension Response {
    /// Plain text that no client takes for JSON.
    fileprivate static func undecided(status: Int, _ sentence: String, retryAfter: Int) -> Response {
        var response = Response.text(status: status, "\(sentence) Try again in \(retryAfter) s.\n")
        response.headers.append((name: "Retry-After", value: String(retryAfter)))
        response.headers.append((name: "Cache-Control", value: "no-store"))
        return response
    }
}
