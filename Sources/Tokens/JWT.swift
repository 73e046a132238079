package import Crypto
package import JSON

/// JSON Web Tokens (RFC 7519) in the compact form of JWS (RFC 7515), under asymmetric keys only.
package enum JWT {
    /// The maximum length of a token, in bytes.
    package static let maximumLength = 16_384

    /// A token whose signature was verified, but nothing else.
    package struct Signed: Sendable, Equatable {
        /// The ID of the key that signed the token.
        package let keyID: String
        /// All claims of the token.
        ///
        /// The caller must check the times, the issuer and the audience.
        package let claims: JSONObject
    }

    /// Makes a token by signing claims.
    ///
    /// - Parameters:
    ///   - claims: one JSON object, as UTF-8.
    ///   - key: the key that signs, whose algorithm and ID become `alg` and `kid` of the header.
    /// - Returns: the token in compact form.
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

    /// Verifies the signature of an untrusted text.
    ///
    /// - Parameters:
    ///   - text: any text.
    ///   - keys: the accepted keys. The header's `kid` must name one, or be absent if there is a key for such tokens
    ///     (``VerificationKeys/unnamed``), and its `alg` must be that key's algorithm (RFC 8725 section 3.1).
    /// - Returns: the claims, which are not checked, and the ID of the key that signed the token.
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

    /// Returns the key ID that a text claims, without verifying it.
    ///
    /// Use it only to find out which keys to fetch.
    ///
    /// - Parameter text: any text.
    /// - Returns: the `kid` of the header; nil if the header has none.
    /// - Throws: `JWTError` for a header that `verify` would reject with any keys.
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
        // The server's own headers are recognised by their bytes, without parsing.
        for key in keys.all where key.headerSegment[...] == header { return key }
        let header = try self.header(header)
        let named = if let keyID = header.keyID { keys[keyID] } else { keys.unnamed }
        guard let key = named else { throw .unknownKey }
        guard key.key.algorithm == header.algorithm else { throw .wrongAlgorithm }
        return key
    }

    /// Parses the header segment of a token, and returns its `alg` and `kid`; `kid` is nil if it is missing, and empty
    /// if it is not a string.
    ///
    /// - Throws: `JWTError` if the segment is malformed, or requires an unsupported feature or algorithm.
    static func header(
        _ segment: ArraySlice<UInt8>
    ) throws(JWTError) -> (algorithm: SignatureAlgorithm, keyID: String?) {
        guard let fields = Base64URL.decode(segment).flatMap(object) else { throw .malformed }
        // RFC 7515 section 4.1.11: the members listed in `crit` must be supported, and none are.
        guard fields["crit"] == nil else { throw .unsupportedHeader }
        if let type = fields["typ"], type != .string("JWT") { throw .unsupportedHeader }
        guard let name = fields["alg"]?.string else { throw .malformed }
        // Checked before any look-up, so that the error concerns the token and not its `kid`.
        guard let algorithm = SignatureAlgorithm(rawValue: name) else { throw .wrongAlgorithm }
        // A `kid` that is not a string becomes "", which names no key.
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

    /// Parses one JSON object without duplicate names, at most 32 levels deep; nil for any other text.
    static func object(_ bytes: [UInt8]) -> JSONObject? {
        guard case .object(let object)? = try? JSONValue.parse(bytes, maximumDepth: 32) else { return nil }
        return object
    }
}
