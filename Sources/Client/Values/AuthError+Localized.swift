#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension AuthError: LocalizedError {
    /// What happened, as an English sentence for people.
    ///
    /// An app in another language words ``code`` itself.
    public var errorDescription: String? { explanation.happened }

    /// What the person can do now, in English; `nil` if there is nothing to do.
    public var recoverySuggestion: String? {
        guard let retryAfter, explanation.suggestion != nil else { return explanation.suggestion }
        let seconds = max(1, retryAfter.components.seconds)
        return seconds < 60 ? "Try again in \(seconds) s." : "Try again in \((seconds + 59) / 60) min."
    }

    private typealias Explanation = (happened: String, suggestion: String?)

    private var explanation: Explanation {
        linkExplanation ?? accountExplanation ?? dataExplanation ?? serverExplanation
    }

    /// Links, codes and tickets.
    private var linkExplanation: Explanation? {
        switch code {
        case .expiredActionCode, .ticketExpired: ("The link or code has expired.", Self.newEmail)
        case .invalidActionCode, .invalidTicket: ("The link is incomplete, or was already used.", Self.newEmail)
        case .ticketSpent: ("The link or code was already used on another device.", Self.newEmail)
        case .ticketEnded: ("The sign-in request was ended.", Self.newEmail)
        case .ticketPending: ("The sign-in has not been approved yet.", "Open the link in the e-mail and approve it.")
        case .invalidSignInCode: ("The code is wrong.", "Check the digits in the e-mail and enter them again.")
        case .codePaused: ("Codes are paused for up to a minute.", "Open the link in the e-mail instead.")
        case .mailPending: ("The e-mail is still being sent.", Self.later)
        case .mailFailed: ("The e-mail could not be delivered.", "Check the address and request a new e-mail.")
        default: nil
        }
    }

    /// Addresses, identities and sessions.
    private var accountExplanation: Explanation? {
        switch code {
        case .emailAlreadyInUse, .credentialAlreadyInUse:
            ("Another account uses this sign-in method.", "Sign in to that account instead.")
        case .providerAlreadyLinked: ("This sign-in method is already set up.", nil)
        case .invalidEmail: ("This is not the right e-mail address.", "Check the address and enter it again.")
        case .userNotFound: ("There is no account with this address.", "Check the address and enter it again.")
        case .accountExistsWithDifferentCredential:
            ("The address has an account with another sign-in method.", "Sign in with that method first.")
        case .invalidCredential, .missingOrInvalidNonce, .invalidCustomToken, .customTokenMismatch:
            ("The sign-in was not accepted.", "Sign in again.")
        case .providerUnavailable: ("The sign-in provider cannot be reached.", Self.later)
        case .noCurrentUser: ("No user is signed in.", "Sign in first.")
        case .userTokenExpired, .invalidUserToken, .invalidRefreshToken:
            ("The session has ended.", "Sign in again.")
        case .userDisabled: ("The account is disabled.", "Ask the operator of the app.")
        case .requiresRecentLogin: ("The last sign-in was too long ago for this change.", "Sign in again.")
        case .sessionNotFound: ("This session has already ended.", nil)
        default: nil
        }
    }

    /// Usernames, merges and documents.
    private var dataExplanation: Explanation? {
        switch code {
        case .usernameTaken, .usernameReserved: ("This username is not available.", "Choose another username.")
        case .invalidUsername:
            ("This is not a valid username.", "Use 3 to 30 letters, digits, underscores, dots and hyphens.")
        case .mergeInProgress: ("The data is being moved to the account.", Self.later)
        case .mergeRefused, .mergeFailed:
            ("The data could not be moved to the account. Nothing has changed.", Self.later)
        case .documentNotFound: ("The document does not exist.", nil)
        case .preconditionFailed: ("The document was changed on another device.", "Load it again.")
        case .documentTooLarge, .documentTooDeep: ("The document is too large.", "Make it smaller.")
        case .tooManyDocuments, .documentQuotaExceeded:
            ("The account has no more room for documents.", "Delete some documents.")
        default: nil
        }
    }

    /// The server and the device.
    private var serverExplanation: Explanation {
        switch code {
        case .tooManyRequests, .tooManyStreams: ("There were too many requests.", Self.later)
        case .operationNotAllowed, .adminRestrictedOperation:
            ("The operator of the app does not allow this.", "Ask the operator of the app.")
        case .networkRequestFailed: ("The server did not answer.", "Check the connection and try again.")
        case .unavailable, .storageLow: ("The server cannot answer at the moment.", Self.later)
        case .storageFailed: ("This device could not store the session.", "Free some storage and try again.")
        case .cancelled: ("The call was cancelled.", nil)
        default: ("The request could not be completed.", Self.later)
        }
    }

    private static let newEmail = "Request a new e-mail."
    private static let later = "Try again in a moment."
}
