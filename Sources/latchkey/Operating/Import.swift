extension Command {
    /// What `latchkey import firebase` is told.
    struct ImportArguments: Sendable {
        /// A path, or `-` for standard input.
        let file: String
        /// Whether users who are here already are replaced.
        let replaces: Bool
        /// Whether users without a credential are permanent.
        let isPermanent: Bool
    }

    /// `latchkey import`.
    ///
    /// - Parameter firebase: Imports users of a project at Firebase.
    /// - Returns: The group of commands.
    static func importing(firebase: @escaping OperatorBody<ImportArguments>) -> Command {
        Command(
            name: "import",
            summary: "Take over users from elsewhere",
            content: .commands([importFirebase(firebase)])
        )
    }

    private static func importFirebase(_ body: @escaping OperatorBody<ImportArguments>) -> Command {
        Command(
            name: "firebase",
            summary: "Import what 'firebase auth:export' wrote",
            discussion: """
                Users keep their UIDs, identity providers, claims and times. Password hashes and phone numbers are left \
                behind, and the report says of how many users; whoever had a password signs in by a mailed link. Nobody \
                becomes an administrator by a claim, and hooks hear nothing of it.

                Users without any credential are guests, whose time for clean-up begins now. Those of custom tokens look \
                the same in an export: --permanent keeps all of them for good.

                It may be repeated, and run beside a server: users who are here already stay as they are, and those who \
                were deleted here since stay away, unless --overwrite is given. Where a file is cut off, all that comes \
                before is imported, and the status is 1, as it is where users were not imported.
                """,
            arguments: [Argument(name: "FILE", help: "The export, JSON or CSV; '-' reads standard input.")],
            options: [
                Option(
                    name: "overwrite",
                    help: "Replace users who are here already, which ends their sessions, and bring back deleted ones."
                ),
                Option(name: "permanent", help: "Take no user for a guest."),
            ] + Option.operating + [.json],
            examples: ["latchkey import firebase users.json", "latchkey import firebase users.csv --permanent"],
            content: .body { invocation in
                let arguments = ImportArguments(
                    file: try invocation.required("FILE"),
                    replaces: invocation.isOn("overwrite"),
                    isPermanent: invocation.isOn("permanent")
                )
                try await body(arguments, OperatorContext(invocation))
            }
        )
    }
}
