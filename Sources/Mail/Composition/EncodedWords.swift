/// Text as a sequence of encoded words (RFC 2047), each at most 75 columns and with complete characters only.
struct EncodedWords {
    /// The words in order.
    ///
    /// The words may be on separate lines, because white space between two encoded words is not shown.
    let words: [String]

    /// Encodes text as UTF-8, with the shorter of the encodings Q and B.
    ///
    /// - Parameters:
    ///   - text: any text without control characters.
    ///   - column: the number of columns already used on the first line, such as by the header's name and a space.
    init(_ text: String, after column: Int) {
        let special = text.utf8.count { !Self.isPlain($0) && $0 != 0x20 }
        let encoding: Encoding = special * 2 < text.utf8.count / 3 ? .q : .b
        var words: [String] = []
        var word: [UInt8] = []
        for piece in Self.pieces(text) {
            // Section 2: at most 75 columns for a word, and 76 for a line that contains one.
            let limit = (words.isEmpty ? min(75, max(40, 76 - column)) : 75) - "=?UTF-8?Q??=".utf8.count
            if !word.isEmpty, encoding.length(word) + encoding.length(piece, following: word) > limit {
                words.append(encoding.word(word))
                word = []
            }
            word += piece
        }
        if !word.isEmpty { words.append(encoding.word(word)) }
        self.words = words
    }

    /// Splits text into the UTF-8 of visible characters, or of scalars if a character has more than nine bytes and may
    /// not fit into a word.
    private static func pieces(_ text: String) -> [[UInt8]] {
        text.flatMap { character -> [[UInt8]] in
            let bytes = Array(character.utf8)
            return bytes.count <= 9 ? [bytes] : character.unicodeScalars.map { Array(String($0).utf8) }
        }
    }

    /// Whether RFC 2047, section 5 (3), allows a byte unencoded in an encoded word within a phrase.
    ///
    /// The rule for phrases is the strictest, so the words are valid in every header field.
    fileprivate static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}

private enum Encoding {
    case q, b

    func length(_ bytes: [UInt8]) -> Int {
        switch self {
        case .q: bytes.reduce(0) { $0 + (EncodedWords.isPlain($1) || $1 == 0x20 ? 1 : 3) }
        case .b: (bytes.count + 2) / 3 * 4
        }
    }

    /// Returns by how much `bytes` lengthen a word that already contains `word`.
    func length(_ bytes: [UInt8], following word: [UInt8]) -> Int {
        switch self {
        case .q: length(bytes)
        case .b: length(word + bytes) - length(word)
        }
    }

    func word(_ bytes: [UInt8]) -> String {
        switch self {
        case .q: "=?UTF-8?Q?" + Self.quoted(bytes) + "?="
        case .b: "=?UTF-8?B?" + Self.base64(bytes) + "?="
        }
    }

    private static func quoted(_ bytes: [UInt8]) -> String {
        var text = ""
        for byte in bytes {
            if EncodedWords.isPlain(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else if byte == 0x20 {
                text.append("_")
            } else {
                text += "=" + hex(byte >> 4) + hex(byte & 0xF)
            }
        }
        return text
    }

    private static func hex(_ digit: UInt8) -> String { String(digit, radix: 16, uppercase: true) }

    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".unicodeScalars)
        var text = String.UnicodeScalarView()
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for digit in 0..<4 {
                text.append(digit <= group.count ? alphabet[bits >> (18 - 6 * digit) & 0x3F] : "=")
            }
        }
        return String(text)
    }
}
