import Mail
import Testing

@Suite("Sender of e-mails")
struct MailSenderTests {
    @Test(
        arguments: [
            ("app@example.org", nil, "app@example.org", "example.org"),
            ("<app@example.org>", nil, "app@example.org", "example.org"),
            ("Notes <app@example.org>", "Notes", "app@example.org", "example.org"),
            ("  My Notes   < app@Example.ORG > ", "My Notes", "app@example.org", "example.org"),
            ("\"Notes, \\\"Inc.\\\"\" <app@example.org>", "Notes, \"Inc.\"", "app@example.org", "example.org"),
            ("Größe <app@bücher.example>", "Größe", "app@xn--bcher-kva.example", "xn--bcher-kva.example"),
        ] as [(String, String?, String, String)]
    )
    func `a sender is a name and an address, or an address`(
        _ text: String,
        _ name: String?,
        _ address: String,
        _ domain: String
    ) throws {
        let sender = try MailSender(parsing: text)
        #expect(sender.displayName?.text == name)
        #expect(sender.address == address)
        #expect(sender.domain == domain)
    }

    @Test(arguments: [
        "", "Notes", "Notes <>", "Notes <app@example.org", "Notes app@example.org>", "Notes <a@b@c>",
        "No\r\ntes <app@example.org>", "Notes\u{0} <app@example.org>", "Notes <app@example.org\r\nBcc: x@y.z>",
    ])
    func `anything else is refused`(_ text: String) {
        #expect(throws: MailSender.Invalid.self) { try MailSender(parsing: text) }
    }
}
