/// HTML escaping.
package enum HTML {
    /// Appends text, escaped for element content and quoted attributes.
    package static func escape(_ text: String, into output: inout [UInt8]) {
        let source = Array(text.utf8)
        var rest = source[...]
        while let next = rest.firstIndex(where: isSpecial) {
            output += rest[..<next]
            output += entity(rest[next]).utf8
            rest = rest[(next + 1)...]
        }
        output += rest
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
        default: false
        }
    }

    private static func entity(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        default: "&#39;"  // the apostrophe, the last of the special characters
        }
    }

    /// Returns the text, escaped for element content and quoted attributes.
    package static func escaped(_ text: String) -> String {
        var output: [UInt8] = []
        escape(text, into: &output)
        return String(decoding: output, as: UTF8.self)
    }
}
