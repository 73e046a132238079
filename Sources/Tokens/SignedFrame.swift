internal import Crypto

/// The common shape of our own tokens: version 1, key id 1, payload, HMAC-SHA256 truncated to 16 bytes; as base64url.
///
/// The payload's length is fixed per kind, and each kind has its own key, so nothing in the frame needs to name it.
enum SignedFrame {
    /// The kinds of token that have this shape.
    enum Kind {
        case actionCode
        case ticket
        case refreshToken
        case challenge

        var payloadLength: Int {
            switch self {
            case .actionCode: TokenID.byteCount + 1 + 5
            case .ticket: TokenID.byteCount
            case .refreshToken: TokenID.byteCount + 8
            case .challenge: Challenge.payloadLength
            }
        }

        func key(of secret: ServerSecret) -> HMACKey {
            switch self {
            case .actionCode: secret.actionCode
            case .ticket: secret.ticket
            case .refreshToken: secret.refreshToken
            case .challenge: secret.challenge
            }
        }
    }

    static let version: UInt8 = 1
    static let codeLength = 16

    static func make(
        _ kind: Kind,
        _ payload: [UInt8],
        _ secrets: ServerSecrets
    ) throws(CryptoError) -> String {
        var bytes = [version, secrets.newest.keyID] + payload
        let code = try kind.key(of: secrets.newest).code(for: bytes)
        bytes += code.prefix(codeLength)
        return Base64URL.encode(bytes)
    }

    /// Checks a text; answers nil for whatever we did not make, without saying why.
    static func open(
        _ kind: Kind,
        _ text: String,
        _ secrets: ServerSecrets
    ) throws(CryptoError) -> (keyID: UInt8, payload: ArraySlice<UInt8>)? {
        // Before anything is allocated for it.
        let length = 2 + kind.payloadLength + codeLength
        guard text.utf8.count == Base64URL.encodedCount(length), let bytes = Base64URL.decode(text),
            bytes.count == length, bytes[0] == version
        else { return nil }
        let signed = Array(bytes.dropLast(codeLength))
        let code = Array(bytes.suffix(codeLength))
        for secret in secrets.candidates(keyID: bytes[1]) {
            let expected = try kind.key(of: secret).code(for: signed)
            if constantTimeEqual(Array(expected.prefix(codeLength)), code) { return (bytes[1], signed[2...]) }
        }
        return nil
    }
}
