extension AuthError.Code {
    // Accounts and addresses.

    /// Another user owns the address.
    ///
    /// Link and session are kept; ``AuthError/credential`` goes on: it can merge, or sign in to the other account.
    public static let emailAlreadyInUse = Self(rawValue: "emailAlreadyInUse")
    /// Another user owns the identity; see ``AuthError/credential``.
    public static let credentialAlreadyInUse = Self(rawValue: "credentialAlreadyInUse")
    /// The user has a mailed link as a way in already; nothing was sent.
    public static let providerAlreadyLinked = Self(rawValue: "providerAlreadyLinked")
    /// Not an e-mail address, or not the one that the link was sent to.
    public static let invalidEmail = Self(rawValue: "invalidEmail")
    /// No user has this address.
    public static let userNotFound = Self(rawValue: "userNotFound")
    /// Somebody has the address of the identity, and the provider does not prove that it is the same person.
    ///
    /// Sign in to the account in another way, then link.
    public static let accountExistsWithDifferentCredential = Self(rawValue: "accountExistsWithDifferentCredential")
    /// The identity provider's answer was refused.
    public static let invalidCredential = Self(rawValue: "invalidCredential")
    /// The identity provider's token was not asked with the nonce that came with it, or has been used already.
    public static let missingOrInvalidNonce = Self(rawValue: "missingOrInvalidNonce")
    /// The identity provider cannot be asked for its keys right now; try again in a moment.
    public static let providerUnavailable = Self(rawValue: "providerUnavailable")
    /// The custom token was refused.
    public static let invalidCustomToken = Self(rawValue: "invalidCustomToken")
    /// The custom token belongs to another project.
    public static let customTokenMismatch = Self(rawValue: "customTokenMismatch")

    // Links, codes, tickets.

    /// The link is too old.
    public static let expiredActionCode = Self(rawValue: "expiredActionCode")
    /// The link was used already, or is not one of ours.
    public static let invalidActionCode = Self(rawValue: "invalidActionCode")
    /// The page to go on with is not a URL.
    public static let invalidContinueURI = Self(rawValue: "invalidContinueURI")
    /// The page to go on with is not on an allowed origin.
    public static let unauthorizedContinueURI = Self(rawValue: "unauthorizedContinueURI")
    /// Not approved yet; ask again.
    public static let ticketPending = Self(rawValue: "ticketPending")
    /// The link or code of this ticket was used elsewhere.
    public static let ticketSpent = Self(rawValue: "ticketSpent")
    /// The ticket is too old.
    public static let ticketExpired = Self(rawValue: "ticketExpired")
    /// The ticket was ended: wrong digits, or "it was not me".
    public static let ticketEnded = Self(rawValue: "ticketEnded")
    /// Not a ticket of this server.
    public static let invalidTicket = Self(rawValue: "invalidTicket")
    /// A wrong sign-in code.
    public static let invalidSignInCode = Self(rawValue: "invalidSignInCode")
    /// Sign-in codes are paused for up to a minute (``AuthError/retryAfter``): have the person open the link instead.
    public static let codePaused = Self(rawValue: "codePaused")
    /// The mail is still being sent; try the code again in a moment.
    public static let mailPending = Self(rawValue: "mailPending")
    /// The mail could not be delivered.
    public static let mailFailed = Self(rawValue: "mailFailed")

    // Sessions.

    /// Nobody is signed in.
    public static let noCurrentUser = Self(rawValue: "noCurrentUser")
    /// The session has ended, or its user is gone.
    ///
    /// The local user was signed out.
    public static let userTokenExpired = Self(rawValue: "userTokenExpired")
    /// An administrator disabled the user.
    ///
    /// The local user was signed out.
    public static let userDisabled = Self(rawValue: "userDisabled")
    /// The server does not know the ID token.
    public static let invalidUserToken = Self(rawValue: "invalidUserToken")
    /// The server does not know the refresh token, or its user was deleted.
    ///
    /// The local user was signed out.
    public static let invalidRefreshToken = Self(rawValue: "invalidRefreshToken")
    /// Sign in again first, then repeat the call.
    public static let requiresRecentLogin = Self(rawValue: "requiresRecentLogin")

    // Usernames.

    /// Somebody has the username.
    public static let usernameTaken = Self(rawValue: "usernameTaken")
    /// The operator keeps this username back.
    public static let usernameReserved = Self(rawValue: "usernameReserved")
    /// Not a username: 3 to 30 of ASCII letters, digits, `_`, `.` and `-`.
    public static let invalidUsername = Self(rawValue: "invalidUsername")

    // Merges.

    /// The anonymous user is being merged; try again in a moment.
    public static let mergeInProgress = Self(rawValue: "mergeInProgress")
    /// A system that takes part in merges refused; ``AuthError/detail`` has its reason.
    ///
    /// Both users are as they were.
    public static let mergeRefused = Self(rawValue: "mergeRefused")
    /// The merge could not be made; both users are as they were.
    public static let mergeFailed = Self(rawValue: "mergeFailed")
    /// The user to be merged away is not anonymous.
    public static let notAnonymous = Self(rawValue: "notAnonymous")
    /// The user to merge into is anonymous.
    public static let notPermanent = Self(rawValue: "notPermanent")

    // Sessions.

    /// The user has no such session.
    public static let sessionNotFound = Self(rawValue: "sessionNotFound")

    // Documents.

    /// There is no such document.
    public static let documentNotFound = Self(rawValue: "documentNotFound")
    /// The document is not in the version that the call asked for: read it again.
    public static let preconditionFailed = Self(rawValue: "preconditionFailed")
    /// Not a name of a collection or document: 1 to 128 of ASCII letters, digits, `_`, `-` and `.`.
    public static let invalidDocumentName = Self(rawValue: "invalidDocumentName")
    /// A document is a JSON object.
    public static let invalidDocument = Self(rawValue: "invalidDocument")
    /// The document has more bytes than the server allows.
    public static let documentTooLarge = Self(rawValue: "documentTooLarge")
    /// The document nests deeper than the server allows.
    public static let documentTooDeep = Self(rawValue: "documentTooDeep")
    /// The user has as many documents as the server allows.
    public static let tooManyDocuments = Self(rawValue: "tooManyDocuments")
    /// The user's documents have as many bytes together as the server allows.
    public static let documentQuotaExceeded = Self(rawValue: "documentQuotaExceeded")
    /// The server is short of storage; documents and new guests are refused until it has some.
    public static let storageLow = Self(rawValue: "storageLow")
    /// More writes at once than the server allows.
    public static let tooManyWrites = Self(rawValue: "tooManyWrites")
    /// The user listens in as many places as the server allows.
    public static let tooManyStreams = Self(rawValue: "tooManyStreams")
    /// The document does not have the shape of the type that it was to be read as.
    public static let documentMismatch = Self(rawValue: "documentMismatch")
    /// The ``Transport`` cannot listen.
    public static let streamingUnsupported = Self(rawValue: "streamingUnsupported")

    // Server and surroundings.

    /// Too often; see ``AuthError/retryAfter``.
    public static let tooManyRequests = Self(rawValue: "tooManyRequests")
    /// The operator switched this way of signing in off.
    public static let operationNotAllowed = Self(rawValue: "operationNotAllowed")
    /// Only an administrator may do this (anonymous sign-up is off).
    public static let adminRestrictedOperation = Self(rawValue: "adminRestrictedOperation")
    /// No answer, or not the answer of a Latchkey server.
    public static let networkRequestFailed = Self(rawValue: "networkRequestFailed")
    /// The session could not be read or written on this device.
    public static let storageFailed = Self(rawValue: "storageFailed")
    /// The configuration handed to ``Auth`` is unusable.
    public static let invalidConfiguration = Self(rawValue: "invalidConfiguration")
    /// The task that waited was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// Anything else; ``AuthError/serverCode`` and ``AuthError/detail`` say more.
    public static let internalError = Self(rawValue: "internalError")
}
