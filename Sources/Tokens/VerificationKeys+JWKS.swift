internal import JSON

extension VerificationKeys {
    /// Reads a JSON Web Key Set (RFC 7517 section 5) of another issuer.
    ///
    /// Keys that we have no use for are left out, since sets hold such too. What is no set, or has more than a hundred keys,
    /// gives nil.
    package init?(jwks bytes: [UInt8]) {
        guard let elements = (try? JSONValue.parse(bytes, maximumDepth: 32))?["keys"]?.array, elements.count <= 100
        else { return nil }
        self.init(
            elements.compactMap { element in
                guard let jwk = element.object.flatMap({ JWK($0) }) else { return nil }
                return try? TokenVerificationKey(jwk)
            }
        )
    }
}
