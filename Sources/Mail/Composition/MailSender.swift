internal import Accounts

/// The sender of all e-mails of a server, parsed from its configuration.
package struct MailSender: Sendable {
    /// The error for a configured sender that is invalid; the description says what is wrong.
    package struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// The name shown next to the address; nil for none.
    package let displayName: HeaderText?
    /// The canonical address, for the envelope and the From header.
    package let address: String
    /// The address's domain in ASCII, which is used for Message-IDs.
    package let domain: String

    /// Parses `Name <address>`, `"Name, Inc." <address>` or a bare address.
    ///
    /// - Parameter text: the configured text.
    /// - Throws: `Invalid`, which says what is missing or wrong.
    package init(parsing text: String) throws(Invalid) {
        let text = text.trimmingSpaces
        var name: String?
        var address = text
        if let open = text.lastIndex(of: "<") {
            guard text.hasSuffix(">") else { throw Invalid(description: "an address is missing its '>'") }
            name = Self.unquoted(text[..<open].trimmingSpaces)
            address = String(text[text.index(after: open)...].dropLast())
        }
        do throws(EmailAddress.Invalid) {
            let parsed = try EmailAddress(parsing: address)
            self.address = parsed.canonical
            domain = parsed.domain
        } catch {
            throw Invalid(description: "not an e-mail address")
        }
        do throws(HeaderText.Refused) {
            displayName = try name.flatMap { name throws(HeaderText.Refused) in
                name.isEmpty ? nil : try HeaderText(name)
            }
        } catch {
            throw Invalid(description: "the name contains \(error)")
        }
    }

    private static func unquoted(_ name: String) -> String {
        guard name.count >= 2, name.hasPrefix("\""), name.hasSuffix("\"") else { return name }
        var result = ""
        var isEscaped = false
        for character in name.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                result.append(character)
                isEscaped = false
            }
        }
        return result
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at its ends.
    var trimmingSpaces: String {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        var bytes = Substring(self).utf8.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
