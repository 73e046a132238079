internal import Accounts
internal import Crypto
internal import Tokens

/// Makes UIDs.
enum UID {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// Makes a random text of letters and digits.
    ///
    /// With the default length, the text is a UID as clients expect it (contract, 2.1), of 166 random bits.
    static func random(length: Int = 28) throws -> String {
        try make(length) { _ in try Random.bytes(length + 4) }
    }

    /// Derives the UID of the guest that a sign-up with an idempotency key creates, from the key and a secret of the
    /// server.
    static func guest(of key: IdempotencyKey, _ secret: ServerSecret) throws -> String {
        try make(28) { block in try key.uidBytes(block: block, secret) }
    }

    /// Makes letters and digits from uniformly distributed bytes.
    ///
    /// - Parameters:
    ///   - length: the number of characters.
    ///   - bytes: returns more bytes, given the number of earlier calls.
    private static func make(_ length: Int, from bytes: (UInt8) throws -> [UInt8]) throws -> String {
        var uid: [UInt8] = []
        uid.reserveCapacity(length)
        var block: UInt8 = 0
        while uid.count < length {
            // Bytes above the largest multiple of 62 would make the first letters more frequent.
            for byte in try bytes(block) where byte < 248 && uid.count < length {
                uid.append(alphabet[Int(byte) % alphabet.count])
            }
            block &+= 1
        }
        return String(decoding: uid, as: UTF8.self)
    }
}
