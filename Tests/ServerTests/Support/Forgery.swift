import Tokens

/// A token with one error.
struct Forgery {
    let what: String
    let text: String

    /// Returns one forgery for each byte of a token, and other common forgeries.
    static func all(of token: String) -> [Forgery] {
        guard let bytes = Base64URL.decode(token) else { return [] }
        var all = bytes.indices.map { index in
            var changed = bytes
            changed[index] ^= 1
            return Forgery(what: "byte \(index)", text: Base64URL.encode(changed))
        }
        all += [
            Forgery(what: "the last character missing", text: String(token.dropLast())),
            Forgery(what: "the first character missing", text: String(token.dropFirst())),
            Forgery(what: "one character more", text: token + "A"),
            Forgery(what: "padding", text: token + "=="),
            Forgery(what: "half of it", text: String(token.prefix(token.count / 2))),
            Forgery(what: "twice", text: token + token),
            Forgery(what: "another alphabet", text: "+/" + token.dropFirst(2)),
            Forgery(what: "letters beyond ASCII", text: "é" + token.dropFirst()),
            Forgery(what: "one character", text: "A"),
        ]
        return all
    }
}
