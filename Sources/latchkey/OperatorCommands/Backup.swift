internal import Server

extension Command {
    /// `latchkey backup`: copies a SQLite database to a file, also while a server uses it.
    static let backup = Command(
        name: "backup",
        summary: "Back up the database, also while the server runs",
        discussion: """
            The copy is consistent and contains everything that the server acknowledged before the command started. It \
            is useless without the server's secret, which it does not contain: keep both, in different places. For \
            SQLite only: back up a PostgreSQL database with pg_dump or pg_basebackup.
            """,
        arguments: [Argument(name: "FILE", help: "The file to create, with mode 0600.")],
        options: [Option(name: "force", help: "Replace FILE if it exists.")] + Option.operating + [.json],
        examples: ["latchkey backup /var/backups/latchkey.db"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let file = try invocation.required("FILE")
            try operating(context) { try $0.backUp(to: file, replacing: invocation.isOn("force")) }
            try context.print(["file": file], lines: ["Copied the database to \(file)."])
        }
    )
}
