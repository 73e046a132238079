/// One mail as the server gets it: envelope, header lines, and a body in two forms.
package struct SMTPMail: Sendable, Equatable {
    /// The envelope's sender, an address whose domain is ASCII.
    package let sender: String
    /// The envelope's recipients, addresses whose domains are ASCII.
    package let recipients: [String]
    /// The header lines, encoded and folded, without Content-Type and without the last CR LF.
    package let headers: [String]
    package let text: String
    package let html: String

    /// Checks what must hold whoever composed it: no line can be smuggled into envelope or header.
    ///
    /// - Throws: `TransferError` of kind `invalid`, which repeats nothing of the mail.
    package init(
        sender: String,
        recipients: [String],
        headers: [String],
        text: String,
        html: String
    ) throws(TransferError) {
        guard !recipients.isEmpty, (recipients + [sender]).allSatisfy(Self.isEnvelopeAddress) else {
            throw TransferError(.invalid, "an address that no envelope can carry")
        }
        guard headers.allSatisfy(Self.isHeaderField) else {
            throw TransferError(.invalid, "a header that breaks its line")
        }
        self.sender = sender
        self.recipients = recipients
        self.headers = headers
        self.text = text
        self.html = html
    }

    /// Whether an address of the envelope needs RFC 6531.
    var needsSMTPUTF8: Bool {
        (recipients + [sender]).contains { $0.utf8.contains { $0 >= 0x80 } }
    }

    /// RFC 5321 section 4.1.2, as far as it protects the command line: something on both sides of an @, no controls,
    /// no angle brackets, at most 320 bytes.
    private static func isEnvelopeAddress(_ address: String) -> Bool {
        guard let at = address.utf8.lastIndex(of: UInt8(ascii: "@")) else { return false }
        return at != address.utf8.startIndex && address.utf8.index(after: at) != address.utf8.endIndex
            && address.utf8.count <= 320
            && address.utf8.allSatisfy {
                $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">")
            }
    }

    /// RFC 5322 section 2.2: a printable name, a colon, and a body whose only line ends are folds; lines of at most 998.
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
