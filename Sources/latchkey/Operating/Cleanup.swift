extension Command {
    /// What `latchkey cleanup` is told.
    struct CleanupArguments: Sendable {
        enum Action: String, Sendable, CaseIterable {
            case on, off, status, now
        }

        let action: Action
        /// Whether to tell only whom a sweep would remove.
        let isDryRun: Bool
        /// Days until a guest goes.
        let days: Int64?
        /// What they are counted from: `creation` or `lastUse`.
        let since: String?
    }

    /// `latchkey cleanup`: removes guests after a time.
    static func cleanup(_ body: @escaping OperatorBody<CleanupArguments>) -> Command {
        Command(
            name: "cleanup",
            summary: "Remove guests whose time is over; switch that on or off",
            discussion: """
                Without a word it removes the guests whose time is over, at once; a running server does so every few \
                seconds. \
                Rows in tables of your own that do not go with their user keep a guest; their tables are named.

                'on' gives each guest its time: 30 days from its creation, and for those that exist already from now. \
                'off' gives none to new guests; whoever has one goes all the same. A guest that links an address stays for \
                good. 'status' shows how many there are and how many go; with --days, how many would.
                """,
            arguments: [Argument(name: "ACTION", help: "'on', 'off' or 'status'.", isOptional: true)],
            options: [
                Option(name: "dry-run", help: "Remove nobody; tell who would go."),
                Option(name: "days", value: "NUMBER", help: "Days until a guest goes, 1 to 3650.", fallback: "30"),
                Option(
                    name: "since",
                    value: "START",
                    help: "Count them from 'creation' or 'lastUse'.",
                    fallback: "creation"
                ),
            ] + Option.operating + [.json],
            examples: [
                "latchkey cleanup status --days 30", "latchkey cleanup on --days 60 --since lastUse",
                "latchkey cleanup --dry-run",
            ],
            content: .body { invocation in
                try await body(try arguments(invocation), OperatorContext(invocation))
            }
        )
    }

    private static func arguments(_ invocation: Invocation) throws -> CleanupArguments {
        let word = invocation[argument: "ACTION"] ?? "now"
        guard let action = CleanupArguments.Action(rawValue: word) else {
            throw invocation.usage("ACTION is one of on, off, status, not '\(word)'.")
        }
        let since = invocation.value("since")
        guard since.map(["creation", "lastUse"].contains) ?? true else {
            throw invocation.usage("--since is one of creation, lastUse.")
        }
        let isDryRun = invocation.isOn("dry-run")
        if isDryRun, action != .now { throw invocation.usage("--dry-run goes without '\(word)'.") }
        let days = try invocation.number("days", in: 1...3650).map(Int64.init)
        if action == .now || action == .off, days != nil || since != nil {
            throw invocation.usage("--days and --since go with 'on' or 'status'.")
        }
        return CleanupArguments(action: action, isDryRun: isDryRun, days: days, since: since)
    }
}
