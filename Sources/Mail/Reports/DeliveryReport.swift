/// A report of a mail server about an e-mail that it could not deliver, or not yet (RFC 3464).
///
/// A report is outside input that anybody can send. It proves nothing but what its Message-ID proves.
package struct DeliveryReport: Sendable, Equatable {
    /// What a report says about one recipient (RFC 3464 section 2.3).
    package struct Recipient: Sendable, Equatable {
        /// `failed`, `delayed`, `delivered`, `relayed` or `expanded`, in lower case.
        package let action: String
        /// The status of RFC 3463, such as `5.1.1`; empty if the report gives none.
        package let status: String
        /// The address that the sender used, where the report says so, and the one that was tried last.
        package let addresses: [String]
        /// The mail server's words; `nil` if there are none.
        package let diagnosis: String?
    }

    /// The Message-IDs of the e-mail that the report is about, as its headers give them.
    package let messageIDs: [String]
    package let recipients: [Recipient]

    /// The maximum number of bytes that are examined; the headers of the e-mail come well before.
    private static let mostBytes = 1 << 20
    private static let mostParts = 20
    private static let mostRecipients = 20

    /// Parses a message; `nil` if it is no `multipart/report` about a delivery, or does not name an e-mail.
    package init?(parsing bytes: [UInt8]) {
        let message = MessagePart(bytes.prefix(Self.mostBytes))
        guard message.type == "multipart/report", let parts = message.parts(atMost: Self.mostParts) else { return nil }
        var ids: [String] = []
        var recipients: [Recipient] = []
        for part in parts {
            switch part.type {
            case "message/delivery-status", "message/global-delivery-status":
                recipients += Self.recipients(in: part.lines)
            case "message/rfc822", "message/global", "text/rfc822-headers", "message/rfc822-headers",
                "message/global-headers":
                ids += MessagePart.fields(of: part.lines).all("message-id")
            default: break
            }
        }
        guard !ids.isEmpty, !recipients.isEmpty else { return nil }
        messageIDs = Array(ids.prefix(4))
        self.recipients = Array(recipients.prefix(Self.mostRecipients))
    }

    /// Parses the groups of fields, separated by empty lines, that describe one recipient each; the group about the
    /// whole message has no action.
    private static func recipients(in lines: [String]) -> [Recipient] {
        lines.split(whereSeparator: \.isEmpty).prefix(mostRecipients + 1).compactMap { group in
            let fields = MessagePart.fields(of: Array(group))
            guard let action = fields.all("action").first else { return nil }
            let named = fields.all("original-recipient") + fields.all("final-recipient")
            return Recipient(
                action: action.lowercased(),
                status: fields.all("status").first.map(status) ?? "",
                addresses: named.compactMap(afterType),
                diagnosis: fields.all("diagnostic-code").first.flatMap(afterType).map { String($0.prefix(500)) }
            )
        }
    }

    /// Returns the status without a comment after it; empty if it is none.
    private static func status(_ text: String) -> String {
        let status = String(text.prefix { $0 != " " && $0 != "(" })
        return isStatus(status) ? status : ""
    }

    /// Whether a text is a status of RFC 3463, such as `5.1.1`.
    package static func isStatus(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 && ["2", "4", "5"].contains(parts[0])
            && parts.allSatisfy { (1...3).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }

    /// Returns what follows the type of an address or a diagnosis, such as `rfc822;` or `smtp;`.
    private static func afterType(_ text: String) -> String? {
        guard let semicolon = text.firstIndex(of: ";") else { return nil }
        return text[text.index(after: semicolon)...].trimmingSpaces
    }
}
