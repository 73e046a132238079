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
        if text.hasPrefix("{") { return object([UInt8](text.utf8)) }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, Base64URL.decode(Array(parts[0])[...]).flatMap(object) != nil else { return nil }
        return Base64URL.decode(Array(parts[1])[...]).flatMap(object)
    }

    private static func object(_ bytes: [UInt8]) -> JSONObject? {
        guard let value = try? JSONValue.parse(bytes, maximumDepth: 32), !value.containsNUL else { return nil }
        return value.object
    }
}
