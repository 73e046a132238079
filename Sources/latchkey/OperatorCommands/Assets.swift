internal import Server

extension Command {
    /// `latchkey assets`: shows which of the operator's own tables follow a merge, and problems with them.
    static let assets = Command(
        name: "assets",
        summary: "Show which of your tables a merge changes",
        content: .commands([scanAssets])
    )

    private static let scanAssets = Command(
        name: "scan",
        summary: "List your tables that refer to users, and their problems",
        discussion: """
            When a guest is merged into an account, the guest's rows move in every table that has a foreign key to \
            users, and in the tables that sqlAssets.tables names. Rows are counted up to a million.
            """,
        options: Option.operating + [.json],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let report = try operating(context) { try $0.scanAssets() }
            let lines = report.columns.map(line) + report.problems.map(line)
            try context.print(report, lines: lines.isEmpty ? ["None of your tables refers to users."] : lines)
        }
    )

    private static func line(_ column: AssetReport.Column) -> String {
        var parts = ["\(Terminal.plain(column.table)).\(Terminal.plain(column.column))", column.policy]
        if let onDelete = column.onDelete { parts.append("on delete \(onDelete.lowercased())") }
        if let through = column.through { parts.append("through \(Terminal.plain(through))") }
        parts.append("\(column.rows)\(column.hasMoreRows ? " or more" : "") \(column.rows == 1 ? "row" : "rows")")
        if column.holds == "id" { parts.append("by number") }
        if !column.isIndexed { parts.append("no index: each merge reads the whole table") }
        return parts.joined(separator: "  ")
    }

    private static func line(_ problem: AssetReport.Problem) -> String {
        "\(Terminal.plain(problem.table))  \(problem.isBlocking ? "stops every merge" : "is left alone"): "
            + Terminal.plain(problem.reason)
    }
}
