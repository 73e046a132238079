/// The stable error codes of the API: those of Identity Toolkit, and Latchkey's own.
package struct Code: RawRepresentable, Sendable, Hashable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    // The caller.
    package static let missingIDToken = Code(rawValue: "MISSING_ID_TOKEN")
    package static let invalidIDToken = Code(rawValue: "INVALID_ID_TOKEN")
    package static let tokenExpired = Code(rawValue: "TOKEN_EXPIRED")
    package static let userNotFound = Code(rawValue: "USER_NOT_FOUND")
    package static let userDisabled = Code(rawValue: "USER_DISABLED")
    package static let missingRefreshToken = Code(rawValue: "MISSING_REFRESH_TOKEN")
    package static let invalidRefreshToken = Code(rawValue: "INVALID_REFRESH_TOKEN")
    package static let missingGrantType = Code(rawValue: "MISSING_GRANT_TYPE")
    package static let invalidGrantType = Code(rawValue: "INVALID_GRANT_TYPE")
    package static let insufficientPermission = Code(rawValue: "INSUFFICIENT_PERMISSION")

    // Permission.
    /// The call comes from a web page whose origin may not call the API.
    package static let originNotAllowed = Code(rawValue: "ORIGIN_NOT_ALLOWED")
    /// The call comes from a web page, and its body has a content type that web pages may not send.
    package static let unsupportedMediaType = Code(rawValue: "UNSUPPORTED_MEDIA_TYPE")
    package static let adminOnlyOperation = Code(rawValue: "ADMIN_ONLY_OPERATION")
    package static let operationNotAllowed = Code(rawValue: "OPERATION_NOT_ALLOWED")
    /// The call names a tenant, and there are none.
    package static let unsupportedTenantOperation = Code(rawValue: "UNSUPPORTED_TENANT_OPERATION")
    package static let unexpectedParameter = Code(rawValue: "UNEXPECTED_PARAMETER")
    package static let invalidRequestType = Code(rawValue: "INVALID_REQ_TYPE")
    package static let missingRequestType = Code(rawValue: "MISSING_REQ_TYPE")
    package static let tooManyAttempts = Code(rawValue: "TOO_MANY_ATTEMPTS_TRY_LATER")
    package static let challengeRequired = Code(rawValue: "CHALLENGE_REQUIRED")
    package static let invalidIdempotencyKey = Code(rawValue: "INVALID_IDEMPOTENCY_KEY")
    /// The guest of the idempotency key was deleted, merged, disabled or made permanent, or their first session has
    /// been refreshed or is over.
    package static let idempotencyKeyUsed = Code(rawValue: "IDEMPOTENCY_KEY_USED")

    // Addresses.
    package static let missingEmail = Code(rawValue: "MISSING_EMAIL")
    package static let missingNewEmail = Code(rawValue: "MISSING_NEW_EMAIL")
    package static let missingPassword = Code(rawValue: "MISSING_PASSWORD")
    package static let invalidEmail = Code(rawValue: "INVALID_EMAIL")
    package static let emailExists = Code(rawValue: "EMAIL_EXISTS")
    package static let invalidContinueURI = Code(rawValue: "INVALID_CONTINUE_URI")
    package static let unauthorizedDomain = Code(rawValue: "UNAUTHORIZED_DOMAIN")

    // Links, codes and tickets.
    package static let missingOobCode = Code(rawValue: "MISSING_OOB_CODE")
    package static let invalidOobCode = Code(rawValue: "INVALID_OOB_CODE")
    package static let expiredOobCode = Code(rawValue: "EXPIRED_OOB_CODE")
    package static let missingTicket = Code(rawValue: "MISSING_TICKET")
    package static let invalidTicket = Code(rawValue: "INVALID_TICKET")
    package static let ticketPending = Code(rawValue: "TICKET_PENDING")
    package static let ticketSpent = Code(rawValue: "TICKET_SPENT")
    package static let ticketEnded = Code(rawValue: "TICKET_ENDED")
    package static let ticketExpired = Code(rawValue: "TICKET_EXPIRED")
    package static let invalidSignInCode = Code(rawValue: "INVALID_SIGN_IN_CODE")
    /// The ticket's e-mail is still queued, so no code is compared yet.
    package static let mailPending = Code(rawValue: "MAIL_PENDING")
    /// Too many wrong codes were tried in this minute on all tickets of the same ``CodeBreaker``.
    package static let codePaused = Code(rawValue: "CODE_PAUSED")
    package static let mailFailed = Code(rawValue: "MAIL_FAILED")
    package static let invalidOnConflict = Code(rawValue: "INVALID_ON_CONFLICT")

    // Sessions.
    package static let sessionNotFound = Code(rawValue: "SESSION_NOT_FOUND")

    // Profiles and usernames.
    package static let invalidProfile = Code(rawValue: "INVALID_PROFILE")
    package static let missingUsername = Code(rawValue: "MISSING_USERNAME")
    package static let invalidUsername = Code(rawValue: "INVALID_USERNAME")
    package static let usernameReserved = Code(rawValue: "USERNAME_RESERVED")
    package static let usernameTaken = Code(rawValue: "USERNAME_TAKEN")

    // Documents.
    package static let invalidDocumentName = Code(rawValue: "INVALID_DOCUMENT_NAME")
    package static let invalidDocument = Code(rawValue: "INVALID_DOCUMENT")
    package static let documentNotFound = Code(rawValue: "DOCUMENT_NOT_FOUND")
    package static let preconditionFailed = Code(rawValue: "PRECONDITION_FAILED")
    package static let documentTooLarge = Code(rawValue: "DOCUMENT_TOO_LARGE")
    package static let documentTooDeep = Code(rawValue: "DOCUMENT_TOO_DEEP")
    package static let tooManyDocuments = Code(rawValue: "TOO_MANY_DOCUMENTS")
    package static let documentQuotaExceeded = Code(rawValue: "DOCUMENT_QUOTA_EXCEEDED")
    /// The disk of the database is nearly full, so that the server accepts no documents, or no new guests either.
    package static let storageLow = Code(rawValue: "STORAGE_LOW")
    package static let invalidWrites = Code(rawValue: "INVALID_WRITES")
    package static let tooManyWrites = Code(rawValue: "TOO_MANY_WRITES")
    package static let invalidPageToken = Code(rawValue: "INVALID_PAGE_TOKEN")
    package static let invalidEventID = Code(rawValue: "INVALID_EVENT_ID")
    package static let tooManyStreams = Code(rawValue: "TOO_MANY_STREAMS")

    // Merges.
    package static let missingAnonymousIDToken = Code(rawValue: "MISSING_ANONYMOUS_ID_TOKEN")
    /// The user to be merged away is not anonymous.
    package static let notAnonymous = Code(rawValue: "NOT_ANONYMOUS")
    /// The user to merge into is anonymous.
    package static let notPermanent = Code(rawValue: "NOT_PERMANENT")
    package static let mergeInProgress = Code(rawValue: "MERGE_IN_PROGRESS")
    package static let mergeRefused = Code(rawValue: "MERGE_REFUSED")
    package static let mergeFailed = Code(rawValue: "MERGE_FAILED")

    // Identity providers and custom tokens.
    package static let missingRequestURI = Code(rawValue: "MISSING_REQUEST_URI")
    package static let invalidRequestURI = Code(rawValue: "INVALID_REQUEST_URI")
    package static let invalidCredentialOrProviderID = Code(rawValue: "INVALID_CREDENTIAL_OR_PROVIDER_ID")
    package static let invalidIdPResponse = Code(rawValue: "INVALID_IDP_RESPONSE")
    package static let missingOrInvalidNonce = Code(rawValue: "MISSING_OR_INVALID_NONCE")
    package static let federatedUserIDAlreadyLinked = Code(rawValue: "FEDERATED_USER_ID_ALREADY_LINKED")
    /// The server could not get the keys with which to verify the token of an identity provider or of Firebase.
    package static let providerUnavailable = Code(rawValue: "PROVIDER_UNAVAILABLE")
    package static let missingCustomToken = Code(rawValue: "MISSING_CUSTOM_TOKEN")
    package static let invalidCustomToken = Code(rawValue: "INVALID_CUSTOM_TOKEN")
    package static let credentialMismatch = Code(rawValue: "CREDENTIAL_MISMATCH")
    package static let missingIdentifier = Code(rawValue: "MISSING_IDENTIFIER")
    package static let invalidIdentifier = Code(rawValue: "INVALID_IDENTIFIER")
    package static let missingContinueURI = Code(rawValue: "MISSING_CONTINUE_URI")

    // Tokens of a project at Firebase.
    package static let missingFirebaseToken = Code(rawValue: "MISSING_FIREBASE_TOKEN")
    package static let invalidFirebaseToken = Code(rawValue: "INVALID_FIREBASE_TOKEN")
    package static let tokenAlreadyExchanged = Code(rawValue: "TOKEN_ALREADY_EXCHANGED")
    package static let tooManySessions = Code(rawValue: "TOO_MANY_SESSIONS")

    // Administrators.
    package static let missingLocalID = Code(rawValue: "MISSING_LOCAL_ID")
    package static let invalidLocalID = Code(rawValue: "INVALID_LOCAL_ID")
    package static let duplicateLocalID = Code(rawValue: "DUPLICATE_LOCAL_ID")
    package static let duplicateEmail = Code(rawValue: "DUPLICATE_EMAIL")
    package static let duplicateRawID = Code(rawValue: "DUPLICATE_RAW_ID")
    package static let missingProviderID = Code(rawValue: "MISSING_PROVIDER_ID")
    package static let missingRawID = Code(rawValue: "MISSING_RAW_ID")
    package static let missingUserAccount = Code(rawValue: "MISSING_USER_ACCOUNT")
    /// The user is not disabled, which a deletion of several users requires unless it is forced.
    package static let notDisabled = Code(rawValue: "NOT_DISABLED")
    /// The named provider is none that users can be linked to.
    package static let invalidProviderID = Code(rawValue: "INVALID_PROVIDER_ID")
    package static let localIDListExceedsLimit = Code(rawValue: "LOCAL_ID_LIST_EXCEEDS_LIMIT")
    package static let claimsTooLarge = Code(rawValue: "CLAIMS_TOO_LARGE")
    package static let invalidClaims = Code(rawValue: "INVALID_CLAIMS")
    package static let forbiddenClaim = Code(rawValue: "FORBIDDEN_CLAIM")
    package static let invalidDuration = Code(rawValue: "INVALID_DURATION")
    package static let invalidBlockingFunction = Code(rawValue: "INVALID_BLOCKING_FUNCTION")
    /// The user has to sign in again, because the session's sign-in was too long ago for this change.
    package static let credentialTooOld = Code(rawValue: "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")

    /// The ``Refusal/detail`` that a refusal with this code gets if it is given none; `nil` for codes that the user of
    /// an app causes, which clients expect bare, as Identity Toolkit sends them.
    var usualDetail: String? { Self.details[self] }

    private static let details: [Code: String] = [
        .missingIDToken: "The call needs the user's ID token.",
        .missingRefreshToken: "The refresh token is missing.",
        .missingGrantType: "grant_type is missing; send refresh_token.",
        .invalidGrantType: "grant_type must be refresh_token.",
        .adminOnlyOperation: "Guests are switched off (setting signIn.anonymous).",
        .unsupportedTenantOperation: "This server has no tenants; leave tenantId out.",
        .missingRequestType: "requestType is missing.",
        .missingEmail: "The e-mail address is missing.",
        .missingNewEmail: "newEmail is missing.",
        .missingPassword: "The password is missing.",
        .missingOobCode: "oobCode is missing.",
        .invalidPageToken: "The page token is not one of this list.",
        .missingAnonymousIDToken: "anonymousIdToken, the guest's ID token, is missing.",
        .missingRequestURI: "requestUri is missing.",
        .invalidRequestURI: "requestUri must be an absolute URL.",
        .federatedUserIDAlreadyLinked: "An account has this identity; sign in by it, or send onConflict.",
        .missingCustomToken: "The custom token is missing.",
        .missingIdentifier: "The identifier is missing.",
        .invalidIdentifier: "The identifier must be an e-mail address.",
        .missingContinueURI: "continueUri is missing.",
        .invalidContinueURI: "The URL to continue at must be an absolute URL.",
        .missingFirebaseToken: "firebaseToken, an ID token of Firebase, is missing.",
        .missingLocalID: "localId is missing.",
        .invalidLocalID: "A UID has 1 to 128 characters and no control characters.",
        .missingProviderID: "providerId is missing.",
        .missingRawID: "rawId is missing.",
        .missingUserAccount: "users must have at least one user.",
        .localIDListExceedsLimit: "localIds must have 1 to 1000 UIDs.",
        .claimsTooLarge: "Custom claims have at most \(CustomClaims.limit) bytes.",
        .invalidClaims: "Custom claims are one JSON object.",
        .originNotAllowed: "Web pages of this origin may not call the API; add the origin to corsOrigins.",
        .unsupportedMediaType: "Send application/json; /v1/token also accepts a form.",
        .storageLow: "The server is short of storage; try again later.",
        .challengeRequired: "Solve error.challenge and repeat the request with the solution in Challenge-Solution.",
        .invalidIdempotencyKey: "Idempotency-Key must have 22 to 64 base64url characters.",
        .idempotencyKeyUsed:
            "The guest of this Idempotency-Key is no longer a guest or was deleted; sign up with a new key.",
        .missingTicket: "The ticket is missing; send the one that sendOobCode returned.",
        .invalidTicket: "This server did not issue this ticket; request a new e-mail.",
        .ticketPending: "The link has not been opened yet; ask again in a moment.",
        .ticketSpent: "This sign-in was already used; request a new e-mail.",
        .ticketEnded: "This sign-in was stopped; request a new e-mail.",
        .ticketExpired: "This sign-in has expired; request a new e-mail.",
        .invalidSignInCode: "This is not the code from the e-mail; check it and try again.",
        .mailPending: "The e-mail is still on its way; try again in a moment.",
        .codePaused: "Sign-in codes are paused for a moment; open the link in the e-mail instead.",
        .mailFailed: "The e-mail could not be delivered; check the address and request a new one.",
        .invalidOnConflict: "onConflict must be \"error\", \"merge\" or \"report\".",
        .missingUsername: "Give the username, or null to release it.",
        .invalidUsername: "A username has 3 to 30 letters, digits, dots, hyphens or underscores.",
        .usernameReserved: "This username is not available; choose another one.",
        .usernameTaken: "This username is taken; choose another one.",
        .invalidDocumentName:
            "Names of collections and documents have 1 to 128 letters, digits, underscores, hyphens or dots.",
        .documentNotFound: "There is no such document.",
        .sessionNotFound: "The user has no such session.",
        .preconditionFailed: "The document has changed; read it again.",
        .notAnonymous: "Only a guest can be merged into another user.",
        .notPermanent: "The target of a merge must be a permanent user; sign in first.",
        .mergeInProgress: "This user is being merged; try again in a moment.",
        .tokenAlreadyExchanged: "This token has been used; get a new one from Firebase.",
        .tooManySessions: "The user has exchanged the maximum number of sessions; sign in instead.",
        .mergeFailed: "The merge failed; both users are unchanged.",
    ]
}
