internal import Server
internal import Synchronization

extension Command {
    /// `latchkey cleanup`: deletes the guests whose time is over; switches this clean-up on or off, or shows its
    /// status.
    static let cleanup = Command(
        name: "cleanup",
        summary: "Remove expired guests; turn automatic removal on or off",
        discussion: """
            Without an action, removes the guests whose time has expired, at once. A running server does so every few \
            seconds. A guest with rows in your own tables stays if these rows are not deleted with the user; the \
            output names these tables.

            'on' gives each guest a time, by default 30 days from its creation, or from now if it already exists. \
            'off' sets no time for new guests; a guest that has one is still removed. A guest that adds an e-mail \
            address is permanent. 'status' counts the guests and those that will be removed; with --days, those that \
            would be.
            """,
        arguments: [Argument(name: "ACTION", help: "'on', 'off' or 'status'.", isOptional: true)],
        options: [
            Option(name: "dry-run", help: "Remove no guest; show how many would be removed."),
            Option(name: "days", value: "NUMBER", help: "Days until a guest is removed, 1 to 3650.", fallback: "30"),
            Option(
                name: "since",
                value: "START",
                help: "Count the days from 'creation' or 'lastUse'.",
                fallback: "creation"
            ),
            .yes,
        ] + Option.changing + [.json],
        examples: [
            "latchkey cleanup status --days 30", "latchkey cleanup on --days 60 --since lastUse",
            "latchkey cleanup --dry-run",
        ],
        content: .body { invocation in
            let arguments = try CleanupArguments(invocation), context = OperatorContext(invocation)
            switch arguments.action {
            case .status:
                let report = try operating(context) { try $0.cleanup(days: arguments.days, since: arguments.since) }
                try context.print(report, lines: lines(report, supposed: arguments.days))
            case .on:
                let planned = try operating(context) { try $0.cleanup(days: arguments.days, since: arguments.since) }
                try invocation.confirm(
                    "This deletes guests with all their data \(arguments.days ?? planned.days) days after "
                        + "\(start(arguments.since ?? planned.since)), \(planned.leaving.in30Days) of "
                        + "\(guests(planned.guests)) within 30 days. 'latchkey cleanup off' keeps new guests only."
                )
                fallthrough
            case .off:
                let report = try operating(context) { op in
                    try op.changeCleanup(isOn: arguments.action == .on, days: arguments.days, since: arguments.since)
                }
                try context.print(report, lines: lines(report, supposed: nil))
            case .now where arguments.isDryRun:
                let report = try operating(context) { try $0.cleanup() }
                try context.print(
                    report,
                    lines: ["\(guests(report.leaving.now)) would be removed."] + blocked(report.blocked)
                )
            case .now:
                let report = try await sweep(context)
                var lines = ["Removed \(guests(Int64(report.removed)))."]
                if report.scheduled > 0 { lines.append("Scheduled \(guests(Int64(report.scheduled))) for removal.") }
                if report.postponed > 0 {
                    lines.append("Postponed \(guests(Int64(report.postponed))): in use, or signing in.")
                }
                try context.print(report, lines: lines + blocked(report.blocked.mapValues(Int64.init)))
            }
        }
    )

    /// Deletes the guests whose time is over, with occasional progress lines for people.
    private static func sweep(_ context: OperatorContext) async throws -> SweepReport {
        let progress = Progress(terminal: context.isJSON ? nil : context.terminal)
        do {
            let op = try Operator(
                file: context.configurationFile,
                environment: context.settings,
                reason: context.reason
            )
            defer { op.close() }
            return try await op.sweep { progress.record($0) }
        } catch {
            throw Failure(operating: error)
        }
    }

    private static func lines(_ report: CleanupReport, supposed days: Int64?) -> [String] {
        [
            report.enabled
                ? "Clean-up is on: guests are removed \(report.days) days after \(start(report.since))."
                : "Clean-up is off: new guests stay until they sign out.",
            scheduled(report),
            report.enabled && days == nil
                ? "To be removed:" : "Would be removed if it were on\(days.map { " with \($0) days" } ?? ""):",
            "  now            \(report.leaving.now)",
            "  within 7 days  \(report.leaving.in7Days)",
            "  within 30 days \(report.leaving.in30Days)",
        ] + blocked(report.blocked)
    }

    private static func start(_ since: String) -> String {
        since == "creation" ? "their creation" : "their last use"
    }

    /// Says how many guests have a removal time, and what the others wait for.
    private static func scheduled(_ report: CleanupReport) -> String {
        let others = report.guests - report.scheduled
        let all = "\(guests(report.guests)) in all, \(report.scheduled) with a removal time"
        guard others > 0 else { return all + "." }
        return all
            + (report.enabled
                ? "; a running server or 'latchkey cleanup' gives the other \(others) one."
                : "; the other \(others) stay\(others == 1 ? "s" : "").")
    }

    private static func blocked(_ tables: [String: some BinaryInteger]) -> [String] {
        tables.sorted { $0.key < $1.key }.map { table, count in
            "\(guests(Int64(count))) cannot be removed because of \(table)."
        }
    }

    private static func guests(_ count: Int64) -> String { count == 1 ? "1 guest" : "\(count) guests" }
}

/// The arguments of `latchkey cleanup`.
private struct CleanupArguments {
    enum Action: String {
        case on, off, status, now
    }

    let action: Action
    /// Whether to count only, without a sweep.
    let isDryRun: Bool
    /// The days until a guest is deleted; `nil` if they were not given.
    let days: Int64?
    /// The start of the days: `creation` or `lastUse`; `nil` if it was not given.
    let since: String?

    init(_ invocation: Invocation) throws {
        let word = invocation[argument: "ACTION"] ?? "now"
        guard let action = Action(rawValue: word) else {
            throw invocation.usage("ACTION must be on, off or status, not '\(word)'.")
        }
        self.action = action
        since = invocation.value("since")
        guard since.map(["creation", "lastUse"].contains) ?? true else {
            throw invocation.usage("--since must be creation or lastUse.")
        }
        isDryRun = invocation.isOn("dry-run")
        if isDryRun, action != .now { throw invocation.usage("--dry-run cannot be combined with '\(word)'.") }
        days = try invocation.number("days", in: 1...3650).map(Int64.init)
        if action == .now || action == .off, days != nil || since != nil {
            throw invocation.usage("--days and --since need 'on' or 'status'.")
        }
    }
}

/// Prints a line of progress of a sweep every 20 000 guests, and one if the sweep waits for another; none for JSON.
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

    /// Adds the number of guests that a batch deleted; `nil` means that this sweep waits for another process's.
    func record(_ removed: Int?) {
        let line = state.withLock { state -> String? in
            guard let removed else {
                defer { state.isWaiting = true }
                return state.isWaiting ? nil : "A server is already removing guests; waiting for it."
            }
            state.removed += removed
            guard state.removed - state.told >= 20_000 else { return nil }
            state.told = state.removed
            return "\(state.removed) removed …"
        }
        if let line { terminal?.print(line) }
    }
}
