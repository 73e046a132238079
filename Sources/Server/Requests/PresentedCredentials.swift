internal import Accounts
internal import HTTPServer
internal import Tokens

extension Services {
    /// Whether a call presents any token, ticket or link of this server with a valid signature, whatever its age or
    /// state, or the admin key.
    ///
    /// Used for calls that were refused. It reads the whole request again, because the refused step may have stopped at
    /// the first of several credentials. If the call has a bearer, only the bearer counts.
    func presentsValid(_ request: Request) -> Bool {
        if let bearer = bearer(of: request) { return isAdministrator(bearer) || isSigned(idToken: bearer) }
        if let code = request.queryValue("oobCode"), isSigned(link: code) { return true }
        guard !request.body.isEmpty else { return false }
        let value: (String) -> String?
        if let body = try? RequestBody(request) {
            value = { try? body.nonEmptyString($0, limit: 16_384) }
        } else {
            let form = FormBody(request.body)
            value = { form[$0] }
        }
        return ["idToken", "anonymousIdToken"].contains { value($0).map { isSigned(idToken: $0) } ?? false }
            || ["refreshToken", "refresh_token"].contains { value($0).map { isSigned(refreshToken: $0) } ?? false }
            || value("oobCode").map { isSigned(link: $0) } ?? false
            || value("ticket").map { isSigned(ticket: $0) } ?? false
    }

    /// Whether a text is an ID token or a session cookie that was signed with this server's keys, expired or not.
    func isSigned(idToken text: String) -> Bool {
        do {
            _ = try idTokens.verify(text, at: clock() / 1000)
            return true
        } catch {
            return (error as? Refusal)?.isOfValid ?? false
        }
    }

    private func isSigned(link text: String) -> Bool { (try? unverifiedExpiryActionCode(text)) ?? nil != nil }

    private func isSigned(refreshToken text: String) -> Bool {
        (try? RefreshToken.verify(text, secrets: secrets)) ?? nil != nil
    }

    private func isSigned(ticket text: String) -> Bool {
        (try? TicketToken.verify(text, secrets: secrets)) ?? nil != nil
    }
}
