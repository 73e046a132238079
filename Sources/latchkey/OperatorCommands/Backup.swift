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

            With --keep, PATH is a folder for the backups of this database alone. The command creates a file there that \
            is named after the time in UTC, and then deletes the oldest backups. If the new backup fails, for example \
            because the disk is full, all old ones are kept.
            """,
        arguments: [
            Argument(name: "PATH", help: "The file to create, with mode 0600; with --keep the folder for it.")
        ],
        options: [
            Option(name: "keep", value: "N", help: "Create a file in the folder PATH, and keep the N newest."),
            Option(name: "force", help: "Replace the file PATH if it exists."),
        ] + Option.operating + [.json],
        examples: ["latchkey backup /var/backups/latchkey.db", "latchkey backup --keep 14 /var/backups/latchkey"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let path = try invocation.required("PATH")
            guard let count = try invocation.number("keep", in: 1...10_000) else {
                try operating(context) { try $0.backUp(to: path, replacing: invocation.isOn("force")) }
                return try context.print(["file": path], lines: ["Copied the database to \(path)."])
            }
            if invocation.isOn("force") {
                throw invocation.usage("--force replaces a file, and --keep creates a new one each time.")
            }
            let report = try operating(context) { try $0.backUp(toFolder: path, keeping: count) }
            let removed = report.removed.isEmpty ? "" : ", and deleted \(report.removed.count)"
            try context.print(
                report,
                lines: [
                    "Copied the database to \(report.file).",
                    "The folder has \(report.kept.count) of at most \(count) backups\(removed).",
                ]
            )
        }
    )

    /// `latchkey restore`: puts a backup in the place of a SQLite database.
    static let restore = Command(
        name: "restore",
        summary: "Replace the database by a backup",
        discussion: """
            Checks first that FILE is an undamaged backup, of this or an earlier version and of the configured secret. \
            Then it replaces the configured database by a copy of FILE. The previous database is kept beside it, under \
            a name that the command prints. If a check fails, nothing is changed.

            Stop the server first. The command refuses to replace a database that is in use. Everything that was \
            stored after the backup is missing afterwards. For SQLite only: docs/scaling.md says how to restore a \
            PostgreSQL database.
            """,
        arguments: [Argument(name: "FILE", help: "A file that 'latchkey backup' created.")],
        options: Option.operating + [.json],
        examples: ["latchkey restore /var/backups/latchkey/latchkey-20261124T020000Z.db"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let file = try invocation.required("FILE")
            let report: RestoreReport
            do {
                report = try DatabaseRestore.run(
                    from: file,
                    file: context.configurationFile,
                    environment: context.settings
                )
            } catch {
                throw Failure(operating: error)
            }
            var lines = ["Restored \(report.file) with \(report.users) users to \(report.database)."]
            if let kept = report.kept { lines.append("The previous database is now \(kept).") }
            lines.append("Start the server with the secret of that time.")
            try context.print(report, lines: lines)
        }
    )
}
