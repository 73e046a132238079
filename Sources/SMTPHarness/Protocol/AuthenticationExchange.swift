/// An AUTH PLAIN (RFC 4616) or LOGIN exchange as a value, with or without an initial response: response in, next step
/// out.
enum AuthenticationExchange: Sendable, Equatable {
    case plain
    case loginName
    case loginPassword(name: [UInt8])

    enum Step: Equatable {
        /// Ask with a 334 that carries this base64 text.
        case challenge(String, AuthenticationExchange)
        case credentials(name: String, password: String)
        case refuse(SMTPReply)
    }

    /// Starts an exchange for a mechanism, in upper case; nil for any other than PLAIN and LOGIN.
    init?(mechanism: String) {
        switch mechanism {
        case "PLAIN": self = .plain
        case "LOGIN": self = .loginName
        default: return nil
        }
    }

    /// The challenge that asks for the next response, in base64; empty for PLAIN.
    var firstChallenge: String {
        switch self {
        case .plain: ""
        case .loginName: "VXNlcm5hbWU6"  // "Username:"
        case .loginPassword: "UGFzc3dvcmQ6"  // "Password:"
        }
    }

    /// Processes the client's response, which is still in base64, and returns the next step.
    func respond(_ line: [UInt8]) -> Step {
        if line == [UInt8(ascii: "*")] { return .refuse(.authCancelled) }
        guard let bytes = Base64.decodeStrictly(line) else { return .refuse(.badBase64) }
        switch self {
        case .plain:
            let parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
            guard parts.count == 3, !parts[1].isEmpty else { return .refuse(.badBase64) }
            // Acting for another user is not supported.
            guard parts[0].isEmpty || parts[0] == parts[1] else { return .refuse(.authFailed) }
            return credentials(parts[1], parts[2])
        case .loginName:
            let next = AuthenticationExchange.loginPassword(name: bytes)
            return .challenge(next.firstChallenge, next)
        case .loginPassword(let name):
            return credentials(name[...], bytes[...])
        }
    }

    private func credentials(_ name: ArraySlice<UInt8>, _ password: ArraySlice<UInt8>) -> Step {
        guard let name = String(validating: name, as: UTF8.self),
            let password = String(validating: password, as: UTF8.self)
        else { return .refuse(.authFailed) }
        return .credentials(name: name, password: password)
    }
}
