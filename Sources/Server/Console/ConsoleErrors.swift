internal import Accounts
internal import HTTPServer
internal import Tokens

/// The sentences that the console says about a sign-in.
enum ConsoleNotice {
    static let ended = "Your session has ended. Sign in again."
    static let over = "That sign-in is over. Ask for a new e-mail."
    static let url = "That URL was used or has expired. Make a new one with: latchkey console"
    static let notAdministrator = "That account is not an administrator's."
}

extension Services {
    /// Shows why a request for the console was refused, and what to do next.
    ///
    /// - Parameters:
    ///   - error: the error that handling the request threw.
    ///   - envelope: the same error for a client of the API.
    ///   - request: the request.
    func consoleErrorResponse(_ error: any Error, _ envelope: ErrorEnvelope, _ request: Request) -> Response {
        guard let refusal = error as? Refusal, let visit = try? consoleVisit(of: request) else {
            switch envelope.httpStatus {
            case 404: return consoleMessage("Not found", "The console has no such page.", status: 404)
            case 500...:
                return consoleMessage("That did not work", "The server's log says why.", status: envelope.httpStatus)
            default: return consoleMessage("Refused", envelope.message, status: envelope.httpStatus)
            }
        }
        return (try? refused(refusal, visit, at: request)) ?? consoleMessage("That did not work", "", status: 500)
    }

    private func refused(_ refusal: Refusal, _ visit: ConsoleVisit, at request: Request) throws -> Response {
        switch refusal.code {
        case .tokenExpired, .userDisabled:
            let isNew = visit.session == nil && request.path == ConsolePath.front
            var response = try askConsoleAddress(
                visit,
                notice: visit.session == nil ? "" : ConsoleNotice.ended,
                status: isNew ? 200 : 403
            )
            response.headers.append(visit.cookies.clear(.console))
            return response
        case .invalidOobCode, .expiredOobCode:
            let isURL = request.path == ConsolePath.open
            return try askConsoleAddress(visit, notice: isURL ? ConsoleNotice.url : ConsoleNotice.over, status: 410)
        case .invalidTicket, .ticketEnded, .ticketExpired, .ticketSpent, .mailFailed, .invalidSignInCode:
            return try askConsoleAddress(visit, notice: ConsoleNotice.over, status: 410)
        case .ticketPending: return consoleRedirect(to: ConsolePath.signIn)
        case .mailPending:
            return try askConsoleAddress(visit, notice: "The e-mail is still being sent. Try again.", status: 409)
        case .insufficientPermission where ConsolePath.isSignIn(request.path):
            return try askConsoleAddress(visit, notice: ConsoleNotice.notAdministrator, status: 403)
        case .insufficientPermission:
            return consoleMessage("Read-only", "A read-only administrator changes and exports nothing.", status: 403)
        case .credentialTooOld:
            return consoleMessage(
                "Sign in again",
                "Changes need a sign-in of the last 15 minutes. Sign out and in again, or run: latchkey console",
                status: 403,
                form: try visit.session.map { session -> Markup in
                    let token = try FormToken.make(for: session, secrets: secrets)
                    return """
                        <form method="post" action="\(ConsolePath.signOut)"><input type="hidden" name="formToken" value="\(token)">\
                        <button>Sign out</button></form>
                        """
                } ?? ""
            )
        case .invalidEmail where ConsolePath.isSignIn(request.path):
            return try askConsoleAddress(visit, notice: "That is not an e-mail address.", status: 400)
        case .challengeRequired, .tooManyAttempts, .codePaused:
            var response = consoleMessage("Too many attempts", "Wait a while, then try again.", status: 429)
            if let seconds = refusal.retryAfter { response.headers.append(("Retry-After", String(seconds))) }
            return response
        case .originNotAllowed:
            return consoleMessage(
                "That form is too old",
                "It was made for another session, or another site sent it. Nothing was changed. Open the page again.",
                status: 403
            )
        case .userNotFound: return consoleMessage("Not found", "There is no such user.", status: 404)
        default:
            let status = ErrorEnvelope(refusal).httpStatus
            return consoleMessage("That did not work", refusal.detail ?? refusal.code.rawValue, status: status)
        }
    }

    /// A page with one message and the way back to the console.
    func consoleMessage(_ heading: String, _ message: String, status: Int, form: Markup = "") -> Response {
        consolePage(
            "message",
            title: heading,
            ["heading": heading, "message": message],
            parts: ["form": form],
            status: status
        )
    }
}

extension ConsolePath {
    /// Whether a path belongs to the sign-in.
    static func isSignIn(_ path: String) -> Bool { [signIn, code, link].contains(path) }
}
