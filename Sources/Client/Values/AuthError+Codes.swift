extension AuthError.Code {
    // Accounts and addresses.

    /// Another user owns the address.
    ///
    /// Link and session are kept: the same link can sign in to the other account.
    public static let emailAlreadyInUse = Self(rawValue: "emailAlreadyInUse")
    /// Another user owns the identity.
    public static let credentialAlreadyInUse = Self(rawValue: "credentialAlreadyInUse")
    /// The user has a mailed link as a way in already; nothing was sent.
    public static let providerAlreadyLinked = Self(rawValue: "providerAlreadyLinked")
    /// Not an e-mail address, or not the one that the link was sent to.
    public static let invalidEmail = Self(rawValue: "invalidEmail")
    /// No user has this address.
    public static let userNotFound = Self(rawValue: "userNotFound")
    /// The identity provider's answer was refused.
    public static let invalidCredential = Self(rawValue: "invalidCredential")
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
