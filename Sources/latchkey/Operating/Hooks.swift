extension Command {
    /// What `latchkey hooks list` is told.
    struct HooksListArguments: Sendable {
        /// `waiting`, `delivered`, `failed` or `asked`; `nil` for all.
        let state: String?
    }

    /// What a command about one message is told.
    struct HookMessageArguments: Sendable {
        /// The message's id.
        let id: String
    }

    /// `latchkey hooks`.
    ///
    /// - Parameters:
    ///   - list: Shows the messages to hooks.
    ///   - retry: Has a message tried again at once.
    /// - Returns: The group of commands.
    static func hooks(
        list: @escaping OperatorBody<HooksListArguments>,
        retry: @escaping OperatorBody<HookMessageArguments>
    ) -> Command {
        Command(
            name: "hooks",
            summary: "Show messages to hooks, and try them again",
            content: .commands([listMessages(list), retryMessage(retry)])
        )
    }

    private static let messageStates = ["waiting", "delivered", "failed", "asked"]

    private static func listMessages(_ body: @escaping OperatorBody<HooksListArguments>) -> Command {
        Command(
            name: "list",
            summary: "Show the messages, the newest first",
            options: [
                Option(
                    name: "state",
                    value: "STATE",
                    help: "Only those 'waiting', 'delivered', 'failed' or 'asked': before a merge, right now."
                )
            ] + Option.operating + [.json],
            examples: ["latchkey hooks list --state failed"],
            content: .body { invocation in
                let state = invocation.value("state")
                guard state.map(messageStates.contains) ?? true else {
                    throw invocation.usage("--state is one of \(messageStates.joined(separator: ", ")).")
                }
                try await body(HooksListArguments(state: state), OperatorContext(invocation))
            }
        )
    }

    private static func retryMessage(_ body: @escaping OperatorBody<HookMessageArguments>) -> Command {
        Command(
            name: "retry",
            summary: "Try a message again at once",
            discussion: "Also one that was given up, after three days without an answer.",
            arguments: [Argument(name: "ID", help: "The message, as 'latchkey hooks list' names it.")],
            options: Option.operating + [.json],
            content: .body { invocation in
                try await body(HookMessageArguments(id: invocation.required("ID")), OperatorContext(invocation))
            }
        )
    }
}
