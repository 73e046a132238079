internal import LatchkeyClient

extension Failure {
    /// Explains a failed call, and what to do next.
    init(_ error: AuthError) {
        let (message, next) = Self.explanation(of: error)
        self.init(
            message,
            next: next,
            code: error.code.rawValue,
            serverCode: error.serverCode,
            status: error.code == .networkRequestFailed || error.code == .unavailable ? 3 : 1
        )
    }

    /// A text of the server or system, with one full stop at its end.
    private static func sentence(_ text: String) -> String {
        text.hasSuffix(".") || text.hasSuffix("!") || text.hasSuffix("?") ? text : text + "."
    }

    private static func explanation(of error: AuthError) -> (message: String, next: [String]) {
        switch error.code {
        case .networkRequestFailed:
            ("Cannot reach the server: \(sentence(error.detail ?? "no answer"))", ["Is it running?  latchkey serve"])
        case .unavailable:
            (
                "The server cannot answer now\(error.detail.map { ": \(sentence($0))" } ?? ".")",
                [error.retryAfter.map { "Try again in \(wait($0))." } ?? "Try again in a moment."]
            )
        case .noCurrentUser:
            ("You are not signed in.", ["Next:  latchkey guest   or   latchkey send EMAIL"])
        case .invalidUserToken:
            (
                "The server does not know this session; its database may have been replaced.",
                ["Next:  latchkey sign-out"]
            )
        case .userTokenExpired, .invalidRefreshToken:
            ("The session has ended on the server. You are signed out here.", ["Next:  latchkey send EMAIL"])
        case .userDisabled:
            ("This account is disabled. You are signed out here.", [])
        case .invalidActionCode:
            ("The link was already used, or this server did not issue it.", ["Next:  latchkey send EMAIL"])
        case .expiredActionCode:
            ("The link has expired.", ["Next:  latchkey send EMAIL"])
        case .invalidEmail:
            ("Not an e-mail address, or not the one that the link was sent to.", [])
        case .emailAlreadyInUse:
            ("The address belongs to another account. Nothing has changed, and the link is still valid.", [])
        case .invalidSignInCode:
            (
                "Wrong code. After three wrong codes you need a new e-mail.",
                ["The code is in the newest e-mail; 'latchkey send EMAIL' requests another."]
            )
        case .ticketPending:
            (
                "The link has not been opened and approved yet.",
                ["Next:  latchkey send EMAIL --wait   or   latchkey redeem LINK-OR-CODE"]
            )
        case .ticketSpent:
            ("The link or the code from this e-mail was already used.", ["Next:  latchkey send EMAIL"])
        case .ticketExpired:
            ("This sign-in has expired.", ["Next:  latchkey send EMAIL"])
        case .ticketEnded:
            (
                "This sign-in was ended: wrong codes were entered, or the owner of the address rejected it.",
                ["Next:  latchkey send EMAIL"]
            )
        case .codePaused:
            (
                "Sign-in codes are paused for a moment.",
                ["Open the link in the e-mail instead, or wait for up to a minute."]
            )
        case .mailPending:
            ("The e-mail is still being sent.", ["Try the same code again in a moment."])
        case .mailFailed:
            (
                "The e-mail could not be delivered.",
                ["Check the address; operators see the reason with 'latchkey outbox list'."]
            )
        case .tooManyRequests:
            ("Too many requests.", [error.retryAfter.map { "Try again in \(wait($0))." } ?? "Try again later."])
        case .adminRestrictedOperation:
            ("This server does not allow guests.", ["Next:  latchkey send EMAIL"])
        case .operationNotAllowed:
            ("The server does not allow this.", [])
        case .mergeInProgress:
            ("This guest is being merged into an account right now.", ["Try again in a moment."])
        case .mergeRefused:
            ("The merge was refused: \(sentence(error.detail ?? "no reason given")) Both users are unchanged.", [])
        case .mergeFailed:
            ("The merge failed. Both users are unchanged, and the link is still valid.", [])
        case .usernameTaken:
            ("This username is taken.", [])
        case .usernameReserved:
            ("This username is not available.", [])
        case .invalidUsername:
            ("A username has 3 to 30 characters: ASCII letters, digits, '_', '.' and '-'.", [])
        case .sessionNotFound:
            ("You have no such session.", ["Run 'latchkey sessions list' for your sessions."])
        case .documentNotFound:
            ("There is no such document.", ["Run 'latchkey documents list' for your documents."])
        case .preconditionFailed:
            (
                sentence(error.detail ?? "The document has another version"),
                ["Next:  latchkey documents get DOCUMENT"]
            )
        case .invalidDocument:
            ("Not a document: \(sentence(error.detail ?? "it must be a JSON object"))", [])
        case .documentQuotaExceeded, .tooManyDocuments:
            ("The document cannot be stored: \(sentence(error.detail ?? "the server's limit is reached"))", [])
        case .storageFailed:
            ("The session file cannot be used: \(sentence(error.detail ?? "unknown reason"))", [])
        default:
            ("The server refused: \(sentence(error.detail ?? error.code.rawValue))", [])
        }
    }

    private static func wait(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        return seconds < 120 ? "\(seconds) s" : "\((seconds + 59) / 60) min"
    }
}
