import Crypto
import Foundation
import JSON
import Tokens

/// An RSA key of another issuer, which signs tokens as its owner would.
struct ForeignKey: Sendable {
    let key: TokenSigningKey

    init() throws { key = try .generate(.rs256) }

    /// Signs a token with these claims.
    func sign(_ claims: JSONValue, header: JSONValue = ["alg": "RS256", "typ": "JWT"]) throws -> String {
        let input = Base64URL.encode(header.serialized()) + "." + Base64URL.encode(claims.serialized())
        return input + "." + Base64URL.encode(try key.key.sign(Array(input.utf8)))
    }

    /// Signs a token that names the key.
    func signNamingKey(_ claims: JSONValue) throws -> String {
        try sign(claims, header: ["alg": "RS256", "kid": .string(key.keyID), "typ": "JWT"])
    }

    /// The public half as PEM (SubjectPublicKeyInfo, RFC 5280 section 4.1).
    var pem: String {
        guard case .rsa(let n, let e) = key.key.verificationKey.parameters else { return "" }
        let numbers = Self.der(0x30, Self.der(0x02, [0] + n) + Self.der(0x02, e))
        let rsaEncryption: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        let info = Self.der(0x30, rsaEncryption + Self.der(0x03, [0] + numbers))
        let text = Data(info).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n"
    }

    private static func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80
            ? [UInt8(count)] : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [tag] + length + content
    }
}
