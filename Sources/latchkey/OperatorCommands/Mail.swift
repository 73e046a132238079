internal import Server

extension Command {
    /// `latchkey mail`: sends a test e-mail, records reports of failed deliveries, and allows addresses again.
    static let mail = Command(
        name: "mail",
        summary: "Test the mail configuration; record bounces; allow an address",
        content: .commands([testMail, bounceMail, allowMail])
    )

    private static let bounceMail = Command(
        name: "bounce",
        summary: "Record a report of a failed delivery from standard input",
        discussion: """
            Reads one report (RFC 3464), as a mail server sends it to the sender of an e-mail. Records it in the trace. \
            If it says that there is no such mailbox (5.1.x), the address gets no e-mail for 30 days. Everything else \
            is ignored with status 0: a message that is no report, and a report without the Message-ID of an e-mail of \
            this server. If the report cannot be recorded now, the status is 75, so that Postfix tries again.
            """,
        options: Option.operating + [.json],
        examples: ["latchkey mail bounce --json"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let bounces: [BounceReport]
            do {
                let message = try InputFile.read("-", upTo: 1 << 20)
                bounces = try operating(context) { try $0.recordBounce(message) }
            } catch let failure as Failure {
                throw Failure(failure.message, next: failure.next, code: failure.code, status: 75)
            }
            let lines = bounces.map { "\($0.mail)  \($0.status)  \(outcome($0))" }
            try context.print(
                ["items": bounces],
                lines: lines.isEmpty ? ["Ignored: this is no report about an e-mail of this server."] : lines
            )
        }
    )

    private static func outcome(_ bounce: BounceReport) -> String {
        switch bounce.outcome {
        case "suppressed": "recorded; the address gets no e-mail for 30 days"
        case "repeated": "recorded before"
        case "unknown": "too old: the trace no longer has this e-mail"
        default: "recorded"
        }
    }

    private static let allowMail = Command(
        name: "allow",
        summary: "Send e-mails again to an address reported as nonexistent",
        discussion: """
            After a mail server says that an address does not exist, Latchkey sends nothing to this address for 30 days. \
            This command ends the pause.
            """,
        arguments: [Argument(name: "ADDRESS", help: "The address.")],
        options: Option.changing + [.json],
        examples: ["latchkey mail allow ann@example.com"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let address = try invocation.required("ADDRESS")
            let allowed = try operating(context) { try $0.allowMails(to: address) }
            try context.print(
                allowed,
                lines: [
                    allowed.wasSuppressed
                        ? "\(allowed.address) gets e-mails again. Ask the user to request a new one."
                        : "\(allowed.address) was not paused, so nothing has changed. To see what became of its e-mails, run: "
                            + "latchkey trace \(allowed.address.shellArgument)"
                ]
            )
        }
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
