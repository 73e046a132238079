/// The address in `MAIL FROM:<…>` or `RCPT TO:<…>` (RFC 5321 §4.1.2, with UTF-8 as extended by RFC 6531 §3.3).
package struct SMTPPath: Sendable, Equatable {
    /// The mailbox as it was written, without angle brackets and source route; empty for the null reverse-path.
    package let mailbox: String
    /// Whether the mailbox is not ASCII, so that it can be sent only with SMTPUTF8.
    package let isInternational: Bool

    /// Reads a path from the start of an argument.
    ///
    /// - Parameters:
    ///   - bytes: what follows the colon of the command.
    ///   - allowsNull: true for the sender, which may be `<>`; false for a recipient, which may be `<Postmaster>`.
    /// - Returns: the path and the bytes after it; nil when the syntax is wrong.
    package static func read(_ bytes: ArraySlice<UInt8>, allowsNull: Bool) -> (path: SMTPPath, rest: ArraySlice<UInt8>)?
    {
        guard bytes.first == UInt8(ascii: "<"), let end = closingBracket(bytes) else { return nil }
        var inner = bytes[(bytes.startIndex + 1)..<end]
        let rest = bytes[(end + 1)...]
        if inner.isEmpty {
            return allowsNull ? (SMTPPath(mailbox: "", isInternational: false), rest) : nil
        }
        if inner.first == UInt8(ascii: "@") {  // A source route is accepted and ignored (RFC 5321 §4.1.1.3).
            guard let colon = inner.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            inner = inner[(colon + 1)...]
        }
        guard isMailbox(inner, allowsPostmaster: !allowsNull), let text = String(validating: inner, as: UTF8.self)
        else {
            return nil
        }
        return (SMTPPath(mailbox: text, isInternational: inner.contains { $0 >= 0x80 }), rest)
    }

    /// The maximum length of a local part in octets, as the next two are of a domain and of a path (RFC 5321 §4.5.3.1).
    private static let maximumLocalPart = 64
    private static let maximumDomain = 255
    private static let maximumPath = 254

    private static func closingBracket(_ bytes: ArraySlice<UInt8>) -> Int? {
        var index = bytes.startIndex + 1
        var quoted = false
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\"") where !quoted && isLocalPartStart(bytes, index): quoted = true
            case UInt8(ascii: "\"") where quoted: quoted = false
            case UInt8(ascii: "\\") where quoted: index += 1
            case UInt8(ascii: ">") where !quoted: return index
            default: break
            }
            index += 1
        }
        return nil
    }

    /// Whether a quoted local part may begin at an index: right after `<` or a source route's colon.
    private static func isLocalPartStart(_ bytes: ArraySlice<UInt8>, _ index: Int) -> Bool {
        let before = bytes[index - 1]
        return before == UInt8(ascii: "<") || before == UInt8(ascii: ":")
    }

    private static func isMailbox(_ bytes: ArraySlice<UInt8>, allowsPostmaster: Bool) -> Bool {
        guard bytes.count <= maximumPath else { return false }
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else {
            return allowsPostmaster && String(decoding: bytes, as: UTF8.self).lowercased() == "postmaster"
        }
        let local = bytes[..<at]
        let domain = bytes[(at + 1)...]
        guard (1...maximumLocalPart).contains(local.count), (1...maximumDomain).contains(domain.count) else {
            return false
        }
        return (isDotString(local) || isQuotedString(local)) && (isDomain(domain) || isLiteral(domain))
    }

    private static func isDotString(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0.allSatisfy(isAtomText) }
    }

    private static func isQuotedString(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        var escaped = false
        for byte in bytes.dropFirst().dropLast() {
            guard byte >= 0x20, byte != 0x7f else { return false }
            if escaped {
                escaped = false
            } else if byte == UInt8(ascii: "\\") {
                escaped = true
            } else if byte == UInt8(ascii: "\"") {
                return false
            }
        }
        return !escaped
    }

    private static func isDomain(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 >= 0x80 }
        }
    }

    private static func isLiteral(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count > 2 && bytes.first == UInt8(ascii: "[") && bytes.last == UInt8(ascii: "]")
            && bytes.dropFirst().dropLast().allSatisfy { isLetterOrDigit($0) || [0x2e, 0x3a, 0x2d].contains($0) }
    }

    private static func isAtomText(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte >= 0x80 || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39: true
        default: false
        }
    }
}
