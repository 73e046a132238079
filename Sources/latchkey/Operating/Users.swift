extension Command {
    /// What `latchkey users list` is told.
    struct UsersListArguments: Sendable {
        /// How many at most.
        let limit: Int
        /// Only those after this UID, in the order of UIDs.
        let after: String?
    }

    /// What a command about one user is told.
    struct UserArguments: Sendable {
        /// The user.
        let uid: String
    }

    /// What `latchkey users resolve` is told.
    struct ResolveArguments: Sendable {
        /// The user.
        let uid: String
        /// Whether the address that objected keeps the account.
        let keepsOldAddress: Bool
    }

    /// `latchkey users`.
    ///
    /// - Parameters:
    ///   - list: Shows many.
    ///   - show: Shows one.
    ///   - disable: Keeps one from signing in.
    ///   - enable: The reverse.
    ///   - resolve: Ends the contest about one.
    ///   - delete: Deletes one.
    /// - Returns: The group of commands.
    static func users(
        list: @escaping OperatorBody<UsersListArguments>,
        show: @escaping OperatorBody<UserArguments>,
        disable: @escaping OperatorBody<UserArguments>,
        enable: @escaping OperatorBody<UserArguments>,
        resolve: @escaping OperatorBody<ResolveArguments>,
        delete: @escaping OperatorBody<UserArguments>
    ) -> Command {
        Command(
            name: "users",
            summary: "Show, disable and delete users",
            content: .commands([
                listUsers(list),
                user("show", "Show a user: address, ways in, sessions", show),
                user("disable", "End a user's sessions and let them sign in no more", disable),
                user("enable", "Let a disabled user sign in again", enable),
                resolveUser(resolve),
                user("delete", "Delete a user and all that belongs to it, for good", delete),
            ])
        )
    }

    private static func listUsers(_ body: @escaping OperatorBody<UsersListArguments>) -> Command {
        Command(
            name: "list",
            summary: "Show users, in the order of their UIDs",
            options: [
                Option(name: "limit", value: "NUMBER", help: "How many at most, up to 1000.", fallback: "50"),
                Option(name: "after", value: "UID", help: "Go on after this one."),
            ] + Option.operating + [.json],
            examples: ["latchkey users list", "latchkey users list --limit 1000 --json"],
            content: .body { invocation in
                let arguments = UsersListArguments(
                    limit: try invocation.number("limit", in: 1...1000) ?? 50,
                    after: invocation.value("after")
                )
                try await body(arguments, OperatorContext(invocation))
            }
        )
    }

    private static func resolveUser(_ body: @escaping OperatorBody<ResolveArguments>) -> Command {
        Command(
            name: "resolve",
            summary: "Decide which address keeps a contested account",
            arguments: [Argument(name: "UID", help: "The user.")],
            options: [
                Option(
                    name: "keep",
                    value: "ADDRESS",
                    help:
                        "new: the present address keeps the account. old: the address that objected gets it back; all "
                        + "sessions end and all linked providers are removed."
                )
            ] + Option.operating + [.json],
            examples: ["latchkey users resolve 5Wm3nZk1 --keep new"],
            content: .body { invocation in
                guard let kept = invocation.value("keep"), ["new", "old"].contains(kept) else {
                    throw invocation.usage("--keep is one of new, old.")
                }
                let arguments = ResolveArguments(uid: try invocation.required("UID"), keepsOldAddress: kept == "old")
                try await body(arguments, OperatorContext(invocation))
            }
        )
    }

    private static func user(_ name: String, _ summary: String, _ body: @escaping OperatorBody<UserArguments>)
        -> Command
    {
        Command(
            name: name,
            summary: summary,
            arguments: [Argument(name: "UID", help: "The user.")],
            options: Option.operating + [.json],
            content: .body { invocation in
                try await body(UserArguments(uid: invocation.required("UID")), OperatorContext(invocation))
            }
        )
    }
}
