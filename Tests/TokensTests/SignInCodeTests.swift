import Testing
import Tokens

@Suite("Sign-in codes") struct SignInCodeTests {
    @Test(arguments: [SignInCodeForm.sixDigits, .eightDigits])
    func `sign-in codes have the length of their form and are evenly distributed`(form: SignInCodeForm) throws {
        let secrets = try secrets(oneSecret)
        let keyID = secrets.newest.keyID
        let confirmed = form == .sixDigits ? 10...99 : 100...999
        var firstDigits: [Character: Int] = [:]
        var confirmations: [String: Int] = [:]
        for _ in 0..<9000 {
            let ticket = try TokenID.random()
            let code = try #require(try SignInCode.code(form, ticket: ticket, keyID: keyID, secrets: secrets))
            #expect(code.utf8.count == form.rawValue && code.utf8.allSatisfy { (0x30...0x39).contains($0) })
            firstDigits[code.first ?? "?", default: 0] += 1
            let shown = try #require(try SignInCode.confirmation(form, ticket: ticket, keyID: keyID, secrets: secrets))
            #expect(Int(shown).map(confirmed.contains) == true)
            confirmations[String(shown.prefix(2)), default: 0] += 1
        }
        // Six standard deviations: of 900 ± 28 each, and of 100 ± 10 each.
        #expect(firstDigits.count == 10 && firstDigits.values.allSatisfy { (730...1070).contains($0) })
        #expect(confirmations.count == 90 && confirmations.values.allSatisfy { (40...160).contains($0) })
    }

    @Test func `sign-in codes of six digits are those of earlier versions`() throws {
        let secrets = try secrets(oneSecret)
        let keyID = secrets.newest.keyID
        let old = try SignInCode.code(.sixDigits, ticket: id(1), keyID: keyID, secrets: secrets)
        #expect(old == "455435")
        let digits = try SignInCode.confirmation(.sixDigits, ticket: id(1), keyID: keyID, secrets: secrets)
        #expect(digits == "19")
        let new = try SignInCode.code(.eightDigits, ticket: id(1), keyID: keyID, secrets: secrets)
        #expect(new?.hasSuffix(old ?? "") == false, "a code of one form says nothing about the other's")
    }

    @Test func `sign-in codes are shown in two groups of four, and accepted with or without spaces`() throws {
        let secrets = try secrets(oneSecret)
        let keyID = secrets.newest.keyID
        let code = try #require(try SignInCode.code(.eightDigits, ticket: id(1), keyID: keyID, secrets: secrets))
        let shown = SignInCode.grouped(code)
        #expect(shown == "\(code.prefix(4)) \(code.suffix(4))")
        #expect(SignInCode.grouped("123456") == "123456")
        for text in [code, shown, " \(shown) ", shown.replacing(" ", with: "\u{A0}")] {
            #expect(try SignInCode.verify(code: text, .eightDigits, ticket: id(1), keyID: keyID, secrets: secrets))
        }
    }

    @Test func `sign-in codes verify for their ticket only`() throws {
        let secrets = try secrets(oneSecret)
        let keyID = secrets.newest.keyID
        let code = try #require(try SignInCode.code(.eightDigits, ticket: id(1), keyID: keyID, secrets: secrets))
        let two = try #require(try SignInCode.confirmation(.eightDigits, ticket: id(1), keyID: keyID, secrets: secrets))
        #expect(try SignInCode.verify(code: code, .eightDigits, ticket: id(1), keyID: keyID, secrets: secrets))
        #expect(try SignInCode.verify(confirmation: two, .eightDigits, ticket: id(1), keyID: keyID, secrets: secrets))
        #expect(try !SignInCode.verify(code: code, .eightDigits, ticket: id(2), keyID: keyID, secrets: secrets))
        #expect(try SignInCode.code(.eightDigits, ticket: id(2), keyID: keyID, secrets: secrets) != code)
    }

    @Test func `no neighbor of the right code is accepted`() throws {
        let secrets = try secrets(oneSecret)
        let keyID = secrets.newest.keyID
        let code = try #require(try SignInCode.code(.eightDigits, ticket: id(1), keyID: keyID, secrets: secrets))
        let near = (0..<1000).map { String(code.prefix(5)) + String(format: $0, width: 3) }
        let accepted = try near.filter {
            try SignInCode.verify(code: $0, .eightDigits, ticket: id(1), keyID: keyID, secrets: secrets)
        }
        #expect(accepted == [code])
    }

    @Test(arguments: [
        "", "0", "000000", "0000000", "000000000", "abcdefgh", " 1234567", "１２３４５６７８", "1234567\0", "1234-5678",
    ])
    func `other texts are refused`(_ text: String) throws {
        let secrets = try secrets(oneSecret)
        let keyID = secrets.newest.keyID
        #expect(try !SignInCode.verify(code: text, .eightDigits, ticket: id(1), keyID: keyID, secrets: secrets))
        #expect(try !SignInCode.verify(confirmation: text, .eightDigits, ticket: id(1), keyID: keyID, secrets: secrets))
    }

    @Test func `still verify after a rotation, by the key id of their ticket`() throws {
        let old = try secrets(oneSecret)
        let keyID = old.newest.keyID
        let rotated = try secrets(otherSecret, oneSecret)
        let code = try #require(try SignInCode.code(.eightDigits, ticket: id(1), keyID: keyID, secrets: old))
        #expect(try SignInCode.code(.eightDigits, ticket: id(1), keyID: keyID, secrets: rotated) == code)
        #expect(try SignInCode.verify(code: code, .eightDigits, ticket: id(1), keyID: keyID, secrets: rotated))
        #expect(try SignInCode.code(.eightDigits, ticket: id(1), keyID: rotated.newest.keyID, secrets: rotated) != code)
        let without = try secrets(otherSecret)
        #expect(try SignInCode.code(.eightDigits, ticket: id(1), keyID: keyID, secrets: without) == nil)
        #expect(try SignInCode.confirmation(.eightDigits, ticket: id(1), keyID: keyID, secrets: without) == nil)
        #expect(try !SignInCode.verify(code: code, .eightDigits, ticket: id(1), keyID: keyID, secrets: without))
    }

    @Test func `sign-in codes verify under both of two secrets that share a key id`() throws {
        let (first, second) = try secretsSharingAKeyID()
        let both = try secrets(first, second)
        for text in [first, second] {
            let one = try secrets(text)
            let keyID = one.newest.keyID
            let code = try #require(try SignInCode.code(.eightDigits, ticket: id(1), keyID: keyID, secrets: one))
            #expect(try SignInCode.verify(code: code, .eightDigits, ticket: id(1), keyID: keyID, secrets: both))
        }
    }
}

extension String {
    /// Makes a number with leading zeros.
    fileprivate init(format number: Int, width: Int) {
        let digits = String(number)
        self = String(repeating: "0", count: width - digits.utf8.count) + digits
    }
}

@Suite("Keyed hashes") struct KeyedHashTests {
    @Test func `sign-in codes depend on text, purpose and secret only`() throws {
        let secrets = try secrets(oneSecret)
        let hash = try KeyedHash.make("a@example.com", purpose: "mail", secrets: secrets)
        #expect(hash.utf8.count == 44)
        #expect(Base64URL.decode(hash)?.first == secrets.newest.keyID)
        #expect(try KeyedHash.make("a@example.com", purpose: "mail", secrets: secrets) == hash)
        #expect(try KeyedHash.make("b@example.com", purpose: "mail", secrets: secrets) != hash)
        #expect(try KeyedHash.make("a@example.com", purpose: "code", secrets: secrets) != hash)
        #expect(try KeyedHash.make("la@example.com", purpose: "mai", secrets: secrets) != hash)
        #expect(try KeyedHash.make("a@example.com", purpose: "mail", secrets: self.secrets(otherSecret)) != hash)
    }

    @Test func `sign-in codes verify and are found after a rotation`() throws {
        let hash = try KeyedHash.make("text", purpose: "p", secrets: secrets(oneSecret))
        let rotated = try ServerSecrets(text: otherSecret + " " + oneSecret)
        #expect(try KeyedHash.verify(hash, of: "text", purpose: "p", secrets: rotated))
        #expect(try KeyedHash.all("text", purpose: "p", secrets: rotated).last == hash)
        #expect(try KeyedHash.all("text", purpose: "p", secrets: rotated).count == 2)
        #expect(try !KeyedHash.verify(hash, of: "text", purpose: "p", secrets: secrets(otherSecret)))
        #expect(try !KeyedHash.verify(hash, of: "texts", purpose: "p", secrets: rotated))
        for wrong in try misspelled(hash) + oneBitChanged(hash) {
            #expect(try !KeyedHash.verify(wrong, of: "text", purpose: "p", secrets: rotated))
        }
    }

    private func secrets(_ text: String) throws -> ServerSecrets {
        try ServerSecrets(text: text)
    }
}
