internal import Server

extension Command {
    static let database = database(check: { _, context in
        var line = StatusLine(context.terminal)
        let report: DatabaseCheckReport
        do {
            report = try DatabaseCheck.run(
                file: context.configurationFile,
                environment: context.settings,
                progress: { line.show("Looking for \($0)") }
            )
        } catch {
            line.clear()
            throw Failure(operating: error)
        }
        line.clear()
        let rows = report.tables.reduce(0) { $0 + $1.rows }
        try context.print(
            report,
            lines: ["Looked through \(report.tables.count) tables with \(rows) rows."] + report.findings.map(Self.line)
        )
        guard report.findings.isEmpty else {
            throw Failure("The database holds what it must not.", code: "findings")
        }
        if !context.isJSON { context.terminal.print("Nothing is wrong.") }
    })

    private static func line(_ finding: DatabaseCheckReport.Finding) -> String {
        let more = finding.count > finding.examples.count ? ", …" : ""
        return "\(finding.count) \(finding.what) [\(finding.rule)]\n  "
            + finding.examples.map(Terminal.plain).joined(separator: ", ") + more
    }
}
