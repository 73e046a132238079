package import Crypto
package import JSON

/// JSON Web Tokens (RFC 7519) in the compact form of JWS (RFC 7515), under asymmetric keys only.
package enum JWT {
    /// The longest token that is looked at, in bytes.
    package static let maximumLength = 16_384

    /// A token whose signature was checked, but nothing else.
    package struct Signed: Sendable, Equatable {
        /// The key that signed it.
        package let keyID: String
        /// The claims; their times, issuer and audience are for the caller to check.
        package let claims: JSONObject
    }

    /// Signs claims.
    ///
    /// - Parameters:
    ///   - claims: one JSON object, as UTF-8.
    ///   - key: becomes `alg` and `kid` of the header.
    /// - Returns: the compact form.
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func sign(_ claims: [UInt8], with key: TokenSigningKey) throws(CryptoError) -> String {
        let header = key.verificationKey.headerSegment
        var token: [UInt8] = []
        token.reserveCapacity(header.count + Base64URL.encodedCount(claims.count) + 352)
        token.append(contentsOf: header)
        token.append(dot)
        Base64URL.append(claims, to: &token)
        let signature = try key.key.sign(token.span)
        token.append(dot)
        Base64URL.append(signature, to: &token)
        return String(decoding: token, as: UTF8.self)
    }

    /// Checks who signed a text that came from outside.
    ///
    /// - Parameters:
    ///   - text: anything.
    ///   - keys: the keys that may have signed it; the header's `kid` has to name one, and its `alg` has to be the
    ///     one of that key (RFC 8725 section 3.1).
    /// - Returns: the claims, whatever they say.
    /// - Throws: `JWTError`.
    package static func verify(_ text: String, keys: VerificationKeys) throws(JWTError) -> Signed {
        guard text.utf8.count <= maximumLength else { throw .tooLong }
        let token = Array(text.utf8)
        guard let first = token.firstIndex(of: dot), let last = token.lastIndex(of: dot), first < last,
            token[(first + 1)..<last].firstIndex(of: dot) == nil
        else { throw .malformed }
        let key = try key(named: token[..<first], keys)
        guard let signature = Base64URL.decode(token[(last + 1)...]) else { throw .malformed }
        guard try accepts(signature, token.span.extracting(0..<last), key.key) else { throw .badSignature }
        guard let payload = Base64URL.decode(token[(first + 1)..<last]) else { throw .malformed }
        guard let claims = object(payload) else { throw .malformedClaims }
        return Signed(keyID: key.keyID, claims: claims)
    }

    /// What a token says, whoever signed it.
    ///
    /// - Warning: Checks no signature: only for a token that has been checked, or where that does not matter.
    /// - Returns: `nil` for what is no token.
    package static func unverifiedClaims(of text: String) -> JSONObject? {
        guard text.utf8.count <= maximumLength else { return nil }
        let parts = Array(text.utf8).split(separator: dot, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return Base64URL.decode(parts[1]).flatMap(object)
    }

    private static let dot = UInt8(ascii: ".")

    private static func key(
        named header: ArraySlice<UInt8>,
        _ keys: VerificationKeys
    ) throws(JWTError) -> TokenVerificationKey {
        // What we wrote ourselves is known by its bytes, without parsing it again.
        for key in keys.all where key.headerSegment[...] == header { return key }
        guard let fields = Base64URL.decode(header).flatMap(object) else { throw .malformed }
        // RFC 7515 section 4.1.11: what `crit` lists has to be understood, and we understand nothing of the kind.
        guard fields["crit"] == nil else { throw .unsupportedHeader }
        if let type = fields["typ"], type != .string("JWT") { throw .unsupportedHeader }
        guard let algorithm = fields["alg"]?.string else { throw .malformed }
        // Before the look-up, so that a refusal says what is wrong with the token and not with its kid.
        guard SignatureAlgorithm(rawValue: algorithm) != nil else { throw .wrongAlgorithm }
        guard let keyID = fields["kid"]?.string, let key = keys[keyID] else { throw .unknownKey }
        guard key.key.algorithm.rawValue == algorithm else { throw .wrongAlgorithm }
        return key
    }

    private static func accepts(
        _ signature: [UInt8],
        _ message: Span<UInt8>,
        _ key: VerificationKey
    ) throws(JWTError) -> Bool {
        do {
            return try key.accepts(signature: signature, for: message)
        } catch {
            throw .library(error)
        }
    }

    /// One JSON object without duplicate names, at most 32 deep.
    private static func object(_ bytes: [UInt8]) -> JSONObject? {
        guard case .object(let object)? = try? JSONValue.parse(bytes, maximumDepth: 32) else { return nil }
        return object
    }
}
