internal import Server

extension Command {
    /// `latchkey mail`: sends a test e-mail through the configured mail server.
    static let mail = Command(
        name: "mail",
        summary: "Test the mail configuration",
        content: .commands([testMail])
    )

    private static let testMail = Command(
        name: "test",
        summary: "Send a test e-mail and show the result",
        discussion: """
            Sends one e-mail directly through the configured SMTP server, without the outbox. Shows the dialogue with \
            the server without the password, and how the connection is encrypted. Exits with status 1 if the server \
            did not accept the e-mail, and says what to do.
            """,
        arguments: [Argument(name: "ADDRESS", help: "The address to send to.")],
        options: [
            .config,
            Option(name: "mail-from", value: "ADDRESS", help: "The sender.", environment: "LATCHKEY_MAIL_FROM"),
            .json,
        ],
        examples: ["latchkey mail test you@example.com"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let address = try invocation.required("ADDRESS")
            let report: MailTestReport
            do {
                report = try await MailTest.send(
                    to: address,
                    file: context.configurationFile,
                    environment: context.settings
                )
            } catch {
                throw Failure(operating: error)
            }
            let dialogue = report.dialogue.map { "  " + Terminal.plain($0) }
            let encryption = report.tls.map { "encrypted with \($0)" } ?? "in clear text"
            let end =
                report.accepted ? ["\(report.server) accepted the e-mail, \(encryption): \(report.answer)"] : []
            try context.print(report, lines: dialogue + end)
            guard report.accepted else {
                throw Failure(
                    "\(report.server) did not accept the e-mail: \(report.answer)",
                    next: report.advice.map { [$0] } ?? [],
                    code: "mail-refused"
                )
            }
        }
    )
}
