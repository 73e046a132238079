internal import Server

extension Command {
    /// `latchkey users`: shows, disables, enables, exports and deletes users, and resolves contested accounts.
    static let users = Command(
        name: "users",
        summary: "Find, show, disable, export and delete users",
        content: .commands([
            findUsers, listUsers, showUser, disableUser, enableUser, resolveUser, exportUser, deleteUser,
        ])
    )

    private static let listUsers = Command(
        name: "list",
        summary: "Show users, in the order of their UIDs",
        options: [
            Option(name: "limit", value: "NUMBER", help: "The maximum number of users, up to 1000.", fallback: "50"),
            Option(name: "after", value: "UID", help: "Start after this UID."),
        ] + Option.operating + [.json],
        examples: ["latchkey users list", "latchkey users list --limit 1000 --json"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let limit = try invocation.number("limit", in: 1...1000) ?? 50
            let users = try operating(context) { try $0.users(after: invocation.value("after"), limit: limit) }
            let more = users.nextPage.map { ["More users: --after \($0)"] } ?? []
            try context.print(users, lines: users.items.isEmpty ? ["No users."] : users.items.map(line) + more)
        }
    )

    private static let kinds = ["guests", "permanent", "disabled", "contested"]

    private static let findUsers = Command(
        name: "find",
        summary: "Find users by the beginning of what they have",
        discussion:
            "Finds users whose UID, e-mail address, username or subject at an identity provider begins with TEXT.",
        arguments: [
            Argument(name: "TEXT", help: "The beginning; the case of addresses and usernames does not matter.")
        ],
        options: [
            Option(
                name: "kind",
                value: "KIND",
                help: "Find only users who are 'guests', 'permanent', 'disabled' or 'contested'."
            ),
            Option(name: "limit", value: "NUMBER", help: "The maximum number of users, up to 1000.", fallback: "50"),
            Option(name: "page", value: "TOKEN", help: "The 'nextPage' of an earlier output, for further users."),
        ] + Option.operating + [.json],
        examples: ["latchkey users find ann@", "latchkey users find ann --kind disabled --json"],
        content: .body { invocation in
            let kind = invocation.value("kind")
            guard kind.map(kinds.contains) ?? true else {
                throw invocation.usage("--kind must be one of \(kinds.joined(separator: ", ")).")
            }
            let limit = try invocation.number("limit", in: 1...1000) ?? 50
            let context = OperatorContext(invocation), text = try invocation.required("TEXT")
            let page = try operating(context) { op in
                try op.findUsers(text, filter: kind, page: invocation.value("page"), limit: limit)
            }
            let more = page.nextPage.map { ["More users: --page \($0)"] } ?? []
            try context.print(page, lines: (page.items.isEmpty ? ["No users."] : page.items.map(line)) + more)
        }
    )

    private static let showUser = user(
        "show",
        "Show a user: address, sign-in methods, sessions, times",
        options: Option.operating
    ) { name, invocation in
        let context = OperatorContext(invocation)
        let user = try operating(context) { try $0.user($0.uid(of: name)) }
        try context.print(user, lines: details(user))
    }

    private static let disableUser = user(
        "disable",
        "Disable a user: end all sessions and refuse sign-in"
    ) { name, invocation in
        let context = OperatorContext(invocation)
        let uid = try operating(context) { try $0.setDisabled(true, name) }
        try context.print(["uid": uid], lines: ["\(uid) is disabled; all sessions have ended."])
    }

    private static let enableUser = user("enable", "Let a disabled user sign in again") { name, invocation in
        let context = OperatorContext(invocation)
        let uid = try operating(context) { try $0.setDisabled(false, name) }
        try context.print(["uid": uid], lines: ["\(uid) can sign in again."])
    }

    private static let resolveUser = Command(
        name: "resolve",
        summary: "Decide which address keeps a contested account",
        arguments: [Argument(name: "UID", help: "The user.")],
        options: [
            Option(
                name: "keep",
                value: "ADDRESS",
                help:
                    "new: the current address keeps the account. old: the address that objected gets it back, all "
                    + "sessions end, and all linked providers are removed."
            )
        ] + [.yes] + Option.changing + [.json],
        examples: ["latchkey users resolve 5Wm3nZk1 --keep new"],
        content: .body { invocation in
            guard let kept = invocation.value("keep"), ["new", "old"].contains(kept) else {
                throw invocation.usage("--keep must be new or old.")
            }
            let context = OperatorContext(invocation)
            let uid = try invocation.required("UID")
            let user = try operating(context) { try $0.user(uid) }
            if let old = user.contestedBy {
                try invocation.confirm(
                    kept == "old"
                        ? "This gives \(uid) back to \(old), ends all sessions, and removes all linked providers. It "
                            + "cannot be undone."
                        : "This leaves \(uid) to \(user.email ?? "no address"), and \(old) can no longer take it back. "
                            + "It cannot be undone."
                )
            }
            let email = try operating(context) { try $0.resolve(uid, keepsOldAddress: kept == "old") }
            try context.print(
                ["uid": uid, "email": email ?? ""],
                lines: ["\(uid) belongs to \(email ?? "no address") and is no longer contested."]
            )
        }
    )

    /// Declares a command about one user, whom it finds by UID, e-mail address or username.
    private static func user(
        _ name: String,
        _ summary: String,
        options: [Option] = Option.changing,
        _ body: @escaping @Sendable (_ user: String, Invocation) throws -> Void
    ) -> Command {
        Command(
            name: name,
            summary: summary,
            arguments: [Argument(name: "USER", help: "The user: a UID, an e-mail address or a username.")],
            options: options + [.json],
            content: .body { invocation in try body(try invocation.required("USER"), invocation) }
        )
    }

    private static func line(_ user: UserReport) -> String {
        let marks = [
            user.isAdministrator ? "administrator" : nil,
            user.contestedAt != nil ? "contested" : user.isDisabled ? "disabled" : nil,
        ].compactMap(\.self)
        return ([user.uid, user.email ?? (user.isAnonymous ? "guest" : "–"), "since \(user.createdAt)"] + marks)
            .joined(separator: "  ")
    }

    private static func details(_ user: UserReport) -> [String] {
        [
            "UID          \(user.uid)",
            "Username     \(user.username ?? "none")",
            "Address      \(user.email ?? "none")\(user.email != nil && !user.emailVerified ? " (not confirmed)" : "")",
            "Kind         \(user.isAnonymous ? "guest" : "permanent")\(user.isDisabled ? ", disabled" : "")"
                + (user.isAdministrator ? ", administrator" : ""),
            "Signs in by  \(user.providers.isEmpty ? "nothing" : user.providers.joined(separator: ", "))",
            "Created      \(user.createdAt)",
            "Last sign-in \(user.lastLoginAt)",
            "Last seen    \(user.lastRefreshAt)",
        ] + (user.contestedAt.map { ["Contested    since \($0) by \(user.contestedBy ?? "an old address")"] } ?? [])
            + (user.sessions ?? []).map { session in
                "Session      \(Terminal.plain(session.device.isEmpty ? "unknown device" : session.device)), "
                    + (session.network.map { "network \($0), " } ?? "")
                    + "since \(session.createdAt), last used \(session.lastUsedAt)  \(session.id)"
            }
    }
}
