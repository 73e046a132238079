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

    /// Which key a text says that it is signed with: enough to know which keys to get, and worth nothing else.
    ///
    /// - Parameter text: anything.
    /// - Returns: nil where it names none.
    /// - Throws: `JWTError` for a header that `verify` would refuse whatever the keys.
    package static func unverifiedKeyID(of text: String) throws(JWTError) -> String? {
        guard text.utf8.count <= maximumLength else { throw .tooLong }
        guard let end = text.utf8.firstIndex(of: dot) else { throw .malformed }
        let keyID = try header(Array(text.utf8[..<end])[...]).keyID
        guard keyID != "" else { throw .unknownKey }
        return keyID
    }

    static let dot = UInt8(ascii: ".")

    private static func key(
        named header: ArraySlice<UInt8>,
        _ keys: VerificationKeys
    ) throws(JWTError) -> TokenVerificationKey {
        // What we wrote ourselves is known by its bytes, without parsing it again.
        for key in keys.all where key.headerSegment[...] == header { return key }
        let header = try self.header(header)
        let named = if let keyID = header.keyID { keys[keyID] } else { keys.unnamed }
        guard let key = named else { throw .unknownKey }
        guard key.key.algorithm == header.algorithm else { throw .wrongAlgorithm }
        return key
    }

    /// What a header says that counts.
    static func header(
        _ segment: ArraySlice<UInt8>
    ) throws(JWTError) -> (algorithm: SignatureAlgorithm, keyID: String?) {
        guard let fields = Base64URL.decode(segment).flatMap(object) else { throw .malformed }
        // RFC 7515 section 4.1.11: what `crit` lists has to be understood, and we understand nothing of the kind.
        guard fields["crit"] == nil else { throw .unsupportedHeader }
        if let type = fields["typ"], type != .string("JWT") { throw .unsupportedHeader }
        guard let name = fields["alg"]?.string else { throw .malformed }
        // Before any look-up, so that a refusal says what is wrong with the token and not with its kid.
        guard let algorithm = SignatureAlgorithm(rawValue: name) else { throw .wrongAlgorithm }
        // What is no text names a key that nobody has.
        return (algorithm, fields["kid"].map { $0.string ?? "" })
    }

    static func accepts(
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
    static func object(_ bytes: [UInt8]) -> JSONObject? {
        guard case .object(let object)? = try? JSONValue.parse(bytes, maximumDepth: 32) else { return nil }
        return object
    }
}
