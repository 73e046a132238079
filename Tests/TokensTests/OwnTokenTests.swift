import Crypto
import Testing
import Tokens

/// The three kinds of Latchkey's own tokens behind one interface, for tests that apply to all of them.
enum Kind: CaseIterable {
    case actionCode
    case ticket
    case refreshToken

    var byteCount: Int {
        switch self {
        case .actionCode: 40
        case .ticket: 34
        case .refreshToken: 42
        }
    }

    var characterCount: Int {
        switch self {
        case .actionCode: 54
        case .ticket: 46
        case .refreshToken: 56
        }
    }

    func make(_ secrets: ServerSecrets) throws -> String {
        switch self {
        case .actionCode: try ActionCode.make(id: id(7), purpose: .emailSignIn, expiry: 2000, secrets: secrets)
        case .ticket: try TicketToken.make(id: id(7), secrets: secrets)
        case .refreshToken: try RefreshToken.make(session: id(7), generation: 3, secrets: secrets)
        }
    }

    func accepts(_ text: String, _ secrets: ServerSecrets) throws -> Bool {
        switch self {
        case .actionCode: try ActionCode.verify(text, secrets: secrets, now: 1000) != nil
        case .ticket: try TicketToken.verify(text, secrets: secrets) != nil
        case .refreshToken: try RefreshToken.verify(text, secrets: secrets) != nil
        }
    }
}

@Suite("Our own tokens") struct OwnTokenTests {
    @Test(arguments: Kind.allCases)
    func `tokens have the length, version and key id of their layout`(_ kind: Kind) throws {
        let secrets = try secrets(oneSecret)
        let text = try kind.make(secrets)
        #expect(text.utf8.count == kind.characterCount)
        let bytes = try #require(Base64URL.decode(text))
        #expect(bytes.count == kind.byteCount)
        #expect(bytes[0] == 1)
        #expect(bytes[1] == secrets.newest.keyID)
        #expect(Array(bytes[2..<18]) == [UInt8](repeating: 7, count: 16))
        #expect(try kind.accepts(text, secrets))
    }

    @Test(arguments: Kind.allCases)
    func `tokens are refused after a change of any one bit`(_ kind: Kind) throws {
        let secrets = try secrets(oneSecret)
        let changed = try oneBitChanged(kind.make(secrets))
        #expect(changed.count == kind.byteCount * 8)
        for text in changed {
            #expect(try !kind.accepts(text, secrets))
        }
    }

    @Test(arguments: Kind.allCases)
    func `tokens are refused in any other spelling`(_ kind: Kind) throws {
        let secrets = try secrets(oneSecret)
        let text = try kind.make(secrets)
        for wrong in misspelled(text) {
            #expect(try !kind.accepts(wrong, secrets))
        }
        // Every other last character makes either another token or the same bytes spelled with spare bits.
        for last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" where last != text.last {
            #expect(try !kind.accepts(text.dropLast() + String(last), secrets))
        }
    }

    @Test(arguments: Kind.allCases)
    func `tokens are refused under another secret and accepted after a rotation`(_ kind: Kind) throws {
        let text = try kind.make(secrets(oneSecret))
        #expect(try !kind.accepts(text, secrets(otherSecret)))
        #expect(try kind.accepts(text, secrets(otherSecret, oneSecret)))
        let rotated = try kind.make(secrets(otherSecret, oneSecret))
        #expect(try kind.accepts(rotated, secrets(otherSecret)), "the newest makes them")
        #expect(try !kind.accepts(rotated, secrets(oneSecret)))
    }

    @Test(arguments: Kind.allCases)
    func `tokens are accepted from each of two secrets that share a key id`(_ kind: Kind) throws {
        let (first, second) = try secretsSharingAKeyID()
        let both = try secrets(first, second)
        #expect(both.candidates(keyID: both.newest.keyID).count == 2)
        #expect(try kind.accepts(kind.make(secrets(first)), both))
        #expect(try kind.accepts(kind.make(secrets(second)), both))
        #expect(try !kind.accepts(kind.make(secrets(second)), secrets(first)))
    }

    @Test func `a token of one kind is never accepted as another kind`() throws {
        let secrets = try secrets(oneSecret)
        for made in Kind.allCases {
            for read in Kind.allCases where read != made {
                #expect(try !read.accepts(made.make(secrets), secrets))
            }
        }
    }

    @Test(arguments: ActionCode.Purpose.allCases)
    func `an action code says its id, purpose and expiry, before and after it expired`(
        _ purpose: ActionCode.Purpose
    ) throws {
        let secrets = try secrets(oneSecret)
        let code = ActionCode(id: try TokenID.random(), purpose: purpose, expiry: 1_800_000_000)
        let text = try ActionCode.make(id: code.id, purpose: purpose, expiry: code.expiry, secrets: secrets)
        #expect(try ActionCode.verify(text, secrets: secrets, now: code.expiry - 1) == .valid(code))
        #expect(try ActionCode.verify(text, secrets: secrets, now: code.expiry) == .expired(code))
        #expect(try ActionCode.verify(text, secrets: secrets, now: .max) == .expired(code))
        let bytes = try #require(Base64URL.decode(text))
        #expect(bytes[18] == purpose.rawValue)
        #expect(Array(bytes[19..<24]) == [0x00, 0x6b, 0x49, 0xd2, 0x00], "big endian seconds")
    }

    @Test(arguments: [-1, 1 << 40, .min, .max] as [Int64])
    func `an expiry that five bytes cannot hold is refused`(_ expiry: Int64) throws {
        let secrets = try secrets(oneSecret)
        #expect(throws: CryptoError(.invalidArgument, "action code expiry")) {
            try ActionCode.make(id: id(1), purpose: .emailSignIn, expiry: expiry, secrets: secrets)
        }
    }

    @Test func `the last expiry of five bytes works`() throws {
        let secrets = try secrets(oneSecret)
        let last: Int64 = (1 << 40) - 1
        let text = try ActionCode.make(id: id(1), purpose: .recoverEmail, expiry: last, secrets: secrets)
        let expected = try ActionCode(id: id(1), purpose: .recoverEmail, expiry: last)
        #expect(try ActionCode.verify(text, secrets: secrets, now: 0) == .valid(expected))
    }

    @Test(arguments: [0, 1, 255, 256, .max] as [Int64])
    func `a refresh token says its session and generation`(_ generation: Int64) throws {
        let secrets = try secrets(oneSecret)
        let text = try RefreshToken.make(session: id(9), generation: generation, secrets: secrets)
        let token = try RefreshToken.verify(text, secrets: secrets)
        #expect(try token == RefreshToken(session: id(9), generation: generation))
        #expect(try RefreshToken.make(session: id(9), generation: generation, secrets: secrets) == text)
    }

    @Test func `a negative generation is refused`() throws {
        let secrets = try secrets(oneSecret)
        #expect(throws: CryptoError(.invalidArgument, "generation")) {
            try RefreshToken.make(session: id(9), generation: -1, secrets: secrets)
        }
    }

    @Test func `a ticket says its id and key id`() throws {
        let secrets = try secrets(otherSecret, oneSecret)
        let old = try self.secrets(oneSecret)
        let token = try TicketToken.verify(TicketToken.make(id: id(5), secrets: old), secrets: secrets)
        #expect(try token == TicketToken(id: id(5), keyID: old.newest.keyID))
    }

    private func secrets(_ text: String) throws -> ServerSecrets {
        try ServerSecrets(text: text)
    }

    private func secrets(_ first: String, _ second: String) throws -> ServerSecrets {
        try ServerSecrets(text: first + " " + second)
    }
}
