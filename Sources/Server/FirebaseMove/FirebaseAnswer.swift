internal import JSON
internal import Tokens
internal import Transfer

/// An answer of Firebase that may be acted on; anything else is ``FirebaseUndecided``.
enum FirebaseAnswer: Sendable {
    case done(JSONObject)
    /// Firebase's refusal with its code, such as `TOKEN_EXPIRED`.
    case refused(String)

    /// Reads an answer.
    ///
    /// - Throws: ``FirebaseUndecided`` for an answer that is neither a complete result nor a refusal by the call's own
    ///   rules, such as a refusal of the API key.
    init(_ response: HTTPResponse) throws {
        guard let object = try? JSONValue.parse(response.body).object else { throw FirebaseUndecided(.refused) }
        if response.status == 200, object["error"] == nil {
            self = .done(object)
            return
        }
        guard response.status == 400, let error = object["error"]?.object, let message = error["message"]?.string,
            let code = Self.code(message)
        else { throw FirebaseUndecided(.refused) }
        if code == "QUOTA_EXCEEDED" { throw FirebaseUndecided(.quota) }
        self = .refused(code)
    }

    /// Returns the code at the beginning of a message; `nil` for a sentence, such as that about a wrong API key.
    private static func code(_ message: String) -> String? {
        let word = message.prefix { $0 != " " }
        let isCode = word.utf8.allSatisfy { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "_")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        let rest = message[word.endIndex...]
        guard isCode, word.contains("_"), word.utf8.count <= 64, rest.isEmpty || rest.hasPrefix(" : ") else {
            return nil
        }
        return foreign.contains { word.hasPrefix($0) } ? nil : String(word)
    }

    /// Beginnings of codes about the API key, the project, or the service, which say nothing about a user.
    private static let foreign = [
        "API_KEY", "PROJECT_", "CONFIGURATION_", "PERMISSION_", "SERVICE_", "INTERNAL_", "RESOURCE_", "CONSUMER_",
        "APP_CHECK", "FIREBASE_APP_CHECK", "BLOCKING_FUNCTION", "UNAVAILABLE_", "QUOTA_",
    ]

    /// The refusals that say that a stored user's session is over, so that an SDK may forget the user.
    static let endings: Set<String> = ["TOKEN_EXPIRED", "USER_DISABLED", "USER_NOT_FOUND"]
}

/// The tokens with which Firebase answers.
struct FirebaseTokenSet: Sendable {
    let idToken: String
    let refreshToken: String
    let uid: String
    /// Whether the ID token says that the user is a guest; `nil` if the token cannot be read.
    let isGuest: Bool?

    /// Reads the answer of the token service, or that of a sign-in.
    ///
    /// - Returns: `nil` for an answer without tokens.
    /// - Throws: ``FirebaseUndecided`` for an answer with some of the members only, which makes SDKs forget their user.
    init?(_ object: JSONObject) throws {
        let idToken = object["id_token"]?.string ?? object["idToken"]?.string
        let refreshToken = object["refresh_token"]?.string ?? object["refreshToken"]?.string
        let life = object["expires_in"] ?? object["expiresIn"]
        guard idToken != nil || refreshToken != nil else { return nil }
        guard let idToken, let refreshToken, life != nil, !refreshToken.isEmpty,
            let claims = JWT.unverifiedClaims(of: idToken), let uid = claims["sub"]?.string
        else { throw FirebaseUndecided(.refused) }
        if let named = object["user_id"]?.string ?? object["localId"]?.string, named != uid {
            throw FirebaseUndecided(.refused)
        }
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.uid = uid
        isGuest = claims["firebase"]?["sign_in_provider"]?.string.map { $0 == "anonymous" }
    }
}
