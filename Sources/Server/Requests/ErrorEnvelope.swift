internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

extension Refusal {
    /// Code and detail as the client receives them, such as `INVALID_ID_TOKEN` or `CODE : detail` (contract, 1.5).
    var wireText: String { detail.map { "\(code.rawValue) : \($0)" } ?? code.rawValue }
}

/// An error as Identity Toolkit formats it (contract, 1.5).
struct ErrorEnvelope {
    let httpStatus: Int
    /// The member `status`, a name of google.rpc.Code; `nil` if the response has none, as most refusals with status
    /// 400.
    var status: String?
    private(set) var message: String
    var reason: String
    var domain: String? = "global"
    /// The `message` of the inner error; `nil` if it is the same as the outer one.
    var innerMessage: String?
    /// Whether `location` and `locationType` of the inner error name the `Authorization` header; otherwise they are
    /// absent.
    var isAboutAuthorization = false
    /// Whether the server has nothing at the request's path.
    private(set) var isAboutPath = false
    /// The header `Retry-After`, in seconds; `nil` without it.
    var retryAfter: Int?
    /// The member `challenge`, a proof-of-work challenge whose solution the client may send with the repeated request;
    /// `nil` without one.
    var challenge: Challenge?
    /// The member `mergeReport`, the JSON text of what a merge would do; `nil` without one.
    var mergeReport: String?

    /// Makes the envelope of any error that handling a request can throw.
    ///
    /// An error that is not meant for the client becomes a 500 or 503 without details.
    init(_ error: any Error) {
        switch error {
        case let refusal as Refusal: self.init(refusal)
        case let request as RequestError: self.init(request)
        case let http as HTTPError: self.init(http)
        case is MergeBlocked: self.init(Refusal(.mergeFailed))
        case let database as DatabaseError: self.init(database)
        default: self.init(httpStatus: 500, status: "INTERNAL", message: "INTERNAL_ERROR", reason: "internalError")
        }
    }

    private init(
        httpStatus: Int,
        status: String?,
        message: String,
        reason: String,
        domain: String? = "global"
    ) {
        self.httpStatus = httpStatus
        self.status = status
        self.message = message
        self.reason = reason
        self.domain = domain
    }

    private init(_ refusal: Refusal) {
        let (httpStatus, status) = Self.statuses[refusal.code] ?? (400, nil)
        self.init(
            httpStatus: httpStatus,
            status: status,
            message: refusal.wireText,
            reason: "invalid"
        )
        retryAfter = refusal.retryAfter
        challenge = refusal.challenge
        mergeReport = refusal.mergeReport
    }

    /// The HTTP status and google.rpc.Code of refusals.
    ///
    /// Codes that are not listed have status 400 and no google.rpc.Code.
    private static let statuses: [Code: (Int, String)] = [
        .tooManyAttempts: (429, "RESOURCE_EXHAUSTED"),
        .codePaused: (429, "RESOURCE_EXHAUSTED"),
        .challengeRequired: (429, "RESOURCE_EXHAUSTED"),
        .idempotencyKeyUsed: (409, "ALREADY_EXISTS"),
        .tooManyStreams: (429, "RESOURCE_EXHAUSTED"),
        .originNotAllowed: (403, "PERMISSION_DENIED"),
        .unsupportedMediaType: (415, "INVALID_ARGUMENT"),
        .storageLow: (503, "UNAVAILABLE"),
        .documentNotFound: (404, "NOT_FOUND"),
        .sessionNotFound: (404, "NOT_FOUND"),
        .preconditionFailed: (412, "FAILED_PRECONDITION"),
        .documentTooLarge: (413, "OUT_OF_RANGE"),
        .tooManyDocuments: (403, "RESOURCE_EXHAUSTED"),
        .documentQuotaExceeded: (403, "RESOURCE_EXHAUSTED"),
        .usernameTaken: (409, "ALREADY_EXISTS"),
        .usernameReserved: (409, "ALREADY_EXISTS"),
        .mergeInProgress: (409, "ABORTED"),
        .mergeRefused: (409, "ABORTED"),
        .mergeFailed: (409, "ABORTED"),
        .providerUnavailable: (503, "UNAVAILABLE"),
    ]

    private init(_ error: RequestError) {
        switch error {
        case .malformed(let text):
            self.init(
                httpStatus: 400,
                status: "INVALID_ARGUMENT",
                message: "Invalid JSON payload received. \(text)",
                reason: "parseError"
            )
        case .schema(let text):
            self.init(
                httpStatus: 400,
                status: "INVALID_ARGUMENT",
                message: "Invalid JSON payload received. \(text)",
                reason: "invalid"
            )
        case .invalidHeader(let text):
            self.init(
                httpStatus: 400,
                status: "INVALID_ARGUMENT",
                message: "INVALID_ARGUMENT : \(text)",
                reason: "invalid"
            )
        case .badBearer:
            self.init(
                httpStatus: 401,
                status: "UNAUTHENTICATED",
                message: "Request had invalid authentication credentials. Expected an administrator's key or token.",
                reason: "authError"
            )
            innerMessage = "Invalid Credentials"
            isAboutAuthorization = true
        case .missingAPIKey(let advice):
            self.init(
                httpStatus: 403,
                status: "PERMISSION_DENIED",
                message: "The request is missing a valid API key." + (advice.map { " \($0)" } ?? ""),
                reason: "forbidden"
            )
        case .invalidAPIKey:
            self.init(
                httpStatus: 400,
                status: "INVALID_ARGUMENT",
                message: "API key not valid. Please pass a valid API key.",
                reason: "badRequest"
            )
        case .forbidden(let text):
            self.init(
                httpStatus: 403,
                status: "PERMISSION_DENIED",
                message: "PERMISSION_DENIED : \(text)",
                reason: "forbidden"
            )
        case .notFound:
            self.init(httpStatus: 404, status: "NOT_FOUND", message: "Not Found", reason: "notFound", domain: nil)
            isAboutPath = true
        case .noSuchUser:
            self.init(httpStatus: 404, status: "NOT_FOUND", message: Code.userNotFound.rawValue, reason: "notFound")
        case .notImplemented(let text):
            self.init(
                httpStatus: 501,
                status: "NOT_IMPLEMENTED",
                message: "NOT_IMPLEMENTED : \(text)",
                // The reason that Identity Toolkit gives for a call that the server knows but does not offer.
                reason: "unimplemented",
                domain: nil
            )
        }
    }

    private init(_ error: HTTPError) {
        if error.status == 404 {
            self.init(RequestError.notFound)
        } else {
            self.init(
                httpStatus: error.status,
                status: error.code,
                message: "\(error.code) : \(error.message)",
                reason: error.status < 500 ? "invalid" : "internalError"
            )
        }
    }

    private init(_ error: DatabaseError) {
        switch error.kind {
        case .busy, .timeout, .overloaded, .full, .closed, .readOnly, .io, .unavailable:
            self.init(
                httpStatus: 503,
                status: "UNAVAILABLE",
                message: "UNAVAILABLE : The server cannot store anything right now; try again in a moment.",
                reason: "backendError"
            )
            // Clients that were refused together come back one after the other.
            retryAfter = error.kind == .overloaded ? Int.random(in: 1...5) : 2
        case .outcomeUnknown:
            self.init(
                httpStatus: 503,
                status: "UNAVAILABLE",
                message: "TIMEOUT : The connection to the database was lost; the change may or may not be stored.",
                reason: "backendError"
            )
        default:
            self.init(httpStatus: 500, status: "INTERNAL", message: "INTERNAL_ERROR", reason: "internalError")
        }
    }

    /// Returns the envelope with a text for people at the end of its message.
    func explained(_ text: String) -> ErrorEnvelope {
        var envelope = self
        envelope.message += " : \(text)"
        return envelope
    }

    /// The response that carries the envelope.
    var response: Response {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.beginObject("error")
        json.member("code", httpStatus)
        json.member("message", message)
        json.member("status", status)
        json.beginArray("errors")
        json.beginObject()
        json.member("message", innerMessage ?? message)
        json.member("reason", reason)
        json.member("domain", domain)
        if isAboutAuthorization {
            json.member("location", "Authorization")
            json.member("locationType", "header")
        }
        json.endObject()
        json.endArray()
        if let challenge { write(challenge, to: &json) }
        if let mergeReport { json.member("mergeReport", rawJSON: mergeReport.utf8) }
        json.endObject()
        json.endObject()
        var response = Response.json(status: httpStatus, json.bytes)
        if let retryAfter { response.headers.append((name: "Retry-After", value: String(retryAfter))) }
        return response
    }

    private func write(_ challenge: Challenge, to json: inout JSONWriter) {
        json.beginObject("challenge")
        json.member("algorithm", Challenge.algorithm)
        json.member("challenge", challenge.text)
        json.member("difficulty", challenge.difficulty)
        json.member("expiresAt", Timestamp.rfc3339(milliseconds: challenge.expiry * 1000))
        json.endObject()
    }
}
