internal import Accounts
internal import JSON
internal import Tokens

extension ProviderClaims {
    /// The maximum length of `sub` in claims that are not verified, in bytes.
    static let longestSubject = 1024

    /// Accepts claims without verifying their origin, as the emulator does.
    ///
    /// Only for development mode.
    ///
    /// - Parameter text: a JWT, with or without a signature, or the bare JSON of its claims.
    /// - Returns: `nil` if it is neither.
    /// - Throws: ``Refusal`` INVALID_IDP_RESPONSE if the claims do not identify a user.
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
