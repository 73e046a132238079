internal import Accounts
internal import Crypto
internal import Tokens

/// Makes UIDs.
enum UID {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// A fresh UID: 28 letters and digits, as clients know them (contract, 2.1); 166 random bits.
    static func random(length: Int = 28) throws -> String {
        try make(length) { _ in try Random.bytes(length + 4) }
    }

    /// The UID of the guest that a key names under a secret of the server.
    static func guest(of key: IdempotencyKey, _ secret: ServerSecret) throws -> String {
        try make(28) { block in try key.uidBytes(block: block, secret) }
    }

    /// Takes the letters and digits from uniformly distributed bytes.
    ///
    /// - Parameters:
    ///   - length: the number of characters.
    ///   - bytes: makes more bytes, given how often it was called before.
    private static func make(_ length: Int, from bytes: (UInt8) throws -> [UInt8]) throws -> String {
        var uid: [UInt8] = []
        uid.reserveCapacity(length)
        var block: UInt8 = 0
        while uid.count < length {
            // Bytes above the largest multiple of 62 would favour the first letters.
            for byte in try bytes(block) where byte < 248 && uid.count < length {
                uid.append(alphabet[Int(byte) % alphabet.count])
            }
            block &+= 1
        }
        return String(decoding: uid, as: UTF8.self)
    }
}
