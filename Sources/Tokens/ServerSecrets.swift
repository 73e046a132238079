internal import Crypto

/// The server's secrets, newest first: everything is made under the newest, and all of them read.
///
/// They come from outside (environment or file) and are never stored beside what they protect.
package struct ServerSecrets: Sendable {
    /// Bytes a secret has at least.
    package static let minimumLength = 32
    /// Different bytes that a secret has at least in production.
    package static let minimumVariety = 8
    static let maximumCount = 16

    /// The one that everything new is made under.
    package let newest: ServerSecret
    private let older: [ServerSecret]

    /// Reads secrets separated by white space or commas.
    ///
    /// - Parameter text: one to sixteen secrets of at least 32 bytes each, the newest first.
    /// - Throws: `SecretError`, which says which secret is too short but never shows it.
    package init(text: String) throws(SecretError) {
        try self.init(utf8: Array(text.utf8))
    }

    init(utf8: [UInt8]) throws(SecretError) {
        let parts = Self.parts(of: utf8)
        guard !parts.isEmpty else { throw .empty }
        guard parts.count <= Self.maximumCount else { throw .tooMany(parts.count) }
        var secrets: [ServerSecret] = []
        for (index, part) in parts.enumerated() {
            guard part.count >= Self.minimumLength else { throw .tooShort(number: index + 1, length: part.count) }
            let secret = try Self.derive(SecureBytes(Array(part)))
            // The same secret twice is no mistake worth a stop, but would be tried twice for ever.
            let known = secrets.contains { constantTimeEqual($0.fingerprint, secret.fingerprint) }
            if !known { secrets.append(secret) }
        }
        newest = secrets.removeFirst()
        older = secrets
    }

    /// The secrets with a key id, newest first: usually one, none for a foreign id, rarely two that happen to share it.
    package func candidates(keyID: UInt8) -> [ServerSecret] {
        all.filter { $0.keyID == keyID }
    }

    /// All secrets, newest first.
    package var all: [ServerSecret] {
        [newest] + older
    }

    /// The secrets of a text, which white space and commas separate.
    package static func parts(of utf8: [UInt8]) -> [ArraySlice<UInt8>] {
        utf8.split { isSeparator($0) }
    }

    private static func derive(_ secret: SecureBytes) throws(SecretError) -> ServerSecret {
        do {
            return try ServerSecret(secret)
        } catch {
            throw .library(error)
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: " ") || (0x09...0x0d).contains(byte)
    }
}

extension ServerSecrets: CustomStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
