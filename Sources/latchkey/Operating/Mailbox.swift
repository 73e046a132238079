extension Command {
    /// What `latchkey mailbox` is told.
    struct MailboxArguments: Sendable {
        /// Address and port for SMTP.
        let listen: String
    }

    /// `latchkey mailbox`: runs the SMTP server until it is told to stop.
    static func mailbox(_ body: @escaping OperatorBody<MailboxArguments>) -> Command {
        Command(
            name: "mailbox",
            summary: "Run only the mailbox: an SMTP server that keeps its mails",
            discussion: """
                For trying mails without sending any: takes whatever is sent to it, keeps it in memory, and prints a \
                line for each. In development mode 'latchkey serve' runs one by itself.
                """,
            options: [
                Option(
                    name: "listen",
                    value: "ADDRESS",
                    help: "Address and port for SMTP; a loopback address.",
                    fallback: "127.0.0.1:1025"
                ),
                .json,
            ],
            examples: ["latchkey mailbox", "latchkey mailbox --listen 127.0.0.1:2525"],
            content: .body { invocation in
                let arguments = MailboxArguments(listen: invocation.value("listen") ?? "127.0.0.1:1025")
                try await body(arguments, OperatorContext(invocation))
            }
        )
    }
}
