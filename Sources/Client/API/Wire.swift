/// The answer to every call that signs a user in.
///
/// Which of the optional fields are present depends on the call.
struct SignInResponse: Decodable {
    let idToken: String
    let refreshToken: String
    let expiresIn: WireInteger
    let localId: String?
    let email: String?
    let isNewUser: Bool?
    let linked: Bool?
    let merged: Bool?
    let mergeReport: MergeReport?
}

/// The body of a call of `accounts:signUp`.
struct SignUpBody: Encodable {
    let returnSecureToken = true
}

/// The body of a call of `accounts:sendOobCode` with EMAIL_SIGNIN.
struct SendLinkBody: Encodable, NamesTimeZone {
    let requestType = "EMAIL_SIGNIN"
    let email: String
    let idToken: String?
    let continueUrl: String?
    let canHandleCodeInApp = true
    var timeZone: String?
}

/// The answer of `accounts:sendOobCode` with EMAIL_SIGNIN.
struct SendLinkResponse: Decodable {
    /// `nil` from servers of before this member.
    let requestId: String?
    let email: String
    let ticket: String
    let confirmation: String
    let expiresIn: WireInteger?
}

/// The body of a call of `accounts:signInWithEmailLink`.
struct EmailLinkBody: Encodable, NamesTimeZone {
    let email: String
    let oobCode: String
    let idToken: String?
    let onConflict: String?
    var timeZone: String?
}

/// The body of a call of `accounts:querySignInLink` or `accounts:denySignInLink`.
struct SignInLinkBody: Encodable {
    let oobCode: String
}

/// The answer of `accounts:querySignInLink`.
struct SignInLinkResponse: Decodable {
    let requestId: String
    let email: String
    let device: String?
    let place: String?
    let requestedAt: String
    let state: String
    let approveUrl: String
}

/// The body of a call of `accounts:signInWithTicket`.
struct TicketBody: Encodable, NamesTimeZone {
    let ticket: String
    let code: String?
    let onConflict: String?
    /// For how many seconds the server may hold the call while the ticket is open.
    var wait: Int?
    var timeZone: String?
}

/// The answer to a call of `accounts:signInWithTicket` with `wait`.
enum TicketAnswer: Sendable {
    case session(SignInResponse)
    /// The ticket is still open.
    case pending(retryAfter: Duration?)
}

/// The body of a call of `accounts:signInWithIdp`.
struct ProviderBody: Encodable, NamesTimeZone {
    let requestUri = "http://localhost"
    let postBody: String
    let idToken: String?
    let onConflict: String?
    let returnSecureToken = true
    var timeZone: String?

    init(_ credential: ProviderCredential, idToken: String?, onConflict: String?) {
        var fields = [("providerId", credential.providerID), ("id_token", credential.idToken)]
        if let nonce = credential.nonce { fields.append(("nonce", nonce)) }
        postBody = fields.map { "\($0)=\(API.percentEncoded($1))" }.joined(separator: "&")
        self.idToken = idToken
        self.onConflict = onConflict
    }
}

/// The answer of `accounts:signInWithIdp`.
///
/// `session` is `nil` when the user must first prove in another way to own the account of the address.
struct ProviderResponse: Decodable {
    let session: SignInResponse?

    enum CodingKeys: CodingKey {
        case needConfirmation
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let needsConfirmation = try container.decodeIfPresent(Bool.self, forKey: .needConfirmation) ?? false
        session = needsConfirmation ? nil : try SignInResponse(from: decoder)
    }
}

/// The body of a call of `accounts:signInWithCustomToken`.
struct CustomTokenBody: Encodable {
    let token: String
    let returnSecureToken = true
}

/// The answer of `token`, the only call with an answer in snake case.
struct RefreshResponse: Decodable {
    let idToken: String
    let refreshToken: String
    let expiresIn: WireInteger
    let userId: String

    enum CodingKeys: String, CodingKey {
        case idToken = "id_token"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
        case userId = "user_id"
    }
}

struct IDTokenBody: Encodable {
    let idToken: String
}

struct SignOutBody: Encodable {
    let refreshToken: String
}

struct SignOutResponse: Decodable {
    let reset: Bool?
}

/// The body of a call of `accounts:update` of a profile.
///
/// A `nil` is not sent and leaves the field unchanged.
struct UpdateProfileBody: Encodable, NamesTimeZone {
    let idToken: String
    let displayName: String?
    let photoUrl: String?
    let deleteAttribute: [String]?
    let returnSecureToken = true
    var timeZone: String?
}

/// The answer of `accounts:update`.
///
/// The tokens are `nil` unless the update ended the session, which the server does for a changed address or a
/// revocation.
struct UpdateProfileResponse: Decodable {
    let idToken: String?
    let refreshToken: String?
    let expiresIn: WireInteger?
}

/// The body of a call of `accounts:merge`.
struct MergeBody: Encodable {
    let idToken: String
    let anonymousIdToken: String
    let dryRun: Bool?
}

struct MergeResponse: Decodable {
    let localId: String
    let report: MergeReport
}

/// The body of a call of `accounts:setUsername`.
///
/// A name of `nil` is sent as `null` and releases the username.
struct UsernameBody: Encodable {
    let username: String?

    enum CodingKeys: CodingKey {
        case username
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(username, forKey: .username)
    }
}

struct UsernameResponse: Decodable {
    let username: String?
}

struct UsernameLookupResponse: Decodable {
    let username: String
    let available: Bool
    let localId: String?
}

/// The body of a call of `accounts:createAccountUrl`.
struct AccountURLBody: Encodable, NamesTimeZone {
    let idToken: String
    var timeZone: String?
}

/// The answer of `accounts:createAccountUrl`.
struct AccountURLResponse: Decodable {
    let url: String
}

/// The answer of `GET /v1/sessions`.
struct SessionsResponse: Decodable {
    let sessions: [Entry]

    struct Entry: Decodable {
        let id: String
        let device: String?
        let signInProvider: String
        let createdAt: String
        let lastUsedAt: String
        let current: Bool?
    }
}

/// An answer whose content is ignored.
struct EmptyResponse: Decodable {}

/// The body of an unsuccessful answer.
struct ErrorEnvelope: Decodable {
    let error: Failure

    struct Failure: Decodable {
        let message: String
        let status: String?
        let challenge: Challenge?
        let mergeReport: MergeReport?

        enum CodingKeys: CodingKey {
            case message, status, challenge, mergeReport
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            message = try container.decode(String.self, forKey: .message)
            status = try container.decodeIfPresent(String.self, forKey: .status)
            // The error is useful whatever another server means by these members.
            challenge = try? container.decode(Challenge.self, forKey: .challenge)
            mergeReport = try? container.decode(MergeReport.self, forKey: .mergeReport)
        }
    }
}
