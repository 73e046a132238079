internal import Accounts
internal import JSON

/// The provider's data in a response of `accounts:signInWithIdp`: claims of its token, and the tokens that the client
/// sent (contract, 3.8).
///
/// Every response with status 200 contains them: after a sign-in, for `needConfirmation`, and for a conflict if the client
/// set `returnIdpCredential`. Otherwise a conflict is an error without these data.
struct ProviderAnswer: Sendable {
    let assertion: ProviderAssertion
    let claims: JSONObject
    /// The provider's access token, or a placeholder, because SDKs make credentials of it.
    let accessToken: String
    let idToken: String?

    private static let google = "google.com"

    /// Writes these data as members of a JSON object that has begun.
    ///
    /// Values that the provider does not give are absent.
    ///
    /// - Parameter isEmailVerified: the value of `emailVerified`: for a signed-in user with the same address, whether
    ///   the server knows it as verified; otherwise what the provider claims.
    func write(to json: inout JSONWriter, isEmailVerified: Bool) {
        let isGoogle = assertion.provider == Self.google
        json.member("kind", "identitytoolkit#VerifyAssertionResponse")
        json.member("context", "")
        json.member("providerId", assertion.provider)
        json.member("displayName", assertion.displayName)
        json.member("fullName", assertion.displayName)
        json.member("screenName", assertion.screenName)
        json.member("email", assertion.email)
        json.member("emailVerified", isEmailVerified)
        json.member("photoUrl", assertion.photoURL)
        if isGoogle {
            json.member("firstName", claims["given_name"]?.string)
            json.member("lastName", claims["family_name"]?.string)
        }
        json.member("rawUserInfo", isGoogle ? googleUserInfo : Self.text(JSONValue.object(claims).serialized()))
        json.member(
            "federatedId",
            isGoogle ? "https://accounts.google.com/\(assertion.subject)" : assertion.subject
        )
        json.member("oauthAccessToken", accessToken)
        json.member("oauthIdToken", idToken)
    }

    /// Google's user info in the format of its older APIs.
    private var googleUserInfo: String {
        let scopes = ["openid", "https://www.googleapis.com/auth/userinfo.profile"]
        let emailScopes = assertion.email == nil ? [] : ["https://www.googleapis.com/auth/userinfo.email"]
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.member("granted_scopes", (scopes + emailScopes).joined(separator: " "))
        json.member("id", assertion.subject)
        json.member("name", assertion.displayName)
        json.member("given_name", claims["given_name"]?.string)
        json.member("family_name", claims["family_name"]?.string)
        json.member("verified_email", assertion.isEmailVerified)
        json.member("locale", "en")
        json.member("email", assertion.email)
        json.member("picture", assertion.photoURL)
        json.endObject()
        return Self.text(json.bytes)
    }

    private static func text(_ json: [UInt8]) -> String { String(decoding: json, as: UTF8.self) }
}
