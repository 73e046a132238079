internal import Server

extension Command {
    /// `latchkey database`: copies everything to another database, or checks the integrity of one.
    static let database = Command(
        name: "database",
        summary: "Copy a database to another one; check its integrity",
        content: .commands([copyDatabase, checkDatabase])
    )

    private static let copyDatabase = Command(
        name: "copy",
        summary: "Copy everything to another database, of either engine",
        discussion: """
            Copies a snapshot of all of Latchkey's tables, reads it back, and compares counts and checksums before any \
            client can see the copy. If the copy fails or is interrupted, the target is unchanged, and you can repeat \
            the command. The source is not changed.

            Stop the servers first. The copy lacks what they write after it began, and waiting e-mails would be sent \
            twice: by the servers on the source and by those on the copy. Start the servers on the copy with the same \
            secret. Your own tables are not copied; they are named at the end.

            The target must be empty, or a file that does not exist. Every user of the machine can see a password in a \
            URL; put it into ~/.pgpass, where libpq reads it. If you omit --from or --to, the command uses the \
            configured database.
            """,
        options: [
            Option(name: "from", value: "URL", help: "The source: sqlite:PATH or postgresql://HOST/NAME."),
            Option(name: "to", value: "URL", help: "The target, in the same form."),
            Option(name: "force", help: "Delete Latchkey's data in the target first."),
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
                    "Give --from, --to or both; the configured database stands for the one you omit."
                )
            }
            let context = OperatorContext(invocation)
            let rate = WorkRate()
            let report = try watched(context) { show in
                try DatabaseMove.copy(
                    from: source,
                    to: target,
                    replacing: invocation.isOn("force"),
                    file: context.configurationFile,
                    environment: context.settings,
                    progress: { show(text($0, rate)) }
                )
            }
            try context.print(report, lines: lines(report))
        }
    )

    private static let checkDatabase = Command(
        name: "check",
        summary: "Check the database's integrity",
        discussion: """
            Checks that every UID that was ever issued belongs to a user, was merged or was deleted, that the owner of \
            every row exists, that references are valid, and that sums are correct. Lists each violation. The exit \
            status is 0 if there is none, 1 if there is one, and 3 if the database cannot be reached.

            Reads a snapshot of all of Latchkey's tables, changes nothing, and may run beside servers.
            """,
        options: Option.operating + [.json],
        examples: ["latchkey database check --database sqlite:/var/lib/latchkey/latchkey.db"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let report = try watched(context) { show in
                try DatabaseCheck.run(
                    file: context.configurationFile,
                    environment: context.settings,
                    progress: { show("Checking for \($0)") }
                )
            }
            let rows = report.tables.reduce(0) { $0 + $1.rows }
            try context.print(
                report,
                lines: ["Checked \(report.tables.count) tables with \(rows) rows."]
                    + (report.findings.isEmpty ? ["No problems found."] : report.findings.map(line))
            )
            guard report.findings.isEmpty else {
                throw Failure(
                    "The database has the problems listed above.",
                    next: [
                        "Restore an earlier backup, or repair the rows with SQL while no server runs; see docs/operations.md."
                    ],
                    code: "findings"
                )
            }
        }
    )

    /// Runs long work, and shows its progress on one line if standard error is a terminal.
    private static func watched<Report>(
        _ context: OperatorContext,
        _ body: (_ show: (String) -> Void) throws -> Report
    ) throws -> Report {
        var line = StatusLine(context.terminal)
        defer { line.clear() }
        do {
            return try body { line.show($0) }
        } catch {
            throw Failure(operating: error)
        }
    }

    private static func text(_ progress: DatabaseMove.Progress, _ rate: WorkRate) -> String {
        switch progress {
        case .copying(let table, let rows, let total):
            "\(rows) of \(total) rows, \(total > 0 ? rows * 100 / total : 100) %, "
                + "\(rate.text(count: Int(rows), share: total > 0 ? Double(rows) / Double(total) : nil)): \(table)"
        case .comparing(let table): "Comparing \(table)"
        }
    }

    private static func lines(_ report: DatabaseCopyReport) -> [String] {
        var lines = [
            "Copied \(report.tables.count) tables with \(report.rows) rows; counts and checksums match.",
            "Start the servers on the copy with the secret of the source.",
        ]
        if !report.leftOut.isEmpty {
            let names = report.leftOut.map(Terminal.plain).joined(separator: ", ")
            lines.append("Your own tables were not copied: \(names).")
        }
        switch report.sourceChanged {
        case true: lines.append("The source changed meanwhile: the copy lacks what was written after it began.")
        case nil: lines.append("The source cannot be reached any more, so it may have changed meanwhile.")
        default: break
        }
        return lines
    }

    private static func line(_ finding: DatabaseCheckReport.Finding) -> String {
        let more = finding.count > finding.examples.count ? ", …" : ""
        return "\(finding.count) \(finding.what) [\(finding.rule)]\n  "
            + finding.examples.map(Terminal.plain).joined(separator: ", ") + more
    }
}
