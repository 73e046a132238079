import Accounts
import Testing

@Suite("Names of documents")
struct DocumentNameTests {
    static let good = [
        "a", "Z", "0", "_", "-", "...", ".a", "a.", "..a", "a_b-c.d", "__proto__", String(repeating: "x", count: 128),
    ]
    static let bad = [
        "", ".", "..", "a/b", "/", "a b", " a", "a\n", "a\u{0}", "é", "e\u{301}", "ａ", "a:b", "a%2Fb", "*", "a+b", "~",
        "a,b", "\u{202E}a", String(repeating: "x", count: 129),
    ]

    @Test(arguments: good)
    func `letters, digits, underscores, hyphens and dots will do`(part: String) throws {
        #expect(try DocumentName(collection: part, id: part).description == "\(part)/\(part)")
    }

    @Test(arguments: bad)
    func `anything else will not, in either place`(part: String) {
        #expect(throws: Refusal(.invalidDocumentName)) { try DocumentName(collection: part, id: "a") }
        #expect(throws: Refusal(.invalidDocumentName)) { try DocumentName(collection: "a", id: part) }
    }
}
