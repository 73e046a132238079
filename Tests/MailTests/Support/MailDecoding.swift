import Foundation

/// A received e-mail, read like a mail program does: unfolded headers with decoded words, and decoded parts.
struct ReceivedMail {
    let headers: [(name: String, value: String)]
    let rawHeaderLines: [String]
    let text: String
    let html: String

    init?(_ raw: [UInt8]) {
        let message = String(decoding: raw, as: UTF8.self)
        guard let (head, body) = Self.split(message) else { return nil }
        rawHeaderLines = head.components(separatedBy: "\r\n")
        headers = Self.fields(head)
        guard let type = headers.first(where: { $0.name == "Content-Type" })?.value,
            type.hasPrefix("multipart/alternative;"), let start = type.range(of: "boundary=")
        else { return nil }
        let boundary = type[start.upperBound...].trimmingCharacters(in: ["\""])
        let parts = body.components(separatedBy: "--\(boundary)").dropFirst().dropLast().compactMap { part in
            // The line ends around a boundary belong to the boundary (RFC 2046 section 5.1.1).
            Self.split(String(part.dropFirst().dropLast()))
        }
        guard parts.count == 2 else { return nil }
        text = Self.quotedPrintable(parts[0].body)
        html = Self.quotedPrintable(parts[1].body)
    }

    /// The value of a header that occurs once.
    subscript(_ name: String) -> String? {
        let found = headers.filter { $0.name.lowercased() == name.lowercased() }
        return found.count == 1 ? found[0].value : nil
    }

    private static func split(_ text: String) -> (head: String, body: String)? {
        guard let gap = text.range(of: "\r\n\r\n") else { return nil }
        return (String(text[..<gap.lowerBound]), String(text[gap.upperBound...]))
    }

    static func fields(_ head: String) -> [(name: String, value: String)] {
        let unfolded = head.replacingOccurrences(of: "\r\n ", with: " ").replacingOccurrences(of: "\r\n\t", with: " ")
        return unfolded.components(separatedBy: "\r\n").compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return (String(line[..<colon]), decodedWords(value))
        }
    }

    /// Decodes a header by RFC 2047: adjacent encoded words join without the space between them.
    static func decodedWords(_ value: String) -> String {
        var result = ""
        var wasEncoded = false
        for token in value.components(separatedBy: " ") {
            if let word = decodedWord(token) {
                if !wasEncoded, !result.isEmpty { result += " " }
                result += word
                wasEncoded = true
            } else {
                result += (result.isEmpty ? "" : " ") + token
                wasEncoded = false
            }
        }
        return result
    }

    /// Decodes one encoded word; nil if it is not one or its bytes are not whole characters.
    static func decodedWord(_ token: String) -> String? {
        let parts = token.components(separatedBy: "?")
        guard token.hasPrefix("=?UTF-8?"), token.hasSuffix("?="), parts.count == 5 else { return nil }
        let bytes: [UInt8]?
        switch parts[2] {
        case "B": bytes = Data(base64Encoded: parts[3]).map { Array($0) }
        case "Q": bytes = unquoted(Array(parts[3].replacingOccurrences(of: "_", with: " ").utf8))
        default: bytes = nil
        }
        return bytes.flatMap { String(validating: $0, as: UTF8.self) }
    }

    private static func quotedPrintable(_ text: String) -> String {
        let joined = text.replacingOccurrences(of: "=\r\n", with: "")
        return String(decoding: unquoted(Array(joined.utf8)) ?? [], as: UTF8.self)
            .replacingOccurrences(of: "\r\n", with: "\n")
    }

    private static func unquoted(_ bytes: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                result.append(byte)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            result.append(value)
            rest = rest.dropFirst(2)
        }
        return result
    }
}
