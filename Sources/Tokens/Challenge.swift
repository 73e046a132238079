package import Crypto

/// A proof of work that a client pays with where its network has used up what is free.
///
/// Layout of the text: version 1, key id 1, id 16, call 1, difficulty 1, expiry 5 (seconds since 1970, big endian), client 16,
/// HMAC-SHA256 truncated to 16: 57 bytes, 76 base64url characters. The server keeps nothing of a challenge until it is spent.
///
/// A solution is the text, a dot and a decimal number, such that the SHA-256 digest of all of it begins with as many zero
/// bits as the difficulty says. That takes 2^difficulty digests on average.
package struct Challenge: Sendable, Equatable {
    /// The call that a solution pays for.
    package enum Call: UInt8, Sendable {
        case signUp = 1
        case sendOobCode = 2
    }

    /// What has to be computed, for clients that know several.
    package static let algorithm = "SHA-256"
    /// How long a challenge is valid, in seconds.
    package static let life: Int64 = 120
    /// The number of characters of the longest counter.
    private static let longestCounter = 19
    private static let clientLength = 16
    static let payloadLength = TokenID.byteCount + 1 + 1 + 5 + clientLength

    /// What the client has to put before the dot.
    package let text: String
    /// The number of zero bits that the digest has to begin with.
    package let difficulty: Int
    /// Seconds since 1970; a solution is good before this second.
    package let expiry: Int64

    /// Makes a challenge under the newest secret.
    ///
    /// - Parameters:
    ///   - id: a fresh random id.
    ///   - call: the call that it pays for.
    ///   - client: the keyed hash of the client that may use it.
    ///   - difficulty: the number of zero bits, 0 to 255.
    ///   - now: seconds since 1970.
    ///   - secrets: the server's.
    /// - Throws: `CryptoError` of kind `.invalidArgument` for a number out of range, or when OpenSSL fails.
    package init(
        id: TokenID,
        call: Call,
        client: String,
        difficulty: Int,
        now: Int64,
        secrets: ServerSecrets
    ) throws(CryptoError) {
        let (expiry, overflows) = now.addingReportingOverflow(Self.life)
        guard let bits = UInt8(exactly: difficulty), !overflows, (0..<1 << 40).contains(expiry) else {
            throw CryptoError(.invalidArgument, "challenge")
        }
        let end = UInt64(expiry).bigEndianBytes.suffix(5)
        let payload = id.bytes + [call.rawValue, bits] + end + (try Self.mark(of: client))
        text = try SignedFrame.make(.challenge, payload, secrets)
        self.difficulty = difficulty
        self.expiry = expiry
    }

    /// Checks a solution that came from outside.
    ///
    /// - Parameters:
    ///   - solution: anything.
    ///   - call: the call that it came with.
    ///   - client: the keyed hash of the client that sent it.
    ///   - now: seconds since 1970.
    ///   - secrets: the server's.
    /// - Returns: what has to be spent; `nil` unless the challenge is ours, in time, for this call and this client, and solved.
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package static func verify(
        _ solution: String,
        call: Call,
        client: String,
        now: Int64,
        secrets: ServerSecrets
    ) throws(CryptoError) -> SolvedChallenge? {
        let parts = solution.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, (1...longestCounter).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let (_, payload) = try SignedFrame.open(.challenge, String(parts[0]), secrets)
        else { return nil }
        let fields = Array(payload)
        let idEnd = TokenID.byteCount
        let expiry = Int64(UInt64(bigEndian: fields[(idEnd + 2)..<(idEnd + 7)]))
        guard fields[idEnd] == call.rawValue, now < expiry,
            constantTimeEqual(Array(fields.suffix(clientLength)), try mark(of: client)),
            leadingZeroBits(of: try sha256([UInt8](solution.utf8))) >= Int(fields[idEnd + 1])
        else { return nil }
        return SolvedChallenge(
            digest: Base64URL.encode(try sha256([UInt8](parts[0].utf8))),
            // Longer than any transaction waits, so that the record outlives every request that was checked in time.
            spentUntil: (expiry + 60) * 1000
        )
    }

    /// What stands for a client in the text.
    private static func mark(of client: String) throws(CryptoError) -> [UInt8] {
        Array(try sha256([UInt8](client.utf8)).prefix(clientLength))
    }

    /// The number of zero bits before the first one.
    private static func leadingZeroBits(of digest: [UInt8]) -> Int {
        guard let first = digest.firstIndex(where: { $0 != 0 }) else { return digest.count * 8 }
        return first * 8 + digest[first].leadingZeroBitCount
    }
}

/// A challenge that was solved and has to be spent in the transaction that it pays for.
package struct SolvedChallenge: Sendable, Equatable {
    /// The SHA-256 digest of the challenge as base64url.
    package let digest: String
    /// From when on its record may be forgotten.
    ///
    /// Milliseconds since 1970.
    package let spentUntil: Int64
}
