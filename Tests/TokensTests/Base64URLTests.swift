import Crypto
import Testing
import Tokens

@Suite("Strict base64url") struct Base64URLTests {
    /// RFC 4648 section 10, without padding, and the two characters that differ from plain base 64.
    static let pairs: [(String, [UInt8])] = [
        ("", []), ("Zg", Array("f".utf8)), ("Zm8", Array("fo".utf8)), ("Zm9v", Array("foo".utf8)),
        ("Zm9vYg", Array("foob".utf8)), ("Zm9vYmE", Array("fooba".utf8)), ("Zm9vYmFy", Array("foobar".utf8)),
        ("-_8", [0xfb, 0xff]), ("AA", [0]), ("____", [0xff, 0xff, 0xff]),
    ]

    @Test(arguments: pairs)
    func `the examples of RFC 4648 go both ways`(_ text: String, _ bytes: [UInt8]) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test(arguments: [
        "A", "AAAAA", "Zg==", "Zg=", "Zm8=", "=", "Zh", "Zk", "Zm9", "Z/", "Z+8", "Zm 8", "Zm8\n", "\u{FEFF}Zm8",
        "Zm8\0",
        "Zmé", "Zm8.", "Zm9vY", "＿＿＿＿",
    ])
    func `other spellings are refused`(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `of all last characters only those without spare bits are accepted`() {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let twoBits = alphabet.filter { Base64URL.decode("AAA\($0)") == nil || Base64URL.decode("AA\($0)") != nil }
        #expect(twoBits == "AEIMQUYcgkosw048")
        #expect(alphabet.filter { Base64URL.decode("A\($0)") != nil } == "AQgw")
    }

    @Test func `random bytes of every length go both ways`() throws {
        for length in 0..<200 {
            let bytes = try Random.bytes(length)
            let text = Base64URL.encode(bytes)
            #expect(text.utf8.count == Base64URL.encodedCount(length))
            #expect(Base64URL.decode(text) == bytes)
        }
    }

    @Test func `ids are 22 characters and read back`() throws {
        let id = try TokenID.random()
        #expect(id.text.utf8.count == 22)
        #expect(TokenID(text: id.text) == id)
        #expect(TokenID(bytes: id.bytes) == id)
        #expect(try TokenID.random() != id)
        #expect(TokenID(bytes: [1, 2, 3]) == nil)
        #expect(TokenID(text: String(id.text.dropLast()) + "B") == nil, "spare bits")
        for text in misspelled(id.text) where text != String(repeating: "A", count: 22) {
            #expect(TokenID(text: text) == nil)
        }
    }
}
