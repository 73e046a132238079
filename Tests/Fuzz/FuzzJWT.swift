internal import Crypto
internal import JSON
internal import Tokens

/// Foreign tokens, and headers and claims of any kind with a valid signature.
func fuzzJWT(_ bytes: [UInt8]) {
    if bytes.first == UInt8(ascii: "=") {
        checkSigned(bytes.dropFirst())
    } else {
        checkForeign(String(decoding: World.fill(bytes), as: UTF8.self))
    }
}

/// Takes the first line as the header and the rest as the claims, and signs both.
private func checkSigned(_ bytes: ArraySlice<UInt8>) {
    let header = bytes.prefix { $0 != UInt8(ascii: "\n") }
    let claims = Array(bytes.dropFirst(header.count + 1))
    let input = segment(header.isEmpty ? ownHeader : Array(header)) + "." + segment(claims)
    let signature = must { try World.key.key.sign(Array(input.utf8)) }
    let token = input + "." + Base64URL.encode(signature)
    check(token)
    guard header.isEmpty, token.utf8.count <= JWT.maximumLength else { return }
    // With Latchkey's own header only the claims decide.
    let expected = try? JSONValue.parse(claims, maximumDepth: 32).object
    let signed = try? JWT.verify(token, keys: World.keySet.verificationKeys)
    claim(signed?.claims == expected, "a well signed token is taken for another")
}

/// A foreign text is accepted only if Latchkey signed exactly it, because Ed25519 has one signature for each text.
private func checkForeign(_ text: String) {
    guard check(text), let dot = text.utf8.lastIndex(of: UInt8(ascii: ".")) else { return }
    let signature = must { try World.key.key.sign(Array(text.utf8[..<dot])) }
    claim(text.utf8[dot...].dropFirst().elementsEqual(Base64URL.encode(signature).utf8), "another signature")
}

/// Checks that the verdict on the claims agrees with their content.
///
/// - Returns: whether the signature is valid.
@discardableResult
private func check(_ text: String) -> Bool {
    let verifier = IDTokenVerifier(issuer: World.issuer, audience: World.audience)
    let verdict = must { try verifier.verify(text, keys: World.keySet.verificationKeys, now: World.now) }
    let isSigned: Bool
    do {
        let signed = try JWT.verify(text, keys: World.keySet.verificationKeys)
        claim(signed.keyID == World.key.keyID)
        isSigned = true
    } catch .library(let error) {
        fatalError("\(error)")
    } catch {
        isSigned = false
        claim(verdict == .invalid(.signature(error)), "a verdict on claims that nobody signed")
    }
    switch verdict {
    case .valid(let claims):
        claim(isSigned && claims.expiresAt > World.now && claims.issuedAt <= World.now)
        claim(claims.all["iss"] == .string(World.issuer) && !claims.subject.isEmpty)
    case .expired(let claims): claim(isSigned && claims.expiresAt <= World.now)
    case .invalid: break
    }
    return isSigned
}

private let ownHeader = Array(#"{"alg":"EdDSA","kid":"\#(World.key.keyID)","typ":"JWT"}"#.utf8)

private func segment(_ bytes: [UInt8]) -> String {
    Base64URL.encode(bytes)
}
