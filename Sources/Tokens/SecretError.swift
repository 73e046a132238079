package import Crypto

/// The reason why the server's secrets cannot be read or used.
///
/// The description says what to do, and reveals no secret.
package enum SecretError: Error, Sendable, Equatable {
    /// The text contains no secret at all.
    case empty
    /// The secret with this number, counted from 1, has too few bytes.
    case tooShort(number: Int, length: Int)
    /// There are this many secrets, far more than a rotation needs, so the text is probably something else.
    case tooMany(Int)
    /// A step such as "open" or "read" failed on the file, or on its folder, for the system's reason.
    case file(path: String, step: String, reason: String)
    /// The path leads to something other than a regular file.
    case notAFile(path: String)
    /// The file has more than ``SecretFile/maximumSize`` bytes, far more than secrets need.
    case tooLarge(path: String)
    /// The file, whose permission bits are `mode`, gives its group or other users a permission that
    /// ``SecretFile/load(_:)`` does not allow.
    case tooOpen(path: String, mode: UInt32)
    /// The file belongs to neither the server's user nor root, but to the user with this ID.
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
