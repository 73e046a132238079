import Crypto
import Testing
import Tokens

@Suite("Sealed texts") struct SealerTests {
    let sealer: Sealer

    init() throws {
        sealer = Sealer(try secrets(oneSecret))
    }

    @Test(arguments: [0, 1, 31, 5000])
    func `what is sealed opens in its place`(_ length: Int) throws {
        let bytes = try Random.bytes(length)
        let text = try sealer.seal(bytes, table: "outbox", column: "body", row: "42")
        #expect(try sealer.open(text, table: "outbox", column: "body", row: "42") == bytes)
        #expect(text.utf8.count == Base64URL.encodedCount(30 + length))
    }

    @Test func `secret bytes go both ways`() throws {
        let secret = try Random.secret(32)
        let text = try sealer.seal(secret, table: "signing_keys", column: "private", row: "k")
        let opened = try sealer.openSecret(text, table: "signing_keys", column: "private", row: "k")
        #expect(constantTimeEqual(opened, secret))
    }

    @Test(arguments: [
        ("outbox", "body", "43"), ("outbox", "head", "42"), ("inbox", "body", "42"), ("", "", ""),
        ("outbo", "xbody", "42"), ("outbox", "body4", "2"), ("outboxbody", "", "42"), ("outbox", "body", "42 "),
    ])
    func `a sealed value opens only in its own table, column and row`(_ table: String, _ column: String, _ row: String)
        throws
    {
        let text = try sealer.seal([1, 2, 3], table: "outbox", column: "body", row: "42")
        #expect(throws: SealError.forged) { try sealer.open(text, table: table, column: column, row: row) }
        #expect(try !sealer.isSealedByNewest(text, table: table, column: column, row: row))
    }

    @Test func `a change of any one bit is refused`() throws {
        let text = try sealer.seal([1, 2, 3], table: "t", column: "c", row: "r")
        for changed in try oneBitChanged(text) {
            #expect(throws: SealError.self) { try sealer.open(changed, table: "t", column: "c", row: "r") }
        }
    }

    @Test func `other spellings are malformed`() throws {
        let text = try sealer.seal([1, 2, 3], table: "t", column: "c", row: "r")
        for wrong in misspelled(text) {
            #expect(throws: SealError.self) { try sealer.open(wrong, table: "t", column: "c", row: "r") }
        }
        for length in 0..<30 {
            let short = Base64URL.encode([UInt8](repeating: 1, count: length))
            #expect(throws: SealError.malformed) { try sealer.open(short, table: "t", column: "c", row: "r") }
            #expect(throws: SealError.malformed) {
                try sealer.isSealedByNewest(short, table: "t", column: "c", row: "r")
            }
        }
    }

    @Test func `after a rotation old texts open and ask to be sealed again`() throws {
        let text = try sealer.seal([1, 2, 3], table: "t", column: "c", row: "r")
        let rotated = Sealer(try secrets(otherSecret, oneSecret))
        #expect(try rotated.open(text, table: "t", column: "c", row: "r") == [1, 2, 3])
        #expect(try sealer.isSealedByNewest(text, table: "t", column: "c", row: "r"))
        #expect(try !rotated.isSealedByNewest(text, table: "t", column: "c", row: "r"))
        let again = try rotated.seal([1, 2, 3], table: "t", column: "c", row: "r")
        #expect(try rotated.isSealedByNewest(again, table: "t", column: "c", row: "r"))
    }

    @Test func `under a secret that is not configured the key id is told`() throws {
        let text = try sealer.seal([1, 2, 3], table: "t", column: "c", row: "r")
        let keyID = try secrets(oneSecret).newest.keyID
        let other = Sealer(try secrets(otherSecret))
        #expect(throws: SealError.unknownKey(keyID)) { try other.open(text, table: "t", column: "c", row: "r") }
    }

    @Test func `two secrets that share a key id both open, and only the newest counts as newest`() throws {
        let (first, second) = try secretsSharingAKeyID()
        let both = Sealer(try secrets(first, second))
        let old = try Sealer(secrets(second)).seal([1], table: "t", column: "c", row: "r")
        #expect(try both.open(old, table: "t", column: "c", row: "r") == [1])
        #expect(try !both.isSealedByNewest(old, table: "t", column: "c", row: "r"))
        let alone = Sealer(try secrets(first))
        #expect(throws: SealError.forged) { try alone.open(old, table: "t", column: "c", row: "r") }
    }

    @Test func `the check value tells whether secret and database belong together`() throws {
        let value = try CheckValue.make(sealer)
        #expect(try CheckValue.verify(value, sealer))
        let rotated = Sealer(try secrets(otherSecret, oneSecret))
        #expect(try CheckValue.verify(value, rotated))
        #expect(try !CheckValue.isSealedByNewest(value, rotated))
        #expect(try !CheckValue.verify(value, Sealer(secrets(otherSecret))))
        #expect(try !CheckValue.verify("", sealer))
        #expect(
            try !CheckValue.verify(sealer.seal([1], table: "settings", column: "value", row: "secret-check"), sealer)
        )
    }
}
