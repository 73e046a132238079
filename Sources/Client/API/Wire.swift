/// The answer to every call that signs somebody in; the calls differ in which of the extras they give.
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

/// `accounts:signUp`.
struct SignUpBody: Encodable {
    let returnSecureToken = true
}

/// `accounts:sendOobCode` with EMAIL_SIGNIN.
struct SendLinkBody: Encodable {
    let requestType = "EMAIL_SIGNIN"
    let email: String
    let idToken: String?
    let continueUrl: String?
    let canHandleCodeInApp = true
}

struct SendLinkResponse: Decodable {
    let email: String
    let ticket: String
    let confirmation: String
    let expiresIn: WireInteger?
}

/// `accounts:signInWithEmailLink`.
struct EmailLinkBody: Encodable {
    let email: String
    let oobCode: String
    let idToken: String?
    let onConflict: String?
}

/// `accounts:signInWithTicket`.
struct TicketBody: Encodable {
    let ticket: String
    let code: String?
    let onConflict: String?
}

/// `accounts:signInWithIdp`.
struct ProviderBody: Encodable {
    let requestUri = "http://localhost"
    let postBody: String
    let idToken: String?
    let onConflict: String?
    let returnSecureToken = true

    init(_ credential: ProviderCredential, idToken: String?, onConflict: String?) {
        var fields = [("providerId", credential.providerID), ("id_token", credential.idToken)]
        if let nonce = credential.nonce { fields.append(("nonce", nonce)) }
        postBody = fields.map { "\($0)=\(API.percentEncoded($1))" }.joined(separator: "&")
        self.idToken = idToken
        self.onConflict = onConflict
    }
}

/// The answer holds a session, or says that it has to be confirmed in another way who this is.
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

/// `accounts:signInWithCustomToken`.
struct CustomTokenBody: Encodable {
    let token: String
    let returnSecureToken = true
}

/// `token`; its answer alone is in snake case.
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

/// `accounts:update` of a profile: a `nil` is not sent and leaves the field as it is.
struct UpdateProfileBody: Encodable {
    let idToken: String
    let displayName: String?
    let photoUrl: String?
    let deleteAttribute: [String]?
    let returnSecureToken = true
}

/// Tokens come only when the update ended the older ones.
struct UpdateProfileResponse: Decodable {
    let idToken: String?
    let refreshToken: String?
    let expiresIn: WireInteger?
}

/// `accounts:merge`.
struct MergeBody: Encodable {
    let idToken: String
    let anonymousIdToken: String
    let dryRun: Bool?
}

struct MergeResponse: Decodable {
    let localId: String
    let report: MergeReport
}

/// `accounts:setUsername`; a name of `nil` is sent as `null` and releases it.
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

/// `GET /v1/sessions`.
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

/// An answer of which nothing is read.
struct EmptyResponse: Decodable {}

/// The error envelope.
struct ErrorEnvelope: Decodable {
    let error: Failure

    struct Failure: Decodable {
        let message: String
        let status: String?
        let challenge: Challenge?

        enum CodingKeys: CodingKey {
            case message, status, challenge
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            message = try container.decode(String.self, forKey: .message)
            status = try container.decodeIfPresent(String.self, forKey: .status)
            // The error is worth reading whatever another server means by this member.
            challenge = try? container.decode(Challenge.self, forKey: .challenge)
        }
    }
}
