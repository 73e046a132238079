package import Crypto

/// A proof of work that the server may demand of a client before it serves a call.
///
/// Layout of the text: version 1, key id 1, id 16, call 1, difficulty 1, expiry 5 (seconds since 1970, big endian),
/// client 16, HMAC-SHA256 truncated to 16: 57 bytes, 76 base64url characters. The server stores nothing about a
/// challenge until it is spent.
///
/// A solution is the text, a dot and a decimal number, such that the SHA-256 digest of the whole begins with as many
/// zero bits as the difficulty. A client finds one after 2^difficulty digests on average.
package struct Challenge: Sendable, Equatable {
    /// The call that a solution pays for.
    package enum Call: UInt8, Sendable {
        case signUp = 1
        case sendOobCode = 2
    }

    /// The name of the digest algorithm, for clients that support several.
    package static let algorithm = "SHA-256"
    /// How long a challenge is valid, in seconds.
    package static let life: Int64 = 120
    /// The maximum number of digits of the decimal number in a solution.
    private static let longestCounter = 19
    private static let clientLength = 16
    static let payloadLength = TokenID.byteCount + 1 + 1 + 5 + clientLength

    /// The challenge as sent to the client, which puts it before the dot of a solution: 76 base64url characters.
    package let text: String
    /// The number of zero bits with which the SHA-256 digest of a solution must begin.
    package let difficulty: Int
    /// The end of the challenge's validity, in seconds since 1970.
    ///
    /// A solution is accepted before this second.
    package let expiry: Int64

    /// Makes a challenge, signed with the newest secret.
    ///
    /// - Parameters:
    ///   - id: a new random ID.
    ///   - call: the call that a solution of the challenge pays for.
    ///   - client: the keyed hash of the network address of the client that may use it.
    ///   - difficulty: the number of zero bits, 0 to 255.
    ///   - now: seconds since 1970.
    ///   - secrets: the server's secrets.
    /// - Throws: `CryptoError` of kind `.invalidArgument` for a difficulty or time out of range, or when OpenSSL fails.
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
        var payload = id.bytes
        payload.append(call.rawValue)
        payload.append(bits)
        payload.append(bigEndian: UInt64(expiry), count: 5)
        payload.append(contentsOf: try Self.mark(of: client))
        text = try SignedFrame.make(.challenge, payload, secrets)
        self.difficulty = difficulty
        self.expiry = expiry
    }

    /// Verifies an untrusted solution.
    ///
    /// - Parameters:
    ///   - solution: any text.
    ///   - call: the call that the solution was sent with.
    ///   - client: the keyed hash of the network address of the client that sent it.
    ///   - now: seconds since 1970.
    ///   - secrets: the server's secrets.
    /// - Returns: the challenge to spend; `nil` unless it is the server's, not expired, for this call and client, and
    ///   solved.
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
            // Longer than any transaction waits, so that the record outlives every request that was verified in time.
            spentUntil: (expiry + 60) * 1000
        )
    }

    /// Returns the 16 bytes that represent a client in a challenge.
    private static func mark(of client: String) throws(CryptoError) -> [UInt8] {
        Array(try sha256([UInt8](client.utf8)).prefix(clientLength))
    }

    /// Returns the number of zero bits with which a digest begins.
    private static func leadingZeroBits(of digest: [UInt8]) -> Int {
        guard let first = digest.firstIndex(where: { $0 != 0 }) else { return digest.count * 8 }
        return first * 8 + digest[first].leadingZeroBitCount
    }
}

/// A solved challenge, to be spent in the transaction that it pays for.
package struct SolvedChallenge: Sendable, Equatable {
    /// The SHA-256 digest of the challenge's text as base64url, by which the database recognizes a spent challenge.
    package let digest: String
    /// When the record that the challenge was spent may be deleted, in milliseconds since 1970.
    package let spentUntil: Int64
}
