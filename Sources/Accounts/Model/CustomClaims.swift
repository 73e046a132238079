package import JSON

/// Claims of the operator's own in ID tokens: a user's custom attributes, or what a custom token adds for a session.
package struct CustomClaims: Sendable, Equatable {
    /// The longest text of claims, in bytes.
    package static let maximumBytes = 1000

    /// What only the server says in a token; custom claims that try are refused (contract, 3.9).
    package static let reserved = [
        "iss", "aud", "sub", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf", "auth_time", "firebase",
        "at_hash", "c_hash",
    ]

    /// A JSON object.
    package let json: String

    /// Takes claims from outside, as a value.
    ///
    /// - Throws: ``Refusal`` INVALID_CLAIMS, FORBIDDEN_CLAIM, CLAIMS_TOO_LARGE.
    package init(_ value: JSONValue) throws {
        try Self.check(value)
        let text = value.serialized()
        guard text.count <= Self.maximumBytes else { throw Refusal(.claimsTooLarge) }
        json = String(decoding: text, as: UTF8.self)
    }

    /// Takes claims from outside, as the text of a JSON object; it is kept as it was written.
    ///
    /// - Throws: ``Refusal`` CLAIMS_TOO_LARGE, INVALID_CLAIMS, FORBIDDEN_CLAIM.
    package init(parsing text: String) throws {
        guard text.utf8.count <= Self.maximumBytes else { throw Refusal(.claimsTooLarge) }
        guard let value = try? JSONValue.parse(text) else { throw Refusal(.invalidClaims) }
        try Self.check(value)
        json = text
    }

    private static func check(_ value: JSONValue) throws {
        guard let object = value.object, !value.containsNUL else { throw Refusal(.invalidClaims) }
        if let claim = reserved.first(where: { object[$0] != nil }) { throw Refusal(.forbiddenClaim, detail: claim) }
    }
}
