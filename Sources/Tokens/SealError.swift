package import Crypto

/// Why a sealed text does not open.
package enum SealError: Error, Sendable, Equatable {
    /// Not the text form that `Sealer` makes.
    case malformed
    /// Sealed under a secret that is not among the server's.
    case unknownKey(UInt8)
    /// Changed, moved to another table, column or row, or sealed under a secret that only shares the key id.
    case forged
    /// OpenSSL failed.
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
