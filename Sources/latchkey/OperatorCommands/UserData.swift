internal import Server

extension Command {
    /// `latchkey users export`: writes all data of one user.
    static let exportUser = Command(
        name: "export",
        summary: "Write all data of one user",
        discussion: """
            Writes JSON: profile, sign-in methods, sessions, merges, mail trace, audit log, rows of your own tables, \
            and documents. It has no secrets and no data of other users. docs/user-data.md describes its members. The \
            audit log records the export.
            """,
        arguments: [
            Argument(name: "USER", help: "The user: a UID, an e-mail address or a username."),
            Argument(
                name: "FILE",
                help: "The file to create, with mode 0600; without it, or with '-', the output is standard output.",
                isOptional: true
            ),
        ],
        options: [Option(name: "force", help: "Replace FILE if it exists.")] + Option.changing + [.json],
        examples: [
            "latchkey users export ann@example.com ann.json", "latchkey users export ann@example.com | jq .user",
        ],
        content: .body { invocation in
            let name = try invocation.required("USER"), path = invocation.arguments["FILE"] ?? "-"
            if path == "-", invocation.isJSON {
                throw invocation.usage("--json needs a FILE, because without one the output is the export itself.")
            }
            let context = OperatorContext(invocation)
            var file = try LargeOutput(path, replacing: invocation.isOn("force"))
            let uid = try operating(context) { op in try op.exportUser(name) { try file.write($0) } }
            try file.finish()
            guard path != "-" else { return }
            try context.print(["uid": uid, "file": path], lines: ["Wrote all data of \(uid) to \(path)."])
        }
    )

    /// `latchkey users delete`: erases one user.
    static let deleteUser = Command(
        name: "delete",
        summary: "Erase a user and everything that belongs to them",
        discussion: """
            Deletes the user with sessions, sign-in methods, documents and the rows of your own tables that depend on \
            the user; and what Latchkey keeps of their requests: tickets, links, e-mails, mail trace, merge reports, \
            counters and suppressions. Prints a receipt, which the audit log keeps.

            The UID stays in 'former_users', so that it is not given to another user by chance, and in the audit log. \
            Backups and your own logs keep what they have. docs/user-data.md says how long each kind of data is kept.
            """,
        arguments: [Argument(name: "USER", help: "The user: a UID, an e-mail address or a username.")],
        options: [Option(name: "dry-run", help: "Delete nothing; show what would be deleted."), .yes]
            + Option.changing + [.json],
        examples: ["latchkey users delete ann@example.com --dry-run", "latchkey users delete ann@example.com"],
        content: .body { invocation in
            let context = OperatorContext(invocation), name = try invocation.required("USER")
            let user = try operating(context) { try $0.user($0.uid(of: name)) }
            let holder = user.email ?? (user.isAnonymous ? "a guest" : "a user without an address")
            if invocation.isOn("dry-run") {
                let receipt = try operating(context) { try $0.eraseUser(user.uid, isDryRun: true) }
                return try context.print(
                    receipt,
                    lines: ["Would delete \(receipt.uid) (\(holder)) with: \(counts(receipt)). Nothing has changed."]
                )
            }
            try invocation.confirm(
                "This deletes \(user.uid) (\(holder)) and all data of this user. It cannot be undone."
            )
            let receipt = try operating(context) { try $0.eraseUser(user.uid, isDryRun: false) }
            try context.print(
                receipt,
                lines: [
                    "\(receipt.uid) is deleted.", "Time     \(receipt.at)", "Actor    \(receipt.actor)",
                    "Removed  \(counts(receipt))", "Stays    \(receipt.stays.joined(separator: "; "))",
                ]
            )
        }
    )

    private static func counts(_ receipt: ErasureReceipt) -> String {
        receipt.removed.isEmpty
            ? "nothing beside the user"
            : receipt.removed.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
