/// Finds the lines of a configuration file on which its keys stand, so that a problem with one names its line.
struct SettingLines {
    private struct Frame {
        let isObject: Bool
        var key = ""
        var expectsKey: Bool
    }

    /// The line of each key, from 1; keys are dotted, and those within lists are left out.
    private(set) var lines: [String: Int] = [:]

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var frames: [Frame] = []

    /// Reads a text in JSON5, which the decoder has accepted before.
    init(_ text: String) {
        bytes = Array(text.utf8)
        while position < bytes.count { step() }
    }

    private mutating func step() {
        switch bytes[position] {
        case UInt8(ascii: "{"): open(isObject: true)
        case UInt8(ascii: "["): open(isObject: false)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            _ = frames.popLast()
            position += 1
        case UInt8(ascii: ","):
            if let last = frames.indices.last { frames[last].expectsKey = frames[last].isObject }
            position += 1
        case UInt8(ascii: "/"): skipComment()
        case UInt8(ascii: "\""), UInt8(ascii: "'"): take(quoted(), at: line)
        case let byte where Self.isInWord(byte):
            let start = position
            while position < bytes.count, Self.isInWord(bytes[position]) { position += 1 }
            take(bytes[start..<position], at: line)
        default: advance()
        }
    }

    /// Records a word or a quoted text as the key of an object, if one is due.
    private mutating func take(_ word: ArraySlice<UInt8>, at line: Int) {
        guard let last = frames.indices.last, frames[last].expectsKey else { return }
        frames[last].expectsKey = false
        frames[last].key = String(decoding: word, as: UTF8.self)
        guard frames.allSatisfy(\.isObject) else { return }
        lines[frames.map(\.key).joined(separator: ".")] = line
    }

    private mutating func open(isObject: Bool) {
        frames.append(Frame(isObject: isObject, expectsKey: isObject))
        position += 1
    }

    private mutating func skipComment() {
        let next = position + 1 < bytes.count ? bytes[position + 1] : 0
        advance()
        if next == UInt8(ascii: "/") {
            while position < bytes.count, bytes[position] != 0x0A { position += 1 }
        } else if next == UInt8(ascii: "*") {
            advance()
            while position < bytes.count,
                !bytes[position...].starts(with: [UInt8(ascii: "*"), UInt8(ascii: "/")])
            {
                advance()
            }
            position = min(position + 2, bytes.count)
        }
    }

    /// Skips a quoted text, and returns what stands between the quotes.
    private mutating func quoted() -> ArraySlice<UInt8> {
        let quote = bytes[position]
        position += 1
        let start = position
        while position < bytes.count, bytes[position] != quote {
            if bytes[position] == UInt8(ascii: "\\") { advance() }
            advance()
        }
        let end = min(position, bytes.count)
        position = min(position + 1, bytes.count)
        return bytes[start..<end]
    }

    private mutating func advance() {
        guard position < bytes.count else { return }
        if bytes[position] == 0x0A { line += 1 }
        position += 1
    }

    private static func isInWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte >= 0x80
            || "_$+-.".utf8.contains(byte)
    }
}
