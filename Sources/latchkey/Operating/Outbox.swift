extension Command {
    /// What `latchkey outbox list` is told.
    struct OutboxListArguments: Sendable {
        /// `waiting`, `sent`, `failed` or `moot`; `nil` for all.
        let state: String?
    }

    /// What a command about one mail is told.
    struct MailArguments: Sendable {
        /// The mail's id in the outbox.
        let id: String
    }

    /// `latchkey outbox`.
    ///
    /// - Parameters:
    ///   - list: Shows the mails.
    ///   - show: Shows one mail's history.
    ///   - retry: Has a mail tried again at once.
    /// - Returns: The group of commands.
    static func outbox(
        list: @escaping OperatorBody<OutboxListArguments>,
        show: @escaping OperatorBody<MailArguments>,
        retry: @escaping OperatorBody<MailArguments>
    ) -> Command {
        Command(
            name: "outbox",
            summary: "Show mails on their way, and try them again",
            content: .commands([listMails(list), showMail(show), retryMail(retry)])
        )
    }

    private static let mailStates = ["waiting", "sent", "failed", "moot"]

    private static func listMails(_ body: @escaping OperatorBody<OutboxListArguments>) -> Command {
        Command(
            name: "list",
            summary: "Show the mails, the newest first",
            options: [
                Option(
                    name: "state",
                    value: "STATE",
                    help: "Only those 'waiting', 'sent', 'failed' or 'moot': no longer needed when their turn came."
                )
            ] + Option.operating + [.json],
            examples: ["latchkey outbox list --state failed"],
            content: .body { invocation in
                let state = invocation.value("state")
                guard state.map(mailStates.contains) ?? true else {
                    throw invocation.usage("--state is one of waiting, sent, failed, moot.")
                }
                try await body(OutboxListArguments(state: state), OperatorContext(invocation))
            }
        )
    }

    private static func showMail(_ body: @escaping OperatorBody<MailArguments>) -> Command {
        Command(
            name: "show",
            summary: "Show one mail: its attempts, answers and next try",
            discussion: "The text of a mail is never shown: it holds a link that signs in.",
            arguments: [mailID],
            options: Option.operating + [.json],
            content: .body { invocation in
                try await body(MailArguments(id: invocation.required("ID")), OperatorContext(invocation))
            }
        )
    }

    private static func retryMail(_ body: @escaping OperatorBody<MailArguments>) -> Command {
        Command(
            name: "retry",
            summary: "Try a waiting mail again at once",
            discussion: """
                Nothing is sent for a day to an address that the mail server said does not exist. Retrying a mail that \
                failed for this reason ends that day: the next mail to the address is sent again.
                """,
            arguments: [mailID],
            options: Option.operating + [.json],
            content: .body { invocation in
                try await body(MailArguments(id: invocation.required("ID")), OperatorContext(invocation))
            }
        )
    }

    private static let mailID = Argument(name: "ID", help: "The mail, as 'latchkey outbox list' names it.")
}
