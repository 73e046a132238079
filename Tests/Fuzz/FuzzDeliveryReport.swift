internal import Mail

/// A report of a failed delivery that contains anything: what is read from it stays within its limits.
func fuzzDeliveryReport(_ bytes: [UInt8]) {
    guard let report = DeliveryReport(parsing: bytes) else { return }
    claim(!report.messageIDs.isEmpty && !report.recipients.isEmpty, "a report names no e-mail or no recipient")
    for recipient in report.recipients {
        claim(recipient.status.isEmpty || DeliveryReport.isStatus(recipient.status), "a status is none")
        claim((recipient.diagnosis?.count ?? 0) <= 500, "a diagnosis is too long")
    }
    for text in report.messageIDs {
        guard let id = MessageID(parsing: text) else { continue }
        claim(MessageID(parsing: id.text(domain: "example.org")) == id, "a Message-ID changes")
    }
}
