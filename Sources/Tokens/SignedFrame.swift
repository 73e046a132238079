internal import Crypto

/// The common layout of signed tokens, in bytes: version 1, key id 1, payload, HMAC-SHA256 truncated to 16; as
/// base64url.
///
/// The payload's length is fixed per kind, and each kind has its own key, so the frame need not name its kind.
enum SignedFrame {
    /// The kinds of token with this layout.
    enum Kind {
        case actionCode
        case ticket
        case refreshToken
        case challenge
        case browserSession
        case accountURL

        var payloadLength: Int {
            switch self {
            case .actionCode: TokenID.byteCount + 1 + 5
            case .ticket: TokenID.byteCount
            case .refreshToken: TokenID.byteCount + 8
            case .challenge: Challenge.payloadLength
            case .browserSession: TokenID.byteCount
            case .accountURL: AccountURLToken.payloadLength
            }
        }

        func key(of secret: ServerSecret) -> HMACKey {
            switch self {
            case .actionCode: secret.actionCode
            case .ticket: secret.ticket
            case .refreshToken: secret.refreshToken
            case .challenge: secret.challenge
            case .browserSession: secret.browserSession
            case .accountURL: secret.accountURL
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
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 + payload.count + codeLength)
        bytes.append(version)
        bytes.append(secrets.newest.keyID)
        bytes.append(contentsOf: payload)
        let code = try kind.key(of: secrets.newest).code(for: bytes)
        bytes.append(contentsOf: code.prefix(codeLength))
        return Base64URL.encode(bytes)
    }

    /// Whether a text has the length and the version of a token of this kind.
    static func hasShape(_ kind: Kind, _ text: String) -> Bool {
        let length = 2 + kind.payloadLength + codeLength
        guard text.utf8.count == Base64URL.encodedCount(length), let bytes = Base64URL.decode(text) else {
            return false
        }
        return bytes.count == length && bytes[0] == version
    }

    /// Verifies an untrusted text, and returns the key ID of its secret and its payload; nil for any text that is not
    /// an unmodified token of this kind, made under one of the secrets.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    static func open(
        _ kind: Kind,
        _ text: String,
        _ secrets: ServerSecrets
    ) throws(CryptoError) -> (keyID: UInt8, payload: ArraySlice<UInt8>)? {
        // Checked before any allocation for the text.
        let length = 2 + kind.payloadLength + codeLength
        guard text.utf8.count == Base64URL.encodedCount(length), let bytes = Base64URL.decode(text),
            bytes.count == length, bytes[0] == version
        else { return nil }
        let end = length - codeLength
        let code = Array(bytes[end...])
        for secret in secrets.candidates(keyID: bytes[1]) {
            let expected = try kind.key(of: secret).code(for: bytes.span.extracting(0..<end))
            if constantTimeEqual(Array(expected.prefix(codeLength)), code) { return (bytes[1], bytes[2..<end]) }
        }
        return nil
    }
}
