package import Crypto

/// Why the server's secret cannot be used; the description says what to do about it and shows no secret.
package enum SecretError: Error, Sendable, Equatable {
    /// No secret at all.
    case empty
    /// The secret with this number, counted from 1, has too few bytes.
    case tooShort(number: Int, length: Int)
    /// More secrets than anyone needs: the text is probably something else.
    case tooMany(Int)
    /// A step on the file failed; with the system's reason.
    case file(path: String, step: String, reason: String)
    /// The path leads to something other than a regular file.
    case notAFile(path: String)
    /// The file is far larger than secrets are.
    case tooLarge(path: String)
    /// Others than the owner may read or change the file; with its permission bits.
    case tooOpen(path: String, mode: UInt32)
    /// The file belongs to neither the server's user nor root.
    case foreignOwner(path: String, owner: UInt32)
    /// OpenSSL could not derive keys.
    case library(CryptoError)
}

extension SecretError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty:
            "the server secret is empty; give at least \(ServerSecrets.minimumLength) random bytes, for example from"
                + " 'openssl rand -base64 33'"
        case .tooShort(let number, let length):
            "server secret number \(number) has \(length) bytes; give at least \(ServerSecrets.minimumLength),"
                + " for example from 'openssl rand -base64 33'"
        case .tooMany(let count):
            "there are \(count) server secrets; give at most \(ServerSecrets.maximumCount), newest first"
        case .file(let path, let step, let reason):
            "cannot \(step) the secret file '\(path)': \(reason)"
        case .notAFile(let path):
            "the secret file '\(path)' is not a regular file"
        case .tooLarge(let path):
            "the secret file '\(path)' is larger than \(SecretFile.maximumSize) bytes; it should hold the secret only"
        case .tooOpen(let path, let mode):
            "the secret file '\(path)' has mode 0\(String(mode, radix: 8)), so other users can read or change it;"
                + " run: chmod 600 '\(path)'"
        case .foreignOwner(let path, let owner):
            "the secret file '\(path)' belongs to user \(owner), who can change it; run as root:"
                + " chown USER '\(path)', with the user that the server runs as"
        case .library(let error):
            "cannot derive keys from the server secret: \(error)"
        }
    }
}
