extension AuthError.Code {
    // Accounts and addresses.

    /// Another user owns the e-mail address.
    ///
    /// The link, code or identity is unused, and the session stays valid. To merge, or to sign in to the other account,
    /// use ``AuthError/credential`` for a link or a ticket, and the same ``ProviderCredential`` for an identity. An
    /// identity whose address the provider does not prove can do neither, and no identity's address opens an
    /// administrator's account: sign in to that account in another way.
    public static let emailAlreadyInUse = Self(rawValue: "emailAlreadyInUse")
    /// Another user owns the identity of the provider.
    ///
    /// Nothing has changed. Use the same ``ProviderCredential`` to merge, or to sign in to the other account.
    public static let credentialAlreadyInUse = Self(rawValue: "credentialAlreadyInUse")
    /// The user already has the e-mail link as a sign-in method.
    ///
    /// The link was not sent to the server and stays valid.
    public static let providerAlreadyLinked = Self(rawValue: "providerAlreadyLinked")
    /// The text is not an e-mail address, or the address is not the one that the link was sent to.
    public static let invalidEmail = Self(rawValue: "invalidEmail")
    /// No user has the e-mail address in the request.
    public static let userNotFound = Self(rawValue: "userNotFound")
    /// Another user has the address of the identity, and the provider does not prove that it is the same person.
    ///
    /// Sign in to that account in another way, then link.
    public static let accountExistsWithDifferentCredential = Self(rawValue: "accountExistsWithDifferentCredential")
    /// The identity provider's ID token was rejected.
    public static let invalidCredential = Self(rawValue: "invalidCredential")
    /// The identity provider's token was not requested with the nonce that was sent with it, or has been used already.
    public static let missingOrInvalidNonce = Self(rawValue: "missingOrInvalidNonce")
    /// The identity provider's keys cannot be loaded at the moment; try again later.
    public static let providerUnavailable = Self(rawValue: "providerUnavailable")
    /// The custom token was rejected.
    public static let invalidCustomToken = Self(rawValue: "invalidCustomToken")
    /// The custom token was signed by a service account that the server does not know.
    public static let customTokenMismatch = Self(rawValue: "customTokenMismatch")

    // Links, codes, tickets.

    /// The e-mail link has expired, so a new one must be requested.
    public static let expiredActionCode = Self(rawValue: "expiredActionCode")
    /// The link was used already or was not made by this server, or the text is not a link for signing in.
    public static let invalidActionCode = Self(rawValue: "invalidActionCode")
    /// The continue URL is not a URL.
    public static let invalidContinueURI = Self(rawValue: "invalidContinueURI")
    /// The continue URL is not on an allowed origin.
    public static let unauthorizedContinueURI = Self(rawValue: "unauthorizedContinueURI")
    /// The ticket is not approved yet; call again later.
    public static let ticketPending = Self(rawValue: "ticketPending")
    /// The link or code of this ticket was used elsewhere.
    public static let ticketSpent = Self(rawValue: "ticketSpent")
    /// The ticket has expired, so a new sign-in e-mail must be requested.
    public static let ticketExpired = Self(rawValue: "ticketExpired")
    /// The ticket was ended by wrong codes or digits, or because the recipient of the e-mail reported it.
    ///
    /// Request a new e-mail.
    public static let ticketEnded = Self(rawValue: "ticketEnded")
    /// The ticket is not one that this server issued.
    public static let invalidTicket = Self(rawValue: "invalidTicket")
    /// The sign-in code is wrong.
    ///
    /// A few wrong codes, three by default, end the ticket.
    public static let invalidSignInCode = Self(rawValue: "invalidSignInCode")
    /// Sign-in codes are paused for up to a minute (``AuthError/retryAfter``).
    ///
    /// Ask the user to open the link instead.
    public static let codePaused = Self(rawValue: "codePaused")
    /// The e-mail is still being sent; try the code again in a moment.
    public static let mailPending = Self(rawValue: "mailPending")
    /// The e-mail could not be delivered.
    public static let mailFailed = Self(rawValue: "mailFailed")

    // Sessions.

    /// No user is signed in.
    public static let noCurrentUser = Self(rawValue: "noCurrentUser")
    /// The session has ended, or its user was deleted.
    ///
    /// The local user was signed out, unless the error concerns the token of another user: an anonymous user to be
    /// merged, or the user who was signed in when the call started.
    public static let userTokenExpired = Self(rawValue: "userTokenExpired")
    /// An administrator disabled the user.
    ///
    /// If it was the signed-in user, the local user was signed out.
    public static let userDisabled = Self(rawValue: "userDisabled")
    /// The ID token is invalid, or is not of this server.
    public static let invalidUserToken = Self(rawValue: "invalidUserToken")
    /// The server does not know the refresh token, or its user was deleted.
    ///
    /// The local user was signed out.
    public static let invalidRefreshToken = Self(rawValue: "invalidRefreshToken")
    /// The last sign-in was too long ago for this call.
    ///
    /// Sign in again, then repeat the call.
    public static let requiresRecentLogin = Self(rawValue: "requiresRecentLogin")

    // Usernames.

    /// Another user has the username.
    public static let usernameTaken = Self(rawValue: "usernameTaken")
    /// The operator has reserved this username.
    public static let usernameReserved = Self(rawValue: "usernameReserved")
    /// The text is not a valid username, which has 3 to 30 ASCII letters, digits, `_`, `.` and `-`.
    public static let invalidUsername = Self(rawValue: "invalidUsername")

    // Merges.

    /// The anonymous user is being merged; try again in a moment.
    public static let mergeInProgress = Self(rawValue: "mergeInProgress")
    /// A system that takes part in merges rejected the merge; ``AuthError/detail`` contains its reason.
    ///
    /// Both users are unchanged.
    public static let mergeRefused = Self(rawValue: "mergeRefused")
    /// The merge failed; both users are unchanged.
    public static let mergeFailed = Self(rawValue: "mergeFailed")
    /// The user whose data is to be moved is not anonymous.
    public static let notAnonymous = Self(rawValue: "notAnonymous")
    /// The user to whom the data is to be moved is anonymous.
    public static let notPermanent = Self(rawValue: "notPermanent")

    // Sessions.

    /// The signed-in user has no session with the given ID.
    public static let sessionNotFound = Self(rawValue: "sessionNotFound")

    // Documents.

    /// The signed-in user has no document with this path.
    public static let documentNotFound = Self(rawValue: "documentNotFound")
    /// The document does not meet the condition of the call: read it again.
    public static let preconditionFailed = Self(rawValue: "preconditionFailed")
    /// Not a name of a collection or document: 1 to 128 ASCII letters, digits, `_`, `-` and `.`.
    public static let invalidDocumentName = Self(rawValue: "invalidDocumentName")
    /// The document is not a JSON object.
    public static let invalidDocument = Self(rawValue: "invalidDocument")
    /// The document has more bytes than the server allows.
    public static let documentTooLarge = Self(rawValue: "documentTooLarge")
    /// The document nests deeper than the server allows.
    public static let documentTooDeep = Self(rawValue: "documentTooDeep")
    /// The user has reached the server's limit for documents.
    public static let tooManyDocuments = Self(rawValue: "tooManyDocuments")
    /// The user's documents have reached the server's limit for their total size.
    public static let documentQuotaExceeded = Self(rawValue: "documentQuotaExceeded")
    /// The server is short of storage.
    ///
    /// Writes of documents are rejected until the server has more; if it is very short, new guests too.
    public static let storageLow = Self(rawValue: "storageLow")
    /// The call has more writes than the server allows.
    public static let tooManyWrites = Self(rawValue: "tooManyWrites")
    /// The user, the client, its network or the server has reached its limit of open streams.
    public static let tooManyStreams = Self(rawValue: "tooManyStreams")
    /// The document does not match the type to decode.
    public static let documentMismatch = Self(rawValue: "documentMismatch")
    /// The ``Transport`` does not support listening.
    public static let streamingUnsupported = Self(rawValue: "streamingUnsupported")

    // Server and environment.

    /// A limit of the server for requests is reached; ``AuthError/retryAfter`` says how long to wait, if the server
    /// told it.
    public static let tooManyRequests = Self(rawValue: "tooManyRequests")
    /// The call is not allowed: the operator has disabled this sign-in method, or the user may not make this change.
    public static let operationNotAllowed = Self(rawValue: "operationNotAllowed")
    /// Only an administrator may do this (anonymous sign-up is off).
    public static let adminRestrictedOperation = Self(rawValue: "adminRestrictedOperation")
    /// No complete answer arrived, or the answer is not one of a Latchkey server.
    public static let networkRequestFailed = Self(rawValue: "networkRequestFailed")
    /// The server cannot answer now, or a proxy lost it during the call; the same call may succeed in a moment.
    public static let unavailable = Self(rawValue: "unavailable")
    /// The session could not be read or written on this device.
    public static let storageFailed = Self(rawValue: "storageFailed")
    /// The configuration passed to ``Auth`` is invalid.
    public static let invalidConfiguration = Self(rawValue: "invalidConfiguration")
    /// The calling task was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// Anything else; ``AuthError/serverCode`` and ``AuthError/detail`` say more.
    public static let internalError = Self(rawValue: "internalError")
}
