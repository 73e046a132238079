extension Command {
    /// What `latchkey database copy` is told.
    struct CopyArguments: Sendable {
        /// A database's URL; `nil` for the configured one.
        let source: String?
        /// Another one's.
        let target: String?
        /// Whether what is in the target may go.
        let replaces: Bool
    }

    /// `latchkey database`.
    ///
    /// - Parameters:
    ///   - copy: Copies everything to another database.
    ///   - check: Looks for what must not be.
    /// - Returns: The group of commands.
    static func database(
        copy: @escaping OperatorBody<CopyArguments>,
        check: @escaping OperatorBody<Void>
    ) -> Command {
        Command(
            name: "database",
            summary: "Move to another database; check one as a whole",
            content: .commands([copyDatabase(copy), checkDatabase(check)])
        )
    }

    private static func copyDatabase(_ body: @escaping OperatorBody<CopyArguments>) -> Command {
        Command(
            name: "copy",
            summary: "Copy everything to another database, of either engine",
            discussion: """
                Copies all tables of Latchkey's as they are at one moment, reads them back, and compares counts and \
                checksums before anybody sees the copy. Where it fails, or is cut off, the target is as it was, and it may \
                be repeated. The source is not changed.

                Stop the servers first: what they write after the copy began is not in it, and mails that wait would be \
                sent by those on the source and those on the copy. Start them on the copy with the same secret. \
                Tables of your own are not copied; they are named at the end.

                The target must be empty, or a file that is not there. A password in a URL is seen by everybody on the \
                machine: libpq reads it from ~/.pgpass, and --from or --to may be left out for the configured database.
                """,
            options: [
                Option(name: "from", value: "URL", help: "The source: sqlite:PATH or postgresql://HOST/NAME."),
                Option(name: "to", value: "URL", help: "The target, likewise."),
                Option(name: "force", help: "Remove what Latchkey has in the target."),
                .config, .json,
            ],
            examples: [
                "latchkey database copy --from sqlite:latchkey.db --to postgresql://db/latchkey",
                "latchkey database copy --to sqlite:copy.db --config latchkey.json5",
            ],
            content: .body { invocation in
                let source = invocation.value("from"), target = invocation.value("to")
                guard source != nil || target != nil else {
                    throw invocation.usage(
                        "Give --from or --to, or both: where there is one, the other is the configured one."
                    )
                }
                let arguments = CopyArguments(source: source, target: target, replaces: invocation.isOn("force"))
                try await body(arguments, OperatorContext(invocation))
            }
        )
    }

    private static func checkDatabase(_ body: @escaping OperatorBody<Void>) -> Command {
        Command(
            name: "check",
            summary: "Look for what no database may hold",
            discussion: """
                Each UID that ever was belongs to a user, was merged into another, or was deleted; everything that \
                belongs to somebody has an owner; references lead somewhere, and sums are right. Whatever is not so is \
                listed, and the status is 1: 0 says that nothing is wrong, 3 that the database cannot be reached.

                It reads every table of Latchkey's as it is at one moment, changes nothing, and may run beside servers.
                """,
            options: Option.operating + [.json],
            examples: ["latchkey database check --database sqlite:/var/lib/latchkey/latchkey.db"],
            content: .body { invocation in
                try await body((), OperatorContext(invocation))
            }
        )
    }
}
