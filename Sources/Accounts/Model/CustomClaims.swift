internal import JSON

/// The claims that administrators give a user: what may stand in them (contract, 3.5).
package enum CustomClaims {
    /// Claims that are the server's own.
    package static let reserved: Set<String> = [
        "iss", "aud", "sub", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf", "auth_time", "firebase",
        "at_hash", "c_hash",
    ]
    /// How long their text may be.
    package static let longest = 1000

    /// Makes sure that a text may be a user's `customAttributes`.
    ///
    /// - Throws: ``Refusal`` CLAIMS_TOO_LARGE, INVALID_CLAIMS or FORBIDDEN_CLAIM, in this order.
    package static func check(_ text: String) throws(Refusal) {
        // Whatever counts as a character, this many bytes are too many.
        guard text.utf8.count <= 4 * longest, text.utf16.count <= longest else { throw Refusal(.claimsTooLarge) }
        guard let object = (try? JSONValue.parse(text))?.object, !JSONValue.object(object).containsNUL else {
            throw Refusal(.invalidClaims)
        }
        if let claim = object.members.first(where: { reserved.contains($0.name) }) {
            throw Refusal(.forbiddenClaim, detail: claim.name)
        }
    }
}
