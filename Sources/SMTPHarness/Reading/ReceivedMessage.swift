/// A mail as a person wants to see it: subject, addresses, text, HTML, links (RFC 5322, RFC 2045–2047).
///
/// Made to show what arrived, however broken: it never fails, and what cannot be decoded is shown as well as can be. Work and
/// memory are bounded by the size of the message and the limits below.
///
///     let mail = ReceivedMessage(raw: message.raw)
///     print(mail.subject, mail.links.first ?? "no link")
package struct ReceivedMessage: Sendable, Equatable {
    /// The header fields in their order, unfolded, encoded words not yet decoded.
    package let headers: [HeaderField]
    /// Every part that is no multipart itself, in order; a message without MIME has one.
    package let parts: [MessagePart]

    /// Reads a message.
    ///
    /// - Parameter raw: The message as it came, header and body.
    package init(raw: [UInt8]) {
        let (headers, body) = HeaderField.read(raw[...])
        self.headers = headers
        var parts: [MessagePart] = []
        MessagePart.collect(headers: headers, body: body, depth: 0, into: &parts)
        self.parts = parts
    }

    /// The first value of a header field, decoded for people.
    ///
    /// - Parameter name: The field's name, in any case.
    /// - Returns: The value without encoded words (RFC 2047) and control characters; nil when there is none.
    package func header(_ name: String) -> String? {
        headers.first(named: name).map { DisplayText.clean(EncodedWords.decode($0)) }
    }

    /// The subject, empty when there is none.
    package var subject: String { header("Subject") ?? "" }
    /// Who it says it is from.
    package var from: String { header("From") ?? "" }
    /// Whom it says it is to; the envelope may differ.
    ///
    /// A lone address comes without its angle brackets, as mail programs show it.
    package var to: String {
        let to = header("To") ?? ""
        guard to.hasPrefix("<"), to.hasSuffix(">"), !to.dropFirst().contains("<") else { return to }
        return String(to.dropFirst().dropLast())
    }
    /// The date as it was written.
    package var date: String { header("Date") ?? "" }
    /// The message's name for itself, with its angle brackets.
    package var messageID: String { header("Message-ID") ?? "" }

    /// The first plain text part that is no attachment, with LF line ends.
    package var text: String? { parts.first { $0.isText("plain") }?.text }
    /// The first HTML part that is no attachment.
    package var html: String? { parts.first { $0.isText("html") }?.text }
    /// Parts with a file name, or marked as attachments.
    package var attachments: [MessagePart] { parts.filter(\.isAttachment) }

    /// The http and https links in the text part, each once, in order.
    package var links: [String] { text.map(LinkFinder.links(in:)) ?? [] }
}
