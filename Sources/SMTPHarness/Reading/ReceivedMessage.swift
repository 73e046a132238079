/// An e-mail prepared for people: subject, addresses, text, HTML, links (RFC 5322, RFC 2045–2047).
///
/// Parsing never fails, however broken the message is: content that cannot be decoded is shown as well as possible.
/// Work and memory are limited by the size of the message, and by fixed limits for fields, parts and links.
///
///     let mail = ReceivedMessage(raw: message.raw)
///     print(mail.subject, mail.links.first ?? "no link")
package struct ReceivedMessage: Sendable, Equatable {
    /// The header fields in their order, unfolded, encoded words not yet decoded.
    package let headers: [HeaderField]
    /// The parts that are not multiparts themselves, in order, at most 200; a message without MIME has one.
    package let parts: [MessagePart]

    /// Reads a message.
    ///
    /// - Parameter raw: the message as it came, header and body.
    package init(raw: [UInt8]) {
        let (headers, body) = HeaderField.read(raw[...])
        self.headers = headers
        var parts: [MessagePart] = []
        MessagePart.collect(headers: headers, body: body, depth: 0, into: &parts)
        self.parts = parts
    }

    /// The first value of a header field, decoded for people.
    ///
    /// - Parameter name: the field's name, in any case.
    /// - Returns: the value without encoded words (RFC 2047) and control characters; nil when there is none.
    package func header(_ name: String) -> String? {
        headers.first(named: name).map { DisplayText.clean(EncodedWords.decode($0)) }
    }

    /// The subject, empty when there is none.
    package var subject: String { header("Subject") ?? "" }
    /// The sender that the message claims, from the field `From`; empty when there is none.
    package var from: String { header("From") ?? "" }
    /// The recipients that the message claims, from the field `To`, which may differ from the envelope; empty when
    /// there are none.
    ///
    /// A single address is returned without its angle brackets, as mail programs show it.
    package var to: String {
        let to = header("To") ?? ""
        guard to.hasPrefix("<"), to.hasSuffix(">"), !to.dropFirst().contains("<") else { return to }
        return String(to.dropFirst().dropLast())
    }
    /// The value of the field `Date` as it was written; empty when there is none.
    package var date: String { header("Date") ?? "" }
    /// The value of the field `Message-ID`, with its angle brackets; empty when there is none.
    package var messageID: String { header("Message-ID") ?? "" }

    /// The text of the first plain text part that is not an attachment, with LF line ends; nil when there is none.
    package var text: String? { parts.first { $0.isText("plain") }?.text }
    /// The text of the first HTML part that is not an attachment, with LF line ends; nil when there is none.
    package var html: String? { parts.first { $0.isText("html") }?.text }
    /// Parts with a file name, or marked as attachments.
    package var attachments: [MessagePart] { parts.filter(\.isAttachment) }

    /// The http and https links in the text part, each once, in order.
    package var links: [String] { text.map(LinkFinder.links(in:)) ?? [] }
}
