import LatchkeyClient
import Testing

@Suite("Errors of the server") struct AuthErrorTests {
    @Test(
        arguments: [
            ("EMAIL_EXISTS", AuthError.Code.emailAlreadyInUse),
            ("FEDERATED_USER_ID_ALREADY_LINKED", .credentialAlreadyInUse),
            ("USER_DISABLED", .userDisabled),
            ("TOKEN_EXPIRED", .userTokenExpired),
            ("USER_NOT_FOUND", .userTokenExpired),
            ("INVALID_ID_TOKEN", .invalidUserToken),
            ("INVALID_REFRESH_TOKEN", .invalidRefreshToken),
            ("CREDENTIAL_TOO_OLD_LOGIN_AGAIN", .requiresRecentLogin),
            ("INVALID_OOB_CODE", .invalidActionCode),
            ("EXPIRED_OOB_CODE", .expiredActionCode),
            ("MISSING_OOB_CODE", .internalError),
            ("MISSING_CONTINUE_URI", .internalError),
            ("MISSING_CUSTOM_TOKEN", .internalError),
            ("MISSING_REQ_TYPE", .internalError),
            ("INVALID_EMAIL", .invalidEmail),
            ("INVALID_IDENTIFIER", .invalidEmail),
            ("EMAIL_NOT_FOUND", .userNotFound),
            ("OPERATION_NOT_ALLOWED", .operationNotAllowed),
            ("PASSWORD_LOGIN_DISABLED", .operationNotAllowed),
            ("ADMIN_ONLY_OPERATION", .adminRestrictedOperation),
            ("INVALID_IDP_RESPONSE", .invalidCredential),
            ("INVALID_PENDING_TOKEN", .invalidCredential),
            ("INVALID_LOGIN_CREDENTIALS", .invalidCredential),
            ("INVALID_CUSTOM_TOKEN", .invalidCustomToken),
            ("CREDENTIAL_MISMATCH", .customTokenMismatch),
            ("INVALID_CONTINUE_URI", .invalidContinueURI),
            ("UNAUTHORIZED_DOMAIN", .unauthorizedContinueURI),
            ("TOO_MANY_ATTEMPTS_TRY_LATER", .tooManyRequests),
            ("RESET_PASSWORD_EXCEED_LIMIT", .tooManyRequests),
            ("TICKET_PENDING", .ticketPending),
            ("TICKET_SPENT", .ticketSpent),
            ("TICKET_EXPIRED", .ticketExpired),
            ("TICKET_ENDED", .ticketEnded),
            ("INVALID_TICKET", .invalidTicket),
            ("INVALID_SIGN_IN_CODE", .invalidSignInCode),
            ("MAIL_FAILED", .mailFailed),
            ("MAIL_PENDING", .mailPending),
            ("CODE_PAUSED", .codePaused),
            ("MISSING_EMAIL", AuthError.Code(rawValue: "missingEmail")),
            ("INVALID_CREDENTIAL_OR_PROVIDER_ID", AuthError.Code(rawValue: "invalidCredentialOrProviderId")),
        ]
    )
    func `a code has the field's name and is kept`(serverCode: String, expected: AuthError.Code) {
        let error = AuthError(message: serverCode, status: nil, httpStatus: 400, retryAfter: nil)
        #expect(error.code == expected)
        #expect(error.serverCode == serverCode)
        #expect(error.detail == nil)
        #expect(!error.isTransient)
    }

    @Test func `the detail behind a code is parted from it`() {
        let message = "INVALID_EMAIL : The email provided does not match : sorry."
        let error = AuthError(message: message, status: nil, httpStatus: 400, retryAfter: nil)
        #expect(error.code == .invalidEmail)
        #expect(error.serverCode == "INVALID_EMAIL")
        #expect(error.detail == "The email provided does not match : sorry.")
    }

    @Test(
        arguments: [
            ("The request is missing a valid API key.", "PERMISSION_DENIED", 403),
            ("Not Found", "NOT_FOUND", 404),
            ("Invalid JSON payload received. /email must be string", "INVALID_ARGUMENT", 400),
        ]
    )
    func `a sentence instead of a code goes by its status`(message: String, status: String, httpStatus: Int) {
        let error = AuthError(message: message, status: status, httpStatus: httpStatus, retryAfter: nil)
        #expect(error.code == .internalError)
        #expect(error.serverCode == status)
        #expect(error.detail == message)
    }

    @Test func `status 429 is too often, whatever the code`() {
        let error = AuthError(message: "SOMETHING", status: nil, httpStatus: 429, retryAfter: .seconds(7))
        #expect(error.code == .tooManyRequests)
        #expect(error.retryAfter == .seconds(7))
    }

    @Test func `a failure inside the server may pass`() {
        #expect(AuthError(message: "INTERNAL", status: "INTERNAL", httpStatus: 500, retryAfter: nil).isTransient)
    }

    @Test(
        arguments: [
            ("HTTP://LocalHost:9099/", "http://localhost:9099"), ("http://127.3.2.1", "http://127.3.2.1"),
            ("http://[::1]:9099", "http://[::1]:9099"), ("https://Auth.Example.com/", "https://auth.example.com"),
            ("https://example.com/auth//", "https://example.com/auth"),
        ]
    )
    func `a server is spelled in one way`(given: String, expected: String) throws {
        #expect(try Auth.Configuration(server: given).server == expected)
    }

    @Test(
        arguments: [
            "", "localhost:9099", "ftp://localhost", "http://example.com", "http://127.0.0.1.example.com",
            "http://127.example.com", "https://user:secret@example.com", "https://example.com/?a=b", "https://",
            "http://10.0.0.1",
        ]
    )
    func `a server that would leak tokens or is none is refused`(given: String) async {
        #expect(await code { try Auth.Configuration(server: given) } == .invalidConfiguration)
    }

    @Test func `a header cannot be smuggled in by the configuration`() async {
        #expect(
            await code { try Auth.Configuration(server: "https://a.example", userAgent: "x\r\nCookie: y") }
                == .invalidConfiguration
        )
    }
}
