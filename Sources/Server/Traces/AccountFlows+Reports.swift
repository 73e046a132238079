internal import Accounts
internal import Mail
internal import Transfer

extension AccountFlows {
    /// Returns what a mail server's report (RFC 3464) says about failed deliveries of e-mails of this server.
    ///
    /// - Parameter message: the report; outside input.
    /// - Returns: one item for each recipient that failed; empty for anything that is no report, or whose Message-ID is
    ///   not one that this server made (``messageProof(of:)``).
    func bounces(in message: [UInt8]) throws -> [Bounce] {
        guard let report = DeliveryReport(parsing: message) else { return [] }
        let ids = report.messageIDs.compactMap { MessageID(parsing: $0) }
        guard let id = try ids.first(where: { try isMessageProof($0.proof, of: $0.mail) }) else { return [] }
        return report.recipients.filter { $0.action == "failed" && !$0.status.isEmpty }.map { recipient in
            bounce(id.mail, recipient.status, recipient.addresses, recipient.diagnosis)
        }
    }

    /// Describes a failed delivery, without addresses in the mail server's words.
    ///
    /// - Parameters:
    ///   - mail: the identifier of the e-mail.
    ///   - status: the status of RFC 3463.
    ///   - addresses: the recipient's addresses, the one that this server used first.
    ///   - diagnosis: the mail server's words.
    func bounce(_ mail: String, _ status: String, _ addresses: [String], _ diagnosis: String?) -> Bounce {
        Bounce(
            mail: mail,
            recipient: addresses.lazy.compactMap { try? EmailAddress(parsing: $0) }.first,
            status: status,
            diagnosis: diagnosis.map { words in
                let printable = String(
                    decoding: words.utf8.map { (0x20...0x7E).contains($0) ? $0 : 0x20 },
                    as: UTF8.self
                )
                // The empty one replaces the addresses of others, too.
                return (addresses + [""]).reduce(printable) { SMTPReply.withoutAddresses($0, of: $1) }
            }
        )
    }
}
