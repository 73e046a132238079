internal import Server

extension Command {
    /// `latchkey outbox`: shows the e-mails in the outbox, or makes one due again.
    static let outbox = Command(
        name: "outbox",
        summary: "Show waiting and sent e-mails; retry one",
        content: .commands([listMails, showMail, retryMail])
    )

    private static let mailStates = ["waiting", "sent", "failed", "moot"]

    private static let listMails = Command(
        name: "list",
        summary: "Show the e-mails, the newest first",
        options: [
            Option(
                name: "state",
                value: "STATE",
                help: "Show only e-mails that are 'waiting', 'sent', 'failed' or 'moot' (no longer needed when due)."
            ),
            Option(name: "limit", value: "NUMBER", help: "The maximum number of e-mails, up to 1000.", fallback: "200"),
            Option(name: "page", value: "TOKEN", help: "The 'nextPage' of an earlier output, for older e-mails."),
        ] + Option.operating + [.json],
        examples: ["latchkey outbox list --state failed"],
        content: .body { invocation in
            let state = invocation.value("state")
            guard state.map(mailStates.contains) ?? true else {
                throw invocation.usage("--state must be one of \(mailStates.joined(separator: ", ")).")
            }
            let context = OperatorContext(invocation)
            let page = invocation.value("page"), limit = try invocation.number("limit", in: 1...1000) ?? 200
            let mails = try operating(context) { try $0.outbox(state: state, page: page, limit: limit) }
            let lines = mails.items.isEmpty ? ["No e-mails."] : mails.items.map(line)
            try context.print(mails, lines: lines + (mails.nextPage.map { ["Older e-mails: --page \($0)"] } ?? []))
        }
    )

    private static let showMail = Command(
        name: "show",
        summary: "Show one e-mail: its attempts, answers and next attempt",
        discussion: "Never shows the text of an e-mail, because it contains a sign-in link.",
        arguments: [mailID],
        options: Option.operating + [.json],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let id = try invocation.required("ID")
            let mail = try operating(context) { try $0.mail(id) }
            try context.print(mail, lines: [line(mail)])
        }
    )

    private static let retryMail = Command(
        name: "retry",
        summary: "Retry a waiting e-mail now",
        discussion: """
            After a mail server says that an address does not exist, Latchkey sends nothing to this address for 30 days. \
            Retrying an e-mail that failed for this reason ends the pause: the next e-mail to the address is sent.
            """,
        arguments: [mailID],
        options: Option.changing + [.json],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let id = try invocation.required("ID")
            let line =
                switch try operating(context, { try $0.retryMail(id) }) {
                case .due: "The e-mail is due now; a running server sends it at once."
                case .mailboxReleased:
                    "This e-mail cannot be retried, but its address gets e-mails again. Ask the user to request a new one."
                }
            try context.print(["id": id], lines: [line])
        }
    )

    private static let mailID = Argument(name: "ID", help: "The e-mail's ID from 'latchkey outbox list'.")

    private static func line(_ mail: OutboxReport) -> String {
        var line = "\(mail.id)  \(mail.kind)  \(mail.state)  queued \(mail.queuedAt)  attempts \(mail.attempts)"
        if let dueAt = mail.dueAt { line += "  next \(dueAt)" }
        if let reason = mail.reason { line += "\n    \(reason)" }
        return line
    }
}
