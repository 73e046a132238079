package import Crypto

/// The reason why a sealed text does not open, or why bytes cannot be sealed.
package enum SealError: Error, Sendable, Equatable {
    /// The text does not have the form that ``Sealer`` makes.
    case malformed
    /// Sealed under a secret that is not among the server's; the value is the secret's key ID.
    case unknownKey(UInt8)
    /// Modified, moved to another table, column or row, or sealed under another secret with the same key ID.
    case forged
    /// OpenSSL failed while it sealed or opened.
    case library(CryptoError)
}

extension SealError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed: "sealed text is malformed"
        case .unknownKey(let id): "sealed under a server secret that is not configured (key id \(id))"
        case .forged: "sealed text was changed, moved, or sealed under another server secret"
        case .library(let error): "sealed text cannot be read: \(error)"
        }
    }
}
