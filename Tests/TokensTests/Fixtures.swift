import Crypto
import Foundation
import JSON
import Tokens

let oneSecret = "0123456789abcdef0123456789abcdef"
let otherSecret = "an entirely different secret here".replacing(" ", with: "-")

func secrets(_ texts: String...) throws -> ServerSecrets {
    try ServerSecrets(text: texts.joined(separator: " "))
}

func id(_ byte: UInt8) throws -> TokenID {
    guard let id = TokenID(bytes: [UInt8](repeating: byte, count: 16)) else { throw CryptoError(.library, "id") }
    return id
}

/// Finds two different secrets with the same key id, which is quick because the id has one byte.
func secretsSharingAKeyID() throws -> (first: String, second: String) {
    var seen: [UInt8: String] = [:]
    for number in 1000..<2000 {
        let text = "a secret long enough to be one, number \(number)".replacing(" ", with: "-").replacing(",", with: "")
        let keyID = try ServerSecrets(text: text).newest.keyID
        if let first = seen[keyID] { return (first, text) }
        seen[keyID] = text
    }
    throw CryptoError(.library, "no two key ids alike")
}

/// Returns a text with every single bit of its decoded bytes changed, one after the other.
func oneBitChanged(_ text: String) throws -> [String] {
    let bytes = Base64URL.decode(text) ?? []
    return bytes.indices.flatMap { index in
        (0..<8).map { bit in
            var changed = bytes
            changed[index] ^= 1 << bit
            return Base64URL.encode(changed)
        }
    }
}

/// Returns spellings of a text that a lenient decoder would decode to the same bytes, and others that are not tokens at
/// all.
func misspelled(_ text: String) -> [String] {
    let last = text.last.map(String.init) ?? ""
    let swapped = text.replacing("-", with: "+").replacing("_", with: "/")
    return [
        "", " ", "A", text + "=", text + "==", text + " ", " " + text, text + "\n", text + "A", "A" + text,
        String(text.dropLast()), String(text.dropFirst()), text + text, String(text.dropLast()) + "é",
        String(text.dropLast()) + "\0", String(text.dropLast()) + "%" + last, text + "\u{301}",
        String(repeating: "A", count: text.utf8.count), String(repeating: "A", count: 1_000_000),
    ] + (swapped == text ? [] : [swapped])
}

/// Encodes a text as one segment of a token.
func segment(_ text: String) -> String {
    Base64URL.encode(Array(text.utf8))
}

/// Makes a correctly signed token with a given header.
func signed(header: String, claims: String, by key: TokenSigningKey) throws -> String {
    let input = segment(header) + "." + segment(claims)
    return input + "." + Base64URL.encode(try key.key.sign(Array(input.utf8)))
}

/// Runs a body with a new folder, which is deleted afterwards.
func withTemporaryFolder(_ body: (String) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.path + "/latchkey-tokens-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
}
