internal import Server

extension Command {
    /// `latchkey hooks`: lists the messages to hooks, or makes one due again.
    static let hooks = Command(
        name: "hooks",
        summary: "Show and retry messages to hooks",
        content: .commands([listMessages, retryMessage])
    )

    private static let messageStates = ["waiting", "delivered", "failed", "asked"]

    private static let listMessages = Command(
        name: "list",
        summary: "Show the messages, the newest first",
        options: [
            Option(
                name: "state",
                value: "STATE",
                help:
                    "Show only messages that are 'waiting', 'delivered', 'failed' or 'asked' (a merge waits for the answer)."
            ),
            Option(
                name: "limit",
                value: "NUMBER",
                help: "The maximum number of messages, up to 1000.",
                fallback: "200"
            ),
            Option(name: "page", value: "TOKEN", help: "The 'nextPage' of an earlier output, for older messages."),
        ] + Option.operating + [.json],
        examples: ["latchkey hooks list --state failed"],
        content: .body { invocation in
            let state = invocation.value("state")
            guard state.map(messageStates.contains) ?? true else {
                throw invocation.usage("--state must be one of \(messageStates.joined(separator: ", ")).")
            }
            let context = OperatorContext(invocation)
            let page = invocation.value("page"), limit = try invocation.number("limit", in: 1...1000) ?? 200
            let messages = try operating(context) { try $0.hookMessages(state: state, page: page, limit: limit) }
            let lines = messages.items.isEmpty ? ["No messages."] : messages.items.map(line)
            let older = messages.nextPage.map { ["Older messages: --page \($0)"] } ?? []
            try context.print(messages, lines: lines + older)
        }
    )

    private static let retryMessage = Command(
        name: "retry",
        summary: "Retry a message now",
        discussion: "Also retries a message that failed after three days without an answer.",
        arguments: [Argument(name: "ID", help: "The message's ID from 'latchkey hooks list'.")],
        options: Option.changing + [.json],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let id = try invocation.required("ID")
            try operating(context) { try $0.retryHookMessage(id) }
            try context.print(["id": id], lines: ["The message is due now; a running server sends it at once."])
        }
    )

    private static func line(_ message: HookMessageReport) -> String {
        var line = "\(message.id)  \(message.hook)  \(message.event)  \(message.state)  queued \(message.queuedAt)"
        line += "  attempts \(message.attempts)"
        if let mergeID = message.mergeID { line += "  merge \(mergeID)" }
        if let dueAt = message.dueAt { line += "  next \(dueAt)" }
        if let reason = message.reason { line += "\n    \(reason)" }
        return line
    }
}
