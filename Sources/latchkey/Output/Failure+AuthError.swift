internal import LatchkeyClient

extension Failure {
    /// What a failed call means to the person at the terminal, and what to do next.
    init(_ error: AuthError) {
        let (message, next) = Self.explanation(of: error)
        self.init(
            message,
            next: next,
            code: error.code.rawValue,
            serverCode: error.serverCode,
            status: error.code == .networkRequestFailed ? 3 : 1
        )
    }

    /// What somebody else said, with one full stop at its end.
    private static func sentence(_ text: String) -> String {
        text.hasSuffix(".") || text.hasSuffix("!") || text.hasSuffix("?") ? text : text + "."
    }

    private static func explanation(of error: AuthError) -> (message: String, next: [String]) {
        switch error.code {
        case .networkRequestFailed:
            ("Cannot reach the server: \(sentence(error.detail ?? "no answer"))", ["Is it running?  latchkey serve"])
        case .noCurrentUser:
            ("Nobody is signed in.", ["Next:  latchkey guest   or   latchkey send EMAIL"])
        case .invalidUserToken:
            ("The server does not know this session; it may have been set up anew.", ["Next:  latchkey sign-out"])
        case .userTokenExpired, .invalidRefreshToken:
            ("The session has ended on the server; nobody is signed in here any more.", ["Next:  latchkey send EMAIL"])
        case .userDisabled:
            ("This account is disabled; nobody is signed in here any more.", [])
        case .invalidActionCode:
            ("The link was used already, or is not one of this server.", ["Next:  latchkey send EMAIL"])
        case .expiredActionCode:
            ("The link is too old.", ["Next:  latchkey send EMAIL"])
        case .invalidEmail:
            ("Not an address, or not the one that the link was mailed to.", [])
        case .emailAlreadyInUse:
            ("The address belongs to another account. Nothing has changed, and the link stays good.", [])
        case .invalidSignInCode:
            (
                "Wrong code. After three wrong codes you need a new e-mail.",
                ["The code is in the newest mail; 'latchkey send EMAIL' asks for another."]
            )
        case .ticketPending:
            (
                "The link has not been opened and approved yet.",
                ["Next:  latchkey send EMAIL --wait   or   latchkey redeem LINK-OR-CODE"]
            )
        case .ticketSpent:
            ("The link or code of this mail was used already.", ["Next:  latchkey send EMAIL"])
        case .ticketExpired:
            ("This sign-in is too old.", ["Next:  latchkey send EMAIL"])
        case .ticketEnded:
            ("This sign-in was ended: wrong entries, or somebody said it was not them.", ["Next:  latchkey send EMAIL"])
        case .codePaused:
            (
                "Sign-in codes are paused for a moment.",
                ["Open the link in the mail instead, or wait for up to a minute."]
            )
        case .mailPending:
            ("The mail is still being sent.", ["Try the same code again in a moment."])
        case .mailFailed:
            (
                "The mail could not be delivered.",
                ["Check the address; operators see the reason with 'latchkey outbox list'."]
            )
        case .tooManyRequests:
            ("Too often.", [error.retryAfter.map { "Try again in \(wait($0))." } ?? "Try again later."])
        case .adminRestrictedOperation:
            ("This server has no guests.", ["Next:  latchkey send EMAIL"])
        case .operationNotAllowed:
            ("The server does not allow this.", [])
        case .mergeInProgress:
            ("This guest is being merged into an account right now.", ["Try again in a moment."])
        case .mergeRefused:
            ("The merge was refused: \(sentence(error.detail ?? "no reason given")) Both users are as they were.", [])
        case .mergeFailed:
            ("The merge could not be made. Both users are as they were, and the link stays good.", [])
        case .usernameTaken:
            ("Somebody has this username.", [])
        case .usernameReserved:
            ("This username is not available.", [])
        case .invalidUsername:
            ("A username has 3 to 30 of ASCII letters, digits, '_', '.' and '-'.", [])
        case .sessionNotFound:
            ("There is no such session of yours.", ["'latchkey sessions list' shows those there are."])
        case .documentNotFound:
            ("There is no such document.", ["'latchkey documents list' shows those there are."])
        case .preconditionFailed:
            (
                sentence(error.detail ?? "The document is not in that version"),
                ["Next:  latchkey documents get DOCUMENT"]
            )
        case .invalidDocument:
            ("Not a document: \(sentence(error.detail ?? "it takes a JSON object"))", [])
        case .documentQuotaExceeded, .tooManyDocuments:
            ("There is no room for it: \(sentence(error.detail ?? "the server's limit is reached"))", [])
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
