package import Crypto
package import JSON

extension JWT {
    /// Checks who signed a text that came from outside, where an issuer's tokens need not name their key.
    ///
    /// The claims are read before the signature is checked, to learn whose keys to try. `kid` is not looked at.
    ///
    /// - Parameters:
    ///   - text: anything.
    ///   - keysOfIssuer: the keys of who `iss` says it is; nil for an issuer that is not known.
    /// - Returns: the claims, whatever they say.
    /// - Throws: `JWTError`.
    package static func verify(
        _ text: String,
        keysOfIssuer: (_ unverifiedIssuer: String) -> [VerificationKey]?
    ) throws(JWTError) -> JSONObject {
        guard text.utf8.count <= maximumLength else { throw .tooLong }
        let segments = Array(text.utf8).split(separator: dot, omittingEmptySubsequences: false)
        guard segments.count == 3 else { throw .malformed }
        let algorithm = try header(segments[0]).algorithm
        guard let signature = Base64URL.decode(segments[2]), let payload = Base64URL.decode(segments[1]) else {
            throw .malformed
        }
        guard let claims = object(payload) else { throw .malformedClaims }
        guard let issuer = claims["iss"]?.string, let keys = keysOfIssuer(issuer) else { throw .unknownKey }
        let candidates = keys.filter { $0.algorithm == algorithm }
        guard !candidates.isEmpty else { throw .wrongAlgorithm }
        let message = Array(segments[0] + [dot] + segments[1])
        for key in candidates where try accepts(signature, message.span, key) { return claims }
        throw .badSignature
    }

    /// What a text says that looks like a token, whoever made it.
    ///
    /// - Warning: Checks no signature: for development only, where anybody may be anybody.
    /// - Returns: nil for what is no token.
    package static func unverifiedClaims(of text: String) -> JSONObject? {
        guard text.utf8.count <= maximumLength else { return nil }
        let segments = Array(text.utf8).split(separator: dot, omittingEmptySubsequences: false)
        guard segments.count == 3, Base64URL.decode(segments[0]).flatMap(object) != nil,
            Base64URL.decode(segments[2]) != nil
        else { return nil }
        return Base64URL.decode(segments[1]).flatMap(object)
    }
}
