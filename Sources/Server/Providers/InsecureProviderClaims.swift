internal import Accounts
internal import JSON
internal import Tokens

extension ProviderClaims {
    /// The longest `sub` that is taken, in bytes.
    static let longestSubject = 1024

    /// Takes claims without any check of who made them, as the emulator does: for development mode only.
    ///
    /// - Parameter text: a JWT, with whatever signature or none, or the bare JSON of its claims.
    /// - Returns: `nil` for what is neither.
    /// - Throws: ``Refusal`` INVALID_IDP_RESPONSE where they do not say who it is.
    init?(insecurelyBelieving text: String) throws {
        guard let claims = Self.unverifiedClaims(text) else { return nil }
        guard let subject = claims["sub"], subject != .string("") else {
            throw Refusal(.invalidIdPResponse, detail: "Invalid Idp Response: id_token missing required fields: sub.")
        }
        guard let subject = subject.string, subject.utf8.count <= Self.longestSubject else {
            throw Refusal(.invalidIdPResponse, detail: "Invalid Idp Response: sub must be a string.")
        }
        self.init(subject: subject, all: claims, isEmailTrusted: true, spends: nil)
    }

    private static func unverifiedClaims(_ text: String) -> JSONObject? {
        guard text.utf8.count <= JWT.maximumLength else { return nil }
        let bare = text.hasPrefix("{") ? (try? JSONValue.parse(text))?.object : nil
        guard let claims = bare ?? JWT.unverifiedClaims(of: text), !JSONValue.object(claims).containsNUL else {
            return nil
        }
        return claims
    }
}
