internal import Server

extension Command {
    static let importing = importing { arguments, context in
        var file = try LargeInput(arguments.file)
        var line = ProgressLine(context, size: file.size)
        let report = try operating(context, makesDatabase: true) { op in
            try op.importUsers(
                replaces: arguments.replaces,
                takesGuests: !arguments.isPermanent,
                read: { try file.read() },
                progress: { line.show($0) }
            )
        }
        line.clear()
        try context.print(report, lines: lines(report))
        if let stop = report.stopped {
            throw Failure(
                "The import stopped: \(stop.reason).",
                next: [
                    report.read > 0
                        ? "What came before it is imported. The import may be repeated with the whole file."
                        : "Give the file that 'firebase auth:export' wrote, JSON or CSV; nothing is imported."
                ],
                code: "stopped"
            )
        }
        if report.refusals > 0 {
            throw Failure("\(users(report.refusals)) not imported.", code: "refused-users")
        }
    }

    private static func lines(_ report: ImportReport) -> [String] {
        let guests = report.guests > 0 ? "; \(report.guests) of them guests" : ""
        var lines = ["Read \(users(report.read)), imported \(report.created)\(guests)."]
        if report.replaced > 0 { lines.append("Replaced \(users(report.replaced)).") }
        if report.kept > 0 { lines.append("Left \(users(report.kept)) unchanged, here already.") }
        if report.gone > 0 { lines.append("Left out \(users(report.gone)), deleted or merged here since.") }
        if report.withoutWayIn > 0 {
            lines.append("\(users(report.withoutWayIn)) without address or provider: they have no way in.")
        }
        lines += report.dropped.map { "Dropped: \($0.what) of \(users($0.users)) – \($0.reason)." }
        for refused in report.refused {
            lines.append("Not imported: \(users(refused.users)) – \(Terminal.plain(refused.reason))")
            let more = refused.users > refused.examples.count ? ", …" : ""
            lines.append("  " + refused.examples.map(Terminal.plain).joined(separator: ", ") + more)
        }
        return lines
    }

    private static func users(_ count: Int) -> String { count == 1 ? "1 user" : "\(count) users" }

    static let export = export { arguments, context in
        var file = try LargeOutput(arguments.file, replacing: arguments.isForced)
        var line = ProgressLine(context, size: nil)
        let count = try operating(context) { op in
            try op.exportUsers(write: { try file.write($0) }, progress: { line.show($0) })
        }
        try file.finish()
        line.clear()
        // Standard output is the file itself.
        guard arguments.file != "-" else { return }
        try context.print(
            ExportReport(file: arguments.file, users: count),
            lines: ["Wrote \(users(count)) to \(arguments.file)."]
        )
    }
}

/// What an export came to.
private struct ExportReport: Encodable {
    let file: String
    let users: Int
}

/// How far an import or an export is, for somebody who watches.
private struct ProgressLine {
    private var line: StatusLine
    private let size: Int?
    private let begun = ContinuousClock.now

    init(_ context: OperatorContext, size: Int?) {
        line = StatusLine(context.terminal)
        self.size = size
    }

    mutating func show(_ progress: TransferProgress) {
        let milliseconds = max(Int((ContinuousClock.now - begun) / .milliseconds(1)), 1)
        let share = size.map { $0 > 0 ? ", \(progress.bytes * 100 / $0) %" : "" } ?? ""
        line.show("\(progress.users) users\(share), \(progress.users * 1000 / milliseconds) a second")
    }

    func clear() { line.clear() }
}
