internal import JSON

extension VerificationKeys {
    /// Reads a JSON Web Key Set (RFC 7517 section 5) of another issuer.
    ///
    /// Keys that we have no use for are left out, since sets hold such too. Where one is left, it is also the key of tokens that
    /// name none. What is no set, or has more than a hundred keys, gives nil.
    package init?(jwks bytes: [UInt8]) {
        guard let elements = (try? JSONValue.parse(bytes, maximumDepth: 32))?["keys"]?.array, elements.count <= 100
        else { return nil }
        let keys = elements.enumerated().compactMap { index, element -> TokenVerificationKey? in
            guard var object = element.object else { return nil }
            // A key needs no id (RFC 7517 section 4.5), but we need one to keep it by.
            if object["kid"] == nil { object["kid"] = .string("unnamed \(index)") }
            return JWK(object).flatMap { try? TokenVerificationKey($0) }
        }
        self.init(keys, unnamed: keys.count == 1 ? keys.first : nil)
    }
}
