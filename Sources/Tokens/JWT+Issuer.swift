package import Crypto
package import JSON

extension JWT {
    /// Verifies the signature of an untrusted text with the keys of the issuer that it names in `iss`.
    ///
    /// The claims are read before the signature is verified, to find the issuer's keys. `kid` is ignored.
    ///
    /// - Parameters:
    ///   - text: any text.
    ///   - keysOfIssuer: returns the keys of the issuer in `iss`; nil for an unknown issuer.
    /// - Returns: the claims, which are not checked.
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

    /// Returns the claims of a text in the form of a token, without verifying it.
    ///
    /// - Warning: Verifies no signature. Only for a text whose signature was verified before, and for development,
    ///   where any client may act as any user.
    /// - Returns: nil if the text is not three base64url segments of which the first two are JSON objects, or is longer
    ///   than ``maximumLength``. The third one, which nothing reads, may have any length.
    package static func unverifiedClaims(of text: String) -> JSONObject? {
        guard text.utf8.count <= maximumLength else { return nil }
        let segments = Array(text.utf8).split(separator: dot, omittingEmptySubsequences: false)
        guard segments.count == 3, Base64URL.decode(segments[0]).flatMap(object) != nil,
            segments[2].allSatisfy(Base64URL.isCharacter)
        else { return nil }
        return Base64URL.decode(segments[1]).flatMap(object)
    }
}
