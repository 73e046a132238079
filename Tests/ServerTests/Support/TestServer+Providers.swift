import AccountDatabase
import Database
import Foundation
import JSON
import Testing
import Tokens

/// An unsigned token of an identity provider, as development mode accepts it.
enum UnsignedToken {
    /// Makes a JWT of claims with `alg` none.
    static func make(_ claims: JSONValue, header: JSONValue = ["alg": "none", "typ": "JWT"]) -> String {
        "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(claims.serialized()))."
    }
}

/// A person who signs in by an identity provider.
struct ProviderPerson: Sendable {
    var provider = "google.com"
    var subject = "123456789"
    var email: String?
    var isVerified = true
    var name: String?
    var picture: String?

    var claims: JSONValue {
        var claims = JSONObject()
        claims.append("sub", .string(subject))
        if let email {
            claims.append("email", .string(email))
            claims.append("email_verified", .bool(isVerified))
        }
        if let name { claims.append("name", .string(name)) }
        if let picture { claims.append("picture", .string(picture)) }
        return .object(claims)
    }
}

extension TestServer {
    /// Signs in by an identity provider, or links.
    func signIn(
        _ person: ProviderPerson,
        idToken: String? = nil,
        onConflict: String? = nil,
        returnsCredential: Bool = false
    ) throws -> Answer {
        try signIn(
            provider: person.provider,
            token: UnsignedToken.make(person.claims),
            idToken: idToken,
            onConflict: onConflict,
            returnsCredential: returnsCredential
        )
    }

    /// Signs in by a token of an identity provider, in the form of the JavaScript SDK.
    func signIn(
        provider: String,
        token: String,
        idToken: String? = nil,
        onConflict: String? = nil,
        returnsCredential: Bool = false
    ) throws -> Answer {
        try call(
            "accounts:signInWithIdp",
            Self.idpBody(provider, token, idToken, onConflict: onConflict, returnsCredential: returnsCredential)
        )
    }

    static func idpBody(
        _ provider: String,
        _ token: String,
        _ idToken: String? = nil,
        onConflict: String? = nil,
        returnsCredential: Bool = false
    ) -> JSONValue {
        let escaped = token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        var body = JSONObject()
        body.append("requestUri", "http://localhost")
        body.append("postBody", .string("&id_token=\(escaped)&providerId=\(provider)"))
        body.append("returnSecureToken", true)
        if let idToken { body.append("idToken", .string(idToken)) }
        if let onConflict { body.append("onConflict", .string(onConflict)) }
        if returnsCredential { body.append("returnIdpCredential", true) }
        return .object(body)
    }

    /// Allows several users to have the same address, as an administrator would.
    func allowDuplicateEmails(privacy: Bool = false) throws {
        try withDatabase { transaction in
            try transaction.set(
                "project-config",
                to: #"{"allowDuplicateEmails":true,"emailPrivacy":\#(privacy)}"#
            )
        }
    }
}

extension JSONValue {
    /// The ids in a `providerUserInfo`.
    var providerIDs: [String] { self["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } ?? [] }
}
