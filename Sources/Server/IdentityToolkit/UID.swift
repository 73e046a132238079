internal import Accounts
internal import Crypto

/// Makes UIDs.
enum UID {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// A fresh UID: 28 letters and digits, as clients know them (contract, 2.1); 166 random bits.
    static func random(length: Int = 28) throws -> String {
        var uid: [UInt8] = []
        uid.reserveCapacity(length)
        while uid.count < length {
            // Bytes above the largest multiple of 62 would favour the first letters.
            for byte in try Random.bytes(length + 4) where byte < 248 && uid.count < length {
                uid.append(alphabet[Int(byte) % alphabet.count])
            }
        }
        return String(decoding: uid, as: UTF8.self)
    }
}
