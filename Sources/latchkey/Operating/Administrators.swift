extension Command {
    /// `latchkey admin`.
    ///
    /// - Parameters:
    ///   - list: Shows the administrators.
    ///   - add: Makes a user one.
    ///   - remove: The reverse.
    /// - Returns: The group of commands.
    static func administrators(
        list: @escaping OperatorBody<Void>,
        add: @escaping OperatorBody<UserArguments>,
        remove: @escaping OperatorBody<UserArguments>
    ) -> Command {
        Command(
            name: "admin",
            summary: "Say which users are administrators",
            discussion: """
                The list is kept in the database, never in a token's claims. Calls for administrators take the adminKey, \
                or the ID token of an administrator who signed in within 15 minutes. How an administrator signs in \
                changes only by the adminKey, on the admin listener, or by this command line.
                """,
            content: .commands([
                Command(
                    name: "list",
                    summary: "Show the administrators",
                    options: Option.operating + [.json],
                    content: .body { invocation in
                        try await list((), OperatorContext(invocation))
                    }
                ),
                administrator("add", "Make a user an administrator", add),
                administrator("remove", "Make an administrator an ordinary user", remove),
            ])
        )
    }

    private static func administrator(
        _ name: String,
        _ summary: String,
        _ body: @escaping OperatorBody<UserArguments>
    ) -> Command {
        Command(
            name: name,
            summary: summary,
            arguments: [Argument(name: "UID", help: "The user; 'latchkey whoami' shows your own.")],
            options: Option.operating + [.json],
            content: .body { invocation in
                try await body(UserArguments(uid: invocation.required("UID")), OperatorContext(invocation))
            }
        )
    }
}
