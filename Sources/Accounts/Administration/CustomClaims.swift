package import JSON

/// The claims that an app's back end adds to tokens: to all of a user's tokens, or through a custom token to those of
/// one session.
package struct CustomClaims: Sendable, Equatable {
    /// The maximum length of the claims' JSON text, in bytes, because every token carries it.
    package static let limit = 1000

    /// The names that claims may not have, because tokens use them themselves (contract, 3.5).
    package static let reserved: Set<String> = [
        "iss", "aud", "sub", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf", "auth_time", "firebase",
        "at_hash", "c_hash",
    ]

    /// The claims as the text of a JSON object.
    package let json: String

    /// Makes claims from a JSON value.
    ///
    /// - Throws: ``Refusal`` INVALID_CLAIMS, FORBIDDEN_CLAIM or CLAIMS_TOO_LARGE.
    package init(_ value: JSONValue) throws {
        _ = try Self.object(value)
        let text = value.serialized()
        guard text.count <= Self.limit else { throw Refusal(.claimsTooLarge) }
        json = String(decoding: text, as: UTF8.self)
    }

    /// Checks that a text is a JSON object of allowed claims, of at most ``limit`` bytes.
    ///
    /// - Returns: whether there is any claim.
    /// - Throws: ``Refusal`` CLAIMS_TOO_LARGE, INVALID_CLAIMS or FORBIDDEN_CLAIM.
    @discardableResult
    package static func check(_ text: String) throws -> Bool {
        guard text.utf8.count <= limit else { throw Refusal(.claimsTooLarge) }
        guard let value = try? JSONValue.parse(text) else { throw Refusal(.invalidClaims) }
        return try !object(value).isEmpty
    }

    private static func object(_ value: JSONValue) throws -> JSONObject {
        guard let object = value.object, !value.containsNUL else { throw Refusal(.invalidClaims) }
        if let name = object.members.lazy.map(\.name).first(where: reserved.contains) {
            throw Refusal(.forbiddenClaim, detail: name)
        }
        return object
    }
}
