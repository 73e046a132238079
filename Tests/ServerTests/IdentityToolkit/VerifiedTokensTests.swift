import Accounts
import Crypto
import JSON
import Testing
import Tokens

@testable import Server

@Suite("Verified ID tokens") struct VerifiedTokensTests {
    private static let issuer = "https://issuer.example"
    private static let audience = "app"
    private static let user = User(anonymous: "someone", at: 1_000_000_000)

    private let first: KeySet
    private let tokens: IDTokens
    private let text: String

    init() throws {
        first = KeySet(signer: try .generate(.es256))
        tokens = IDTokens(issuer: Self.issuer, audience: Self.audience, keys: first)
        let session = Session(
            SessionOpening(sid: "sid", rotates: true),
            uid: Self.user.uid,
            provider: .anonymous,
            at: 1_000_000_000
        )
        text = try tokens.sign(Self.user, session: session, identities: [])
    }

    @Test func `A known token says the same as at first`() throws {
        let checked = try tokens.verify(text, at: 1_000_001)
        #expect(checked.uid == "someone" && checked.sid == "sid" && !checked.isExpired)
        #expect(try tokens.verify(text, at: 1_000_002) == checked)
    }

    @Test func `A known token expires in its second`() throws {
        #expect(try !tokens.verify(text, at: 1_003_599).isExpired)
        #expect(try tokens.verify(text, at: 1_003_600).isExpired)
        #expect(try !tokens.verify(text, at: 1_003_599).isExpired)
    }

    @Test func `A known token is refused before it was issued, but for what clocks differ by`() throws {
        _ = try tokens.verify(text, at: 1_000_000)
        #expect(try tokens.verify(text, at: 999_990).uid == "someone")
        #expect(throws: Refusal.self) { try tokens.verify(text, at: 999_989) }
    }

    @Test func `A known token is refused once its key is gone`() throws {
        _ = try tokens.verify(text, at: 1_000_001)
        tokens.use(KeySet(signer: try .generate(.es256)))
        #expect(throws: Refusal.self) { try tokens.verify(text, at: 1_000_001) }
    }

    @Test func `A changed token is not a known one`() throws {
        _ = try tokens.verify(text, at: 1_000_001)
        let changed = String(text.dropLast(3)) + (text.hasSuffix("AAA") ? "BBB" : "AAA")
        for _ in 0..<2 {
            #expect(throws: Refusal.self) { try tokens.verify(changed, at: 1_000_001) }
        }
    }

    @Test func `the same keys again keep all entries`() {
        let verified = VerifiedTokens()
        let before = verified.keys
        verified.forget()
        #expect(verified.keys != before)
        verified.record([1], Self.entry, checkedUnder: before)
        #expect(verified.find([1], at: 5) == nil)
        verified.record([1], Self.entry, checkedUnder: verified.keys)
        #expect(verified.find([1], at: 5) != nil)
    }

    @Test func `The memory is bounded, and those in use stay`() {
        let verified = VerifiedTokens(limit: 8)
        for number: UInt8 in 0..<100 {
            verified.record([number], Self.entry, checkedUnder: verified.keys)
            #expect(verified.find([0], at: 5) != nil)
        }
        let known = (UInt8(1)..<100).filter { verified.find([$0], at: 5) != nil }
        #expect(known.count <= 16)
        #expect(known.contains(99))
    }

    private static let entry = VerifiedTokens.Entry(
        token: PresentedToken(uid: "u", sid: "s", issuedAt: 1, authTime: 1, provider: .anonymous, isExpired: false),
        expiresAt: 10
    )
}
