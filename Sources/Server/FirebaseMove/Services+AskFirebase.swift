internal import Accounts
internal import HTTPServer
internal import JSON
internal import Network
internal import Transfer

extension Services {
    /// Returns the API key of a request for the project at Firebase.
    ///
    /// - Returns: the key; `nil` if the request names one that is not the project's, or none.
    func firebaseKey(of request: Request, _ move: FirebaseMove) -> String? {
        let header = request.header("x-goog-api-key").flatMap { $0.isEmpty ? nil : $0 }
        guard let key = header ?? request.queryValue("key"), move.configuration.apiKeys.contains(key) else {
            return nil
        }
        return key
    }

    /// The answer to a call whose API key is not one of the project's, as text, which makes no SDK forget its user.
    func refuseFirebaseKey() -> Response {
        firebaseMove?.metrics.countRefused("key")
        sampler("firebase.key-refused", "setting", detail: "firebase.apiKeys")
        return .text(status: 403, "This API key is not one of the project at Firebase.\n")
    }

    /// Exchanges a refresh token at Firebase.
    ///
    /// - Throws: ``FirebaseUndecided``; ``Refusal`` TOKEN_EXPIRED, USER_DISABLED, USER_NOT_FOUND or
    ///   INVALID_REFRESH_TOKEN, when Firebase says so.
    func exchangeAtFirebase(
        _ token: String,
        _ asker: FirebaseAsker,
        for client: IPAddress,
        _ move: FirebaseMove
    ) async throws -> FirebaseTokenSet {
        let response = try await move.upstream.ask(asker.question(refreshing: token), of: .tokens, for: client)
        switch try FirebaseAnswer(response) {
        case .done(let object):
            guard let tokens = try FirebaseTokenSet(object) else { throw FirebaseUndecided(.refused) }
            return tokens
        case .refused(let code):
            guard let code = Self.endings[code] ?? (code == "INVALID_REFRESH_TOKEN" ? .invalidRefreshToken : nil) else {
                throw FirebaseUndecided(.refused)
            }
            throw Refusal(code)
        }
    }

    /// Looks up the user of an ID token at Firebase.
    ///
    /// - Throws: ``FirebaseUndecided``; ``Refusal`` TOKEN_EXPIRED, USER_DISABLED or USER_NOT_FOUND, when Firebase says
    ///   so.
    func lookUpAtFirebase(
        _ idToken: String,
        _ asker: FirebaseAsker,
        for client: IPAddress,
        _ move: FirebaseMove
    ) async throws -> ImportedUser {
        var body = JSONObject()
        body.append("idToken", .string(idToken))
        let question = asker.question(.post, "/v1/accounts:lookup", json: body)
        switch try FirebaseAnswer(await move.upstream.ask(question, of: .identityToolkit, for: client)) {
        case .done(let object):
            guard let users = object["users"]?.array, users.count == 1, let user = users[0].object,
                !users[0].containsNUL, let row = try? ImportRow(RequestBody(user, at: "")),
                let account = try? ImportedUser(row)
            else { throw FirebaseUndecided(.refused) }
            return account
        case .refused(let code):
            guard let code = Self.endings[code] else { throw FirebaseUndecided(.refused) }
            throw Refusal(code)
        }
    }

    /// Firebase's refusals that prove the end of a session.
    private static let endings: [String: Code] = [
        "TOKEN_EXPIRED": .tokenExpired, "USER_DISABLED": .userDisabled, "USER_NOT_FOUND": .userNotFound,
    ]
}
