internal import Crypto

/// The server's secrets, newest first.
///
/// The newest signs and seals; all of them verify and open.
///
/// The secrets come from outside (environment or file) and are never stored next to the data that they protect.
package struct ServerSecrets: Sendable {
    /// The minimum number of bytes in a secret.
    package static let minimumLength = 32
    /// The minimum number of different byte values in a secret, which the configuration of production requires and this
    /// type does not check.
    package static let minimumVariety = 8
    static let maximumCount = 16

    /// The secret that signs and seals everything new.
    package let newest: ServerSecret
    private let older: [ServerSecret]

    /// Parses secrets separated by white space or commas.
    ///
    /// A secret that occurs twice is kept once.
    ///
    /// - Parameter text: one to sixteen secrets of at least 32 bytes each, newest first.
    /// - Throws: `SecretError`, which never shows a secret: there is none, one is too short, there are too many, or
    ///   OpenSSL fails.
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
            // A duplicate is no reason to stop, but each verification would try it twice.
            let known = secrets.contains { constantTimeEqual($0.fingerprint, secret.fingerprint) }
            if !known { secrets.append(secret) }
        }
        newest = secrets.removeFirst()
        older = secrets
    }

    /// Returns the secrets with a key ID, newest first: usually one, none for an unknown ID, rarely two that share it.
    package func candidates(keyID: UInt8) -> [ServerSecret] {
        all.filter { $0.keyID == keyID }
    }

    /// All secrets, newest first.
    package var all: [ServerSecret] {
        [newest] + older
    }

    /// Splits a text into its secrets, which white space and commas separate, without checking them.
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
