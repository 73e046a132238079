/// A field of the form `type/subtype; name=value; …`: Content-Type and Content-Disposition (RFC 2045 §5.1, RFC 2183).
struct ContentType: Equatable {
    /// The text before the first semicolon, in lower case; empty without a field.
    let value: String
    /// The parameters, names in lower case; the first of equal names counts.
    let parameters: [String: String]

    init(_ text: String?) {
        guard let text else {
            value = ""
            parameters = [:]
            return
        }
        let pieces = Self.split(Array(text.utf8))
        value = String(decoding: pieces.first?.trimmingBlanks ?? [], as: UTF8.self).lowercased()
        var parameters: [String: String] = [:]
        for piece in pieces.dropFirst().prefix(32) {
            guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: piece[..<equals].trimmingBlanks, as: UTF8.self).lowercased()
            let value = Self.unquoted(piece[(equals + 1)...].trimmingBlanks)
            if parameters[name] == nil { parameters[name] = String(decoding: value, as: UTF8.self) }
        }
        self.parameters = parameters
    }

    /// Splits a field at the semicolons that are not within quotes.
    private static func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        var isQuoted = false
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted: index += 1
            case UInt8(ascii: ";") where !isQuoted:
                pieces.append(bytes[start..<index])
                start = index + 1
            default: break
            }
            index += 1
        }
        pieces.append(bytes[start...])
        return pieces
    }

    private static func unquoted(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return Array(bytes)
        }
        var result: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropFirst().dropLast() {
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                result.append(byte)
                isEscaped = false
            }
        }
        return result
    }
}
