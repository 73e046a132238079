/// Escaping for HTML.
package enum HTML {
    /// Appends text so that it stays text, in element content and in quoted attributes.
    package static func escape(_ text: String, into output: inout [UInt8]) {
        let source = Array(text.utf8)
        var rest = source[...]
        while let next = rest.firstIndex(where: { entity($0) != nil }) {
            output += rest[..<next]
            if let entity = entity(rest[next]) { output += entity.utf8 }
            rest = rest[(next + 1)...]
        }
        output += rest
    }

    private static func entity(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }

    /// The text, so that it stays text in element content and in quoted attributes.
    package static func escaped(_ text: String) -> String {
        var output: [UInt8] = []
        escape(text, into: &output)
        return String(decoding: output, as: UTF8.self)
    }
}
