internal import JSON

extension VerificationKeys {
    /// Parses a JSON Web Key Set (RFC 7517 section 5) of another issuer.
    ///
    /// Unsupported and invalid keys are ignored, because sets may contain them. A key without a `kid` gets a made-up
    /// one. If exactly one key remains, it also verifies tokens that name no key. Returns nil if the text is not a JSON
    /// object with an array `keys` of at most a hundred elements.
    package init?(jwks bytes: [UInt8]) {
        guard let elements = (try? JSONValue.parse(bytes, maximumDepth: 32))?["keys"]?.array, elements.count <= 100
        else { return nil }
        let keys = elements.enumerated().compactMap { index, element -> TokenVerificationKey? in
            guard var object = element.object else { return nil }
            // A key need not have an ID (RFC 7517 section 4.5), but it is needed here to store it.
            if object["kid"] == nil { object["kid"] = .string("unnamed \(index)") }
            return JWK(object).flatMap { try? TokenVerificationKey($0) }
        }
        self.init(keys, unnamed: keys.count == 1 ? keys.first : nil)
    }
}
