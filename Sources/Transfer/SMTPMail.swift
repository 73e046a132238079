/// An e-mail as the server receives it: envelope, header lines, and a body in two formats.
package struct SMTPMail: Sendable, Equatable {
    /// The envelope's sender, an address whose domain is ASCII.
    package let sender: String
    /// The envelope's recipients, addresses whose domains are ASCII.
    package let recipients: [String]
    /// The header lines, encoded and folded, without Content-Type and without the last CR LF.
    package let headers: [String]
    package let text: String
    package let html: String

    /// Makes an e-mail after checking that no address and no header line can inject another line into the envelope or
    /// the header.
    ///
    /// The body's text and HTML are not checked.
    ///
    /// - Throws: `TransferError` of kind `invalid` for a bad address or line, or if there is no recipient. The error
    ///   repeats nothing of the e-mail.
    package init(
        sender: String,
        recipients: [String],
        headers: [String],
        text: String,
        html: String
    ) throws(TransferError) {
        guard !recipients.isEmpty, (recipients + [sender]).allSatisfy(Self.isEnvelopeAddress) else {
            throw TransferError(.invalid, "an address is not valid in an SMTP envelope")
        }
        guard headers.allSatisfy(Self.isHeaderField) else {
            throw TransferError(.invalid, "a header contains a line break")
        }
        self.sender = sender
        self.recipients = recipients
        self.headers = headers
        self.text = text
        self.html = html
    }

    /// Whether an envelope address has non-ASCII characters, so that the server must support SMTPUTF8 (RFC 6531).
    var needsSMTPUTF8: Bool {
        (recipients + [sender]).contains { $0.utf8.contains { $0 >= 0x80 } }
    }

    /// Validates an address as far as needed to protect the command line (RFC 5321 section 4.1.2): text on both sides
    /// of an @, no controls, no angle brackets, at most 320 bytes.
    private static func isEnvelopeAddress(_ address: String) -> Bool {
        guard let at = address.utf8.lastIndex(of: UInt8(ascii: "@")) else { return false }
        return at != address.utf8.startIndex && address.utf8.index(after: at) != address.utf8.endIndex
            && address.utf8.count <= 320
            && address.utf8.allSatisfy {
                $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">")
            }
    }

    /// Validates a field (RFC 5322 section 2.2): a printable name, a colon, and a body without line breaks except
    /// folds.
    ///
    /// Lines have at most 998 bytes.
    private static func isHeaderField(_ field: String) -> Bool {
        guard let colon = field.utf8.firstIndex(of: UInt8(ascii: ":")), colon != field.utf8.startIndex,
            field.utf8[..<colon].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return false }
        var rest = Array(field.utf8)[...]
        var column = 0
        while let byte = rest.popFirst() {
            column += 1
            switch byte {
            case 0x0D:
                guard rest.popFirst() == 0x0A, let next = rest.first, next == 0x20 || next == 0x09 else { return false }
                column = 0
            case 0x09: break
            case 0..<0x20, 0x7F: return false
            default: break
            }
            guard column <= 998 else { return false }
        }
        return true
    }
}
