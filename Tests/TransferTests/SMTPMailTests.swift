import Testing
import Transfer

@Suite("E-mails for SMTP")
struct SMTPMailTests {
    @Test(arguments: [
        "Subject: a\nBcc: x@y.z", "Subject: a\r\nBcc: x@y.z", "Subject: a\rBcc: x", "Subject: a\u{0}b", "Subject",
        ": a", "Sub ject: a", "Subject: a\r\n", "Subject: " + String(repeating: "a", count: 1000), "Subject: a\u{7F}",
    ])
    func `a header that breaks its line is refused`(_ header: String) {
        #expect(throws: TransferError.self) { try Self.mail(headers: [header]) }
    }

    @Test
    func `a folded header is taken`() throws {
        _ = try Self.mail(headers: ["Subject: a\r\n b\r\n\tc"])
    }

    @Test(arguments: [
        "", "a", "@b", "a@", "a@b\r\nRCPT TO:<c@d>", "a@b> SIZE=1", "<a@b", "a\u{0}@b",
        String(repeating: "a", count: 320) + "@b",
    ])
    func `an address that could leave its command is refused`(_ address: String) {
        #expect(throws: TransferError.self) { try Self.mail(recipients: [address]) }
        #expect(throws: TransferError.self) { try Self.mail(sender: address) }
    }

    @Test
    func `a mail without recipients is refused`() {
        #expect(throws: TransferError.self) { try Self.mail(recipients: []) }
    }

    static func mail(
        sender: String = "app@example.org",
        recipients: [String] = ["you@example.org"],
        headers: [String] = ["Subject: Hello", "MIME-Version: 1.0"],
        text: String = "Hello\n",
        html: String = "<p>Hello</p>\n"
    ) throws(TransferError) -> SMTPMail {
        try SMTPMail(sender: sender, recipients: recipients, headers: headers, text: text, html: html)
    }
}
