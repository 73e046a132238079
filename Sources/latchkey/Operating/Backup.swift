extension Command {
    /// What `latchkey backup` is told.
    struct BackupArguments: Sendable {
        /// The copy to make.
        let file: String
        /// Whether an existing file is replaced.
        let isForced: Bool
    }

    /// `latchkey backup`: makes the copy.
    static func backup(_ body: @escaping OperatorBody<BackupArguments>) -> Command {
        Command(
            name: "backup",
            summary: "Copy the database, also while the server runs",
            discussion: """
                The copy is consistent and complete: everything that was acknowledged before the command began is in \
                it. It is worth nothing without the server's secret, which is not in it; keep both, apart. For SQLite: a \
                PostgreSQL server makes its own backups, with pg_dump and pg_basebackup.
                """,
            arguments: [Argument(name: "FILE", help: "The copy to make, with mode 0600.")],
            options: [Option(name: "force", help: "Replace FILE when it exists.")] + Option.operating + [.json],
            examples: ["latchkey backup /var/backups/latchkey.db"],
            content: .body { invocation in
                let arguments = BackupArguments(
                    file: try invocation.required("FILE"),
                    isForced: invocation.isOn("force")
                )
                try await body(arguments, OperatorContext(invocation))
            }
        )
    }
}
