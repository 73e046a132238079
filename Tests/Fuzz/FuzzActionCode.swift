internal import Crypto
internal import Tokens

/// Latchkey's own tokens: every accepted token is byte for byte one that Latchkey makes; made tokens are accepted,
/// changed ones are not.
func fuzzActionCode(_ bytes: [UInt8]) {
    switch bytes.first {
    case UInt8(ascii: "="): checkMadeToken(bytes.dropFirst())
    case UInt8(ascii: "~"): checkChangedToken(bytes.dropFirst())
    default: checkText(String(decoding: World.fill(bytes), as: UTF8.self))
    }
}

private func checkText(_ text: String) {
    switch must({ try Optional(ActionCode.verify(text, secrets: World.secrets, now: World.now)) }) {
    case .valid(let code):
        claim(code.expiry > World.now, "an expired code is valid")
        claim(
            isMade(text) { try ActionCode.make(id: code.id, purpose: code.purpose, expiry: code.expiry, secrets: $0) }
        )
    case .expired(let code):
        claim(code.expiry <= World.now, "a valid code has expired")
        claim(
            isMade(text) { try ActionCode.make(id: code.id, purpose: code.purpose, expiry: code.expiry, secrets: $0) }
        )
    case nil: break
    }
    if let token = must({ try Optional(TicketToken.verify(text, secrets: World.secrets)) }) {
        claim(isMade(text) { try TicketToken.make(id: token.id, secrets: $0) }, "another spelling of a ticket")
    }
    if let token = must({ try Optional(RefreshToken.verify(text, secrets: World.secrets)) }) {
        claim(
            isMade(text) { try RefreshToken.make(session: token.session, generation: token.generation, secrets: $0) },
            "another spelling of a refresh token"
        )
    }
}

private func isMade(_ text: String, _ make: (ServerSecrets) throws -> String) -> Bool {
    [World.secrets, World.olderSecrets].contains { secrets in must { try make(secrets) }.utf8.elementsEqual(text.utf8) }
}

/// Makes a token with purpose, expiry and id from the input, and checks that they can be read back.
private func checkMadeToken(_ bytes: ArraySlice<UInt8>) {
    let number = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let id = World.id(bytes.last ?? 0)
    if let purpose = ActionCode.Purpose(rawValue: bytes.last ?? 0) {
        let expiry = Int64(bitPattern: number)
        let text = try? ActionCode.make(id: id, purpose: purpose, expiry: expiry, secrets: World.olderSecrets)
        claim((text != nil) == (0..<1 << 40).contains(expiry), "an expiry that five bytes hold, or not")
        if let text {
            let code = ActionCode(id: id, purpose: purpose, expiry: expiry)
            let verdict = must { try ActionCode.verify(text, secrets: World.secrets, now: World.now) }
            claim(verdict == (World.now < expiry ? .valid(code) : .expired(code)), "a made code is refused")
        }
    }
    let generation = Int64(bitPattern: number)
    let text = try? RefreshToken.make(session: id, generation: generation, secrets: World.secrets)
    claim((text != nil) == (generation >= 0))
    guard let text else { return }
    let token = must { try RefreshToken.verify(text, secrets: World.secrets) }
    claim(token == RefreshToken(session: id, generation: generation), "a made refresh token is refused")
}

/// Changes some bytes of a valid code, as the input says.
private func checkChangedToken(_ changes: ArraySlice<UInt8>) {
    let good = must { Base64URL.decode(World.code(11, .emailSignIn)) }
    var changed = good
    for (place, mask) in zip(changes, changes.dropFirst()) { changed[Int(place) % changed.count] ^= mask }
    let verdict = must {
        try Optional(ActionCode.verify(Base64URL.encode(changed), secrets: World.secrets, now: World.now))
    }
    claim((verdict != nil) == (changed == good), "a changed code is taken, or a good one refused")
}
