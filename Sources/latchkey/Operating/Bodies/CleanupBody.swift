internal import Server
internal import Synchronization

extension Command {
    static let cleanup = cleanup { arguments, context in
        switch arguments.action {
        case .status:
            let report = try operating(context) { try $0.cleanup(days: arguments.days, since: arguments.since) }
            try context.print(report, lines: lines(report, supposed: arguments.days))
        case .on, .off:
            let report = try operating(context) { op in
                try op.changeCleanup(isOn: arguments.action == .on, days: arguments.days, since: arguments.since)
            }
            try context.print(report, lines: lines(report, supposed: nil))
        case .now where arguments.isDryRun:
            let report = try operating(context) { try $0.cleanup() }
            try context.print(
                report,
                lines: ["\(guests(report.leaving.now)) would go."] + blocked(report.blocked)
            )
        case .now:
            let report = try await sweep(context)
            var lines = ["Removed \(guests(Int64(report.removed)))."]
            if report.scheduled > 0 { lines.append("Gave \(guests(Int64(report.scheduled))) a time to go.") }
            if report.postponed > 0 {
                lines.append("Put off \(guests(Int64(report.postponed))): in use, or signing in.")
            }
            try context.print(report, lines: lines + blocked(report.blocked.mapValues(Int64.init)))
        }
    }

    /// Sweeps, with a line of progress now and then for a person.
    private static func sweep(_ context: OperatorContext) async throws -> SweepReport {
        let progress = Progress(terminal: context.isJSON ? nil : context.terminal)
        do {
            let op = try Operator(file: context.configurationFile, environment: context.settings)
            defer { op.close() }
            return try await op.sweep { progress.note($0) }
        } catch {
            throw Failure(operating: error)
        }
    }

    private static func lines(_ report: CleanupReport, supposed days: Int64?) -> [String] {
        let start = report.since == "creation" ? "their creation" : "their last use"
        return [
            report.enabled
                ? "Clean-up is on: guests go \(report.days) days after \(start)."
                : "Clean-up is off: new guests stay until they sign out.",
            "\(guests(report.guests)) in all, \(report.scheduled) with a time to go.",
            report.enabled && days == nil
                ? "Of them go" : "If it were on\(days.map { " with \($0) days" } ?? ""), of them would go",
            "  now            \(report.leaving.now)",
            "  within 7 days  \(report.leaving.in7Days)",
            "  within 30 days \(report.leaving.in30Days)",
        ] + blocked(report.blocked)
    }

    private static func blocked(_ tables: [String: some BinaryInteger]) -> [String] {
        tables.sorted { $0.key < $1.key }.map { table, count in
            "\(guests(Int64(count))) \(count == 1 ? "stays" : "stay"), kept by rows of \(table)."
        }
    }

    private static func guests(_ count: Int64) -> String { count == 1 ? "1 guest" : "\(count) guests" }
}

/// Tells a person every so many guests that a sweep goes on.
private final class Progress: Sendable {
    private struct State {
        var removed = 0
        var told = 0
        var isWaiting = false
    }

    private let terminal: Terminal?
    private let state = Mutex(State())

    init(terminal: Terminal?) {
        self.terminal = terminal
    }

    /// Takes what a batch removed; `nil`: it waits for another sweeper.
    func note(_ removed: Int?) {
        let line = state.withLock { state -> String? in
            guard let removed else {
                defer { state.isWaiting = true }
                return state.isWaiting ? nil : "A server is removing guests already; waiting for it."
            }
            state.removed += removed
            guard state.removed - state.told >= 20_000 else { return nil }
            state.told = state.removed
            return "\(state.removed) removed …"
        }
        if let line { terminal?.print(line) }
    }
}
