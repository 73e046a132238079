extension AuthError {
    /// Creates an error from a server's error envelope.
    ///
    /// - Parameters:
    ///   - message: `error.message`: a code, optionally followed by ` : ` and a detail.
    ///   - status: `error.status`, for failures without a code of their own.
    ///   - httpStatus: the HTTP status.
    ///   - retryAfter: the parsed `Retry-After` header.
    package init(message: String, status: String?, httpStatus: Int, retryAfter: Duration?) {
        let (head, detail) = Self.split(message)
        let isCode = Self.isServerCode(head)
        let serverCode = isCode ? head : status ?? "HTTP_\(httpStatus)"
        let code = isCode ? Code(serverCode: head) : .internalError
        self.init(
            httpStatus == 429 && !Self.namedLimits.contains(code) ? .tooManyRequests : code,
            serverCode: serverCode,
            detail: isCode ? detail : message,
            retryAfter: retryAfter,
            isTransient: httpStatus >= 500
        )
    }

    /// The codes that an error with HTTP status 429 keeps.
    ///
    /// All others become ``AuthError/Code/tooManyRequests``.
    private static let namedLimits: Set<Code> = [.tooManyStreams, .codePaused]

    /// Splits at the first ` : `, the separator that servers with this API use.
    private static func split(_ message: String) -> (code: String, detail: String?) {
        let bytes = Array(message.utf8)
        let separator = Array(" : ".utf8)
        guard bytes.count >= separator.count else { return (message, nil) }
        for start in 0...(bytes.count - separator.count)
        where bytes[start] == separator[0] && bytes[start + 1] == separator[1] && bytes[start + 2] == separator[2] {
            let code = String(decoding: bytes[..<start], as: UTF8.self)
            return (code, String(decoding: bytes[(start + separator.count)...], as: UTF8.self))
        }
        return (message, nil)
    }

    /// Whether a text has the form of a code: `A–Z`, `0–9` and `_`, a letter first.
    private static func isServerCode(_ text: String) -> Bool {
        guard (3...64).contains(text.utf8.count), let first = text.utf8.first else { return false }
        return UInt8(ascii: "A")...UInt8(ascii: "Z") ~= first
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension AuthError.Code {
    /// Creates the code for a server's code: its Firebase name if it has one, otherwise the same words in Swift's
    /// spelling.
    package init(serverCode: String) {
        self = Self.named[serverCode] ?? Self(rawValue: Self.camelCase(serverCode))
    }

    /// The codes of this client by the server's codes, where they are called something else or have their own constant:
    /// as in Firebase's SDKs, and for tickets and sessions.
    private static let named: [String: Self] = [
        "EMAIL_EXISTS": .emailAlreadyInUse,
        "FEDERATED_USER_ID_ALREADY_LINKED": .credentialAlreadyInUse,
        "USER_DISABLED": .userDisabled,
        "TOKEN_EXPIRED": .userTokenExpired,
        "USER_NOT_FOUND": .userTokenExpired,
        "INVALID_ID_TOKEN": .invalidUserToken,
        "INVALID_REFRESH_TOKEN": .invalidRefreshToken,
        "CREDENTIAL_TOO_OLD_LOGIN_AGAIN": .requiresRecentLogin,
        "INVALID_OOB_CODE": .invalidActionCode,
        "EXPIRED_OOB_CODE": .expiredActionCode,
        "MISSING_OOB_CODE": .internalError,
        "MISSING_CONTINUE_URI": .internalError,
        "MISSING_CUSTOM_TOKEN": .internalError,
        "MISSING_REQ_TYPE": .internalError,
        "INVALID_EMAIL": .invalidEmail,
        "INVALID_IDENTIFIER": .invalidEmail,
        "EMAIL_NOT_FOUND": .userNotFound,
        "OPERATION_NOT_ALLOWED": .operationNotAllowed,
        "PASSWORD_LOGIN_DISABLED": .operationNotAllowed,
        "ADMIN_ONLY_OPERATION": .adminRestrictedOperation,
        "INVALID_IDP_RESPONSE": .invalidCredential,
        "INVALID_PENDING_TOKEN": .invalidCredential,
        "INVALID_LOGIN_CREDENTIALS": .invalidCredential,
        "INVALID_CUSTOM_TOKEN": .invalidCustomToken,
        "CREDENTIAL_MISMATCH": .customTokenMismatch,
        "INVALID_CONTINUE_URI": .invalidContinueURI,
        "UNAUTHORIZED_DOMAIN": .unauthorizedContinueURI,
        "TOO_MANY_ATTEMPTS_TRY_LATER": .tooManyRequests,
        "RESET_PASSWORD_EXCEED_LIMIT": .tooManyRequests,
        "CHALLENGE_REQUIRED": .tooManyRequests,
        "TICKET_PENDING": .ticketPending,
        "TICKET_SPENT": .ticketSpent,
        "TICKET_EXPIRED": .ticketExpired,
        "TICKET_ENDED": .ticketEnded,
        "INVALID_TICKET": .invalidTicket,
        "INVALID_SIGN_IN_CODE": .invalidSignInCode,
        "CODE_PAUSED": .codePaused,
        "MAIL_PENDING": .mailPending,
        "MAIL_FAILED": .mailFailed,
        "SESSION_NOT_FOUND": .sessionNotFound,
    ]

    /// Converts `MISSING_EMAIL` to `missingEmail`, as the JavaScript SDK makes `missing-email` of codes without a name.
    private static func camelCase(_ serverCode: String) -> String {
        let words = serverCode.split(separator: "_").map { $0.lowercased() }
        guard let first = words.first else { return AuthError.Code.internalError.rawValue }
        return words.dropFirst().reduce(first) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }
}
