import Foundation
import JSON
import Testing
import Tokens

/// The modes in which clients must find the same flows.
enum ServerMode: String, CaseIterable, Sendable {
    case development, production

    /// The identity provider that a server of either mode trusts.
    static let provider = "oidc.test"

    /// Runs a server of this mode, with an identity provider.
    func run(
        _ settings: [String: String] = [:],
        _ body: @escaping @Sendable (TestServer, ProviderDesk) throws -> Void
    ) async throws {
        switch self {
        case .development: try await TestServer.run(settings) { try body($0, ProviderDesk(issuer: nil)) }
        case .production:
            try await TestIssuer.run { issuer in
                let file = issuer.settings(Self.provider, "trustEmail: true")
                try await TestServer.runInProduction(settings, file: file) {
                    try body($0, ProviderDesk(issuer: issuer))
                }
            }
        }
    }
}

/// Makes the ID tokens of ``ServerMode/provider``: signed if an issuer is configured, unsigned in development.
struct ProviderDesk: Sendable {
    let issuer: TestIssuer?

    func token(_ subject: String, email: String? = nil, _ server: TestServer) throws -> String {
        guard let issuer else {
            return UnsignedToken.make(
                ProviderPerson(provider: ServerMode.provider, subject: subject, email: email).claims
            )
        }
        // A provider makes a new token each time, and a token without a nonce is valid for one sign-in.
        let changes: [String: JSONValue?] = [
            "sub": .string(subject), "jti": .string(UUID().uuidString), "email": email.map { JSONValue.string($0) },
            "email_verified": email.map { _ in JSONValue.bool(true) },
        ]
        return try issuer.token(changes, at: server.clock.now() / 1000)
    }
}

/// The calls of Firebase's web SDK (versions 9 to 11), in the SDK's order and form.
///
/// Each method is one method of the SDK, and fails the test if the SDK would throw.
struct WebSDKClient: Sendable {
    /// The SDK's stored user.
    struct User {
        var uid: String
        var idToken: String
        var refreshToken: String
        /// The answer to the newest look-up.
        var record: JSONValue = .null

        var email: String? { record["email"]?.string }
        var providers: [String] { record.providers }
        /// Computed as in the SDK.
        var isAnonymous: Bool { email == nil && providers.isEmpty }
    }

    /// An error that the SDK throws to its app.
    struct Failure: Error, CustomStringConvertible {
        let code: String
        var description: String { code }
    }

    static let continueURL = "https://auth.example.com/finish"
    static let headers = [
        "X-Client-Version: Chrome/JsCore/11.3.1/FirebaseCore-web", "Origin: https://auth.example.com",
        "Content-Type: application/json",
    ]

    let server: TestServer
    let desk: ProviderDesk

    // MARK: Methods of the SDK

    func signInAnonymously() throws -> User {
        try begin(post("accounts:signUp", ["returnSecureToken": true]))
    }

    /// Sends the e-mail and reads the code that the app finds in the link.
    func sendSignInLinkToEmail(_ email: String) throws -> String {
        let known = try count(of: email)
        _ = try post(
            "accounts:sendOobCode",
            [
                "requestType": "EMAIL_SIGNIN", "email": .string(email), "clientType": "CLIENT_TYPE_WEB",
                "continueUrl": .string(Self.continueURL), "canHandleCodeInApp": true,
            ]
        )
        return try code(to: email, after: known)
    }

    func signIn(_ email: String) throws -> User {
        try begin(post("accounts:signInWithEmailLink", emailLink(email, try sendSignInLinkToEmail(email))))
    }

    func signIn(provider subject: String, email: String? = nil) throws -> User {
        try begin(post("accounts:signInWithIdp", idp(subject, email)))
    }

    func signIn(customToken: String) throws -> User {
        try begin(
            post("accounts:signInWithCustomToken", ["token": .string(customToken), "returnSecureToken": true])
        )
    }

    func linkWithCredential(_ user: inout User, _ email: String, _ oobCode: String) throws {
        try reload(&user)
        let answer = try post("accounts:signInWithEmailLink", emailLink(email, oobCode, user.idToken))
        try take(answer, &user)
    }

    func linkWithCredential(_ user: inout User, provider subject: String, email: String? = nil) throws {
        try reload(&user)
        try take(post("accounts:signInWithIdp", idp(subject, email, user.idToken)), &user)
    }

    func reauthenticateWithCredential(_ user: inout User, _ email: String) throws {
        let answer = try post("accounts:signInWithEmailLink", emailLink(email, try sendSignInLinkToEmail(email)))
        #expect(try Claims(answer["idToken"])["sub"]?.string == user.uid, "auth/user-mismatch")
        try take(answer, &user)
    }

    func reauthenticateWithCredential(_ user: inout User, provider subject: String) throws {
        var body = try #require(idp(subject, nil).object)
        body["autoCreate"] = false
        let answer = try post("accounts:signInWithIdp", .object(body))
        #expect(try Claims(answer["idToken"])["sub"]?.string == user.uid, "auth/user-mismatch")
        try take(answer, &user)
    }

    /// Sends the e-mail and reads the code in its link.
    func verifyBeforeUpdateEmail(_ user: inout User, _ newEmail: String) throws -> String {
        let known = try count(of: newEmail)
        let answer = try post(
            "accounts:sendOobCode",
            [
                "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(user.idToken),
                "newEmail": .string(newEmail),
            ]
        )
        if answer["email"] != user.email { try reload(&user) }
        return try code(to: newEmail, after: known)
    }

    func checkActionCode(_ oobCode: String) throws -> Answer {
        try post("accounts:resetPassword", ["oobCode": .string(oobCode)])
    }

    func applyActionCode(_ oobCode: String) throws {
        _ = try post("accounts:update", ["oobCode": .string(oobCode)])
    }

    func updateProfile(_ user: inout User, displayName: String) throws {
        let answer = try post(
            "accounts:update",
            ["idToken": .string(user.idToken), "displayName": .string(displayName), "returnSecureToken": true]
        )
        if answer.keys.contains("idToken") { try take(answer, &user) }
    }

    /// Unlinks a provider; the SDK reads the remaining providers from the answer.
    func unlink(_ user: inout User, _ provider: String) throws {
        try reload(&user)
        #expect(user.providers.contains(provider), "auth/no-such-provider")
        let answer = try post(
            "accounts:update",
            ["idToken": .string(user.idToken), "deleteProvider": [.string(provider)]]
        )
        #expect(answer.json["providerUserInfo"]?.array != nil, "\(answer.text)")
        #expect(!answer.json.providers.contains(provider))
    }

    func delete(_ user: User) throws {
        _ = try post("accounts:delete", ["idToken": .string(user.idToken)])
    }

    func reload(_ user: inout User) throws {
        let answer = try post("accounts:lookup", ["idToken": .string(user.idToken)])
        user.record = try #require(answer.json["users"]?.array?.first, "\(answer.text)")
        user.uid = user.record["localId"]?.string ?? ""
    }

    /// `getIdToken(true)`.
    func refresh(_ user: inout User) throws {
        let answer = try server.send(
            "POST",
            "/securetoken.googleapis.com/v1/token?key=k",
            headers: Self.headers.dropLast() + ["Content-Type: application/x-www-form-urlencoded"],
            body: Array("grant_type=refresh_token&refresh_token=\(user.refreshToken)".utf8)
        )
        try Self.check(answer)
        user.idToken = answer["access_token"]
        user.refreshToken = answer["refresh_token"]
    }

    // MARK: Internal steps of the SDK

    /// Counts the e-mails of an address; others may receive notices meanwhile.
    private func count(of email: String) throws -> Int { try server.messages().count { $0.to == email } }

    /// Returns the code in the next e-mail of an address after this many.
    private func code(to email: String, after known: Int) throws -> String {
        try server.eventually("a mail to \(email)") { try count(of: email) > known }
        return try #require(server.messages().last { $0.to == email }).oobCode
    }

    private func post(_ call: String, _ body: JSONValue) throws -> Answer {
        let answer = try server.send(
            "POST",
            "/identitytoolkit.googleapis.com/v1/\(call)?key=k",
            headers: Self.headers,
            body: body.serialized()
        )
        try Self.check(answer)
        return answer
    }

    /// Throws when the SDK does: for an error, and for the mere presence of some members.
    private static func check(_ answer: Answer) throws {
        if answer.json["error"] != nil { throw Failure(code: answer.code) }
        let odd = ["needConfirmation", "errorMessage", "mfaPendingCredential", "phoneNumber"]
        if let name = odd.first(where: answer.keys.contains) { throw Failure(code: name) }
        #expect(answer.status == 200, "\(answer.text)")
    }

    private func begin(_ answer: Answer) throws -> User {
        var user = User(uid: "", idToken: "", refreshToken: "")
        try take(answer, &user)
        return user
    }

    /// Stores the tokens of an answer and looks the user up, as the SDK does after each operation.
    private func take(_ answer: Answer, _ user: inout User) throws {
        #expect(!answer["idToken"].isEmpty && !answer["refreshToken"].isEmpty && answer["expiresIn"] == "3600")
        user.idToken = answer["idToken"]
        user.refreshToken = answer["refreshToken"]
        try reload(&user)
    }

    private func emailLink(_ email: String, _ oobCode: String, _ idToken: String? = nil) -> JSONValue {
        var body = JSONObject()
        if let idToken { body.append("idToken", .string(idToken)) }
        body.append("email", .string(email))
        body.append("oobCode", .string(oobCode))
        return .object(body)
    }

    private func idp(_ subject: String, _ email: String?, _ idToken: String? = nil) throws -> JSONValue {
        TestServer.idpBody(ServerMode.provider, try desk.token(subject, email: email, server), idToken)
    }
}
