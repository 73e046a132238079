internal import Server

extension Command {
    static let database = database(
        copy: { arguments, context in
            let report = try watched(context) { show in
                try DatabaseMove.copy(
                    from: arguments.source,
                    to: arguments.target,
                    replacing: arguments.replaces,
                    file: context.configurationFile,
                    environment: context.settings,
                    progress: { show(text($0)) }
                )
            }
            try context.print(report, lines: lines(report))
        },
        check: { _, context in
            let report = try watched(context) { show in
                try DatabaseCheck.run(
                    file: context.configurationFile,
                    environment: context.settings,
                    progress: { show("Looking for \($0)") }
                )
            }
            let rows = report.tables.reduce(0) { $0 + $1.rows }
            try context.print(
                report,
                lines: ["Looked through \(report.tables.count) tables with \(rows) rows."]
                    + (report.findings.isEmpty ? ["Nothing is wrong."] : report.findings.map(line))
            )
            guard report.findings.isEmpty else {
                throw Failure(
                    "The database holds what it must not.",
                    next: [
                        "Restore a backup from before, or mend the rows by SQL while no server runs; see docs/operations.md."
                    ],
                    code: "findings"
                )
            }
        }
    )

    /// Does something long, with a line for whoever watches.
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

    private static func text(_ progress: DatabaseMove.Progress) -> String {
        switch progress {
        case .copying(let table, let rows, let total):
            "\(rows) of \(total) rows, \(total > 0 ? rows * 100 / total : 100) %: \(table)"
        case .comparing(let table): "Comparing \(table)"
        }
    }

    private static func lines(_ report: DatabaseCopyReport) -> [String] {
        var lines = [
            "Copied \(report.tables.count) tables with \(report.rows) rows; counts and checksums agree.",
            "Start the servers on the copy with the secret of the source.",
        ]
        if !report.leftOut.isEmpty {
            let names = report.leftOut.map(Terminal.plain).joined(separator: ", ")
            lines.append("Tables of yours are not copied: \(names).")
        }
        switch report.sourceChanged {
        case true: lines.append("The source was written to meanwhile: what came after the copy began is not in it.")
        case nil: lines.append("The source is away now, so nobody knows whether it was written to meanwhile.")
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
