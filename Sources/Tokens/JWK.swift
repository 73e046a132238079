package import Crypto
package import JSON

/// A public key as a JSON Web Key (RFC 7517), with the members needed for verifying signatures.
package struct JWK: Sendable, Equatable {
    /// The ID by which tokens name the key (`kid`).
    package let keyID: String
    /// The public parameters, which also determine the type and the algorithm.
    package let parameters: PublicKeyParameters

    /// Creates a key from its public parameters and the ID by which tokens will name it.
    package init(keyID: String, parameters: PublicKeyParameters) {
        self.keyID = keyID
        self.parameters = parameters
    }

    /// Parses a key of another issuer's key set: an element of the set's `keys`.
    ///
    /// Returns nil for a key that is not meant for signatures, has no `kid`, has an unsupported type or algorithm, or
    /// is malformed. `TokenVerificationKey` checks whether its parameters form a valid key.
    package init?(_ object: JSONObject) {
        guard let keyID = object["kid"]?.string, !keyID.isEmpty, let type = object["kty"]?.string,
            let parameters = Self.parameters(type, object)
        else { return nil }
        // Optional members (RFC 7517 section 4) may be absent, but must not contradict.
        if let use = object["use"], use.string != "sig" { return nil }
        if let algorithm = object["alg"], algorithm.string != parameters.algorithm.rawValue { return nil }
        self.init(keyID: keyID, parameters: parameters)
    }

    /// Returns the SHA-256 thumbprint of a key as base64url (RFC 7638), which is Latchkey's key ID.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func thumbprint(_ parameters: PublicKeyParameters) throws(CryptoError) -> String {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        writeRequiredMembers(of: parameters, to: &json)
        json.endObject()
        return Base64URL.encode(try sha256(json.bytes))
    }

    /// Writes the key as an element of a key set.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("alg", parameters.algorithm.rawValue)
        Self.writeRequiredMembers(of: parameters, to: &json)
        json.member("kid", keyID)
        json.member("use", "sig")
        json.endObject()
    }

    /// Writes exactly the members, in order, that RFC 7638 section 3.2 and RFC 8037 section 2 require for a thumbprint.
    private static func writeRequiredMembers(of parameters: PublicKeyParameters, to json: inout JSONWriter) {
        switch parameters {
        case .ec(let x, let y):
            json.member("crv", "P-256")
            json.member("kty", "EC")
            json.member("x", Base64URL.encode(x))
            json.member("y", Base64URL.encode(y))
        case .okp(let x):
            json.member("crv", "Ed25519")
            json.member("kty", "OKP")
            json.member("x", Base64URL.encode(x))
        case .rsa(let n, let e):
            json.member("e", Base64URL.encode(e))
            json.member("kty", "RSA")
            json.member("n", Base64URL.encode(n))
        }
    }

    private static func parameters(_ type: String, _ object: JSONObject) -> PublicKeyParameters? {
        func bytes(_ name: String) -> [UInt8]? { object[name]?.string.flatMap { Base64URL.decode($0) } }
        let curve = object["crv"]?.string
        switch (type, curve) {
        case ("EC", "P-256"):
            guard let x = bytes("x"), let y = bytes("y") else { return nil }
            return .ec(x: x, y: y)
        case ("OKP", "Ed25519"):
            guard let x = bytes("x") else { return nil }
            return .okp(x: x)
        case ("RSA", nil):
            guard let n = bytes("n"), let e = bytes("e") else { return nil }
            return .rsa(n: n, e: e)
        default:
            return nil
        }
    }
}
