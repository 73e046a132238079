extension Command {
    /// What `latchkey mail test` is told.
    struct MailTestArguments: Sendable {
        /// Where the mail goes.
        let address: String
    }

    /// `latchkey mail`: sends a mail, telling each step.
    static func mail(test: @escaping OperatorBody<MailTestArguments>) -> Command {
        Command(
            name: "mail",
            summary: "Try the mail configuration",
            content: .commands([
                Command(
                    name: "test",
                    summary: "Send a test mail, and show how it goes",
                    discussion: """
                        Uses the configured SMTP server, once, at once, past the outbox. Shows what that server \
                        answered, and exits with status 1 when it did not take the mail.
                        """,
                    arguments: [Argument(name: "ADDRESS", help: "Where the mail goes.")],
                    options: [
                        .config,
                        Option(
                            name: "mail-from",
                            value: "ADDRESS",
                            help: "The sender.",
                            environment: "LATCHKEY_MAIL_FROM"
                        ),
                        .json,
                    ],
                    examples: ["latchkey mail test you@example.com"],
                    content: .body { invocation in
                        let arguments = MailTestArguments(address: try invocation.required("ADDRESS"))
                        try await test(arguments, OperatorContext(invocation))
                    }
                )
            ])
        )
    }
}
