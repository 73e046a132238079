import Crypto
import Testing
import Tokens

@Suite("Challenges")
struct ChallengeTests {
    private static func challenge(
        _ call: Challenge.Call = .signUp,
        client: String = "one",
        difficulty: Int = 6,
        secrets: ServerSecrets
    ) throws -> Challenge {
        try Challenge(
            id: try id(7),
            call: call,
            client: client,
            difficulty: difficulty,
            now: 1_000_000,
            secrets: secrets
        )
    }

    /// Counts the leading zero bits of a digest, independently of the code under test.
    private static func zeroBits(_ text: String) throws -> Int {
        let bits = try sha256(Array(text.utf8)).flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        return bits.firstIndex(of: 1) ?? bits.count
    }

    private static func solutions(of challenge: Challenge) throws -> (right: String, wrong: String) {
        var right: String?, wrong: String?
        var counter = 0
        while right == nil || wrong == nil {
            let text = "\(challenge.text).\(counter)"
            if try zeroBits(text) >= challenge.difficulty { right = text } else { wrong = text }
            counter += 1
        }
        return (right ?? "", wrong ?? "")
    }

    private static func verify(
        _ solution: String,
        _ call: Challenge.Call = .signUp,
        client: String = "one",
        now: Int64 = 1_000_000,
        secrets: ServerSecrets
    ) throws -> SolvedChallenge? {
        try Challenge.verify(solution, call: call, client: client, now: now, secrets: secrets)
    }

    @Test func `a solution is good for its call, its client and two minutes, and for nothing else`() throws {
        let secrets = try secrets(oneSecret)
        let challenge = try Self.challenge(secrets: secrets)
        #expect(challenge.text.utf8.count == 76)
        #expect(challenge.expiry == 1_000_120)
        let (right, wrong) = try Self.solutions(of: challenge)
        let solved = try #require(try Self.verify(right, secrets: secrets))
        #expect(solved.spentUntil > 1_000_120_000)
        #expect(try Self.verify(right, now: 1_000_119, secrets: secrets) == solved)
        #expect(try Self.verify(right, now: 1_000_120, secrets: secrets) == nil)
        #expect(try Self.verify(wrong, secrets: secrets) == nil)
        #expect(try Self.verify(right, .sendOobCode, secrets: secrets) == nil)
        #expect(try Self.verify(right, client: "two", secrets: secrets) == nil)
        #expect(try Self.verify(right, secrets: try ServerSecrets(text: otherSecret)) == nil)
    }

    @Test func `whatever solution pays, one challenge is spent once`() throws {
        let secrets = try secrets(oneSecret)
        let challenge = try Self.challenge(difficulty: 1, secrets: secrets)
        let digests = try (0..<40).compactMap { counter in
            try Self.verify("\(challenge.text).\(counter)", secrets: secrets)?.digest
        }
        #expect(digests.count > 1)
        #expect(Set(digests).count == 1)
    }

    @Test func `no text of another form is a solution, and no changed challenge`() throws {
        let secrets = try secrets(oneSecret)
        let text = try Self.challenge(difficulty: 0, secrets: secrets).text
        #expect(try Self.verify("\(text).0", secrets: secrets) != nil)
        for other in [
            "", ".", text, "\(text).", "\(text).-1", "\(text).+1", "\(text).1 ", "\(text).1.1", "\(text).ä", ".1",
            "\(text).\(String(repeating: "1", count: 20))", " \(text).1",
        ] {
            #expect(try Self.verify(other, secrets: secrets) == nil, "\(other)")
        }
        for changed in try oneBitChanged(text) {
            #expect(try Self.verify("\(changed).0", secrets: secrets) == nil)
        }
    }

    @Test func `a challenge outlives the rotation of the secret`() throws {
        let old = try secrets(otherSecret), both = try secrets(oneSecret, otherSecret)
        let text = try Self.challenge(difficulty: 0, secrets: old).text
        #expect(try Self.verify("\(text).0", secrets: both) != nil)
    }

    /// The vectors of docs/api.md, which also test other clients.
    @Test func `the vectors of the documentation hold`() throws {
        let text = String(repeating: "A", count: 76)
        for (difficulty, counter) in [(8, 130), (12, 2_607), (16, 32_410)] {
            let first = try (0...counter).first { try Self.zeroBits("\(text).\($0)") >= difficulty }
            #expect(first == counter, "\(difficulty)")
        }
    }
}

@Suite("Idempotency keys")
struct IdempotencyKeyTests {
    @Test func `a key has 22 to 64 base64url characters`() {
        for good in [22, 43, 64] { #expect(IdempotencyKey(String(repeating: "k", count: good)) != nil) }
        #expect(IdempotencyKey("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != nil)
        let base = String(repeating: "k", count: 21)
        for bad in ["", base, String(repeating: "k", count: 65), base + "=", base + "+", base + " ", base + "ä"] {
            #expect(IdempotencyKey(bad) == nil, "\(bad)")
        }
    }

    @Test func `the same key names the same guest, another key or secret another one`() throws {
        let one = try #require(IdempotencyKey(String(repeating: "k", count: 43)))
        let two = try #require(IdempotencyKey(String(repeating: "k", count: 42) + "l"))
        let (secret, other) = (try secrets(oneSecret).newest, try secrets(otherSecret).newest)
        #expect(try one.session(secret) == one.session(secret))
        #expect(try one.uidBytes(block: 0, secret) == one.uidBytes(block: 0, secret))
        let all = [
            try one.session(secret).bytes, try two.session(secret).bytes, try one.session(other).bytes,
            try one.uidBytes(block: 0, secret), try one.uidBytes(block: 1, secret), try two.uidBytes(block: 0, secret),
            try one.uidBytes(block: 0, other),
        ]
        #expect(Set(all.map { Array($0.prefix(16)) }).count == all.count, "session and UID tell nothing of each other")
    }

    @Test func `a key is never printed`() throws {
        let text = String(repeating: "k", count: 43)
        let key = try #require(IdempotencyKey(text))
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!"\(key) \(String(reflecting: key)) \(dumped)".contains(text))
    }
}
