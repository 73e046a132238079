internal import Server

extension Command {
    /// `latchkey firebase`: shows the move from a project at Firebase, and changes its phase.
    static let firebase = Command(
        name: "firebase",
        summary: "Move users and their sessions from Firebase",
        content: .commands([firebaseStatus, firebasePhase])
    )

    private static let firebaseStatus = Command(
        name: "status",
        summary: "Show which users have moved from Firebase, and how many",
        discussion: """
            Shows the phase, the users who have moved and when, the users who have not with the time at which they were \
            last seen, the users whom a newer import shows at Firebase after they moved, because old code of the app \
            still runs there, and the refused tokens by code.
            """,
        options: [
            Option(name: "limit", value: "NUMBER", help: "Users in each list, 0 to 10000.", fallback: "20")
        ] + Option.operating + [.json],
        content: .body { invocation in
            let limit = try invocation.number("limit", in: 0...10_000) ?? 20, context = OperatorContext(invocation)
            let report = try operating(context) { try $0.firebaseStatus(limit: limit) }
            try context.print(report, lines: report.lines)
        }
    )

    private static let firebasePhase = Command(
        name: "phase",
        summary: "Change the phase of the move from Firebase",
        discussion: """
            In 'pass', Latchkey forwards the calls of the app to Firebase and changes nothing. In 'adopt', each session \
            at Firebase moves here at its first contact; those who have moved cannot go back. In 'off', tokens of \
            Firebase are refused, which signs out everybody who has not moved. Running servers follow within a second.
            """,
        arguments: [Argument(name: "PHASE", help: "'pass', 'adopt' or 'off'.")],
        options: [Option(name: "dry-run", help: "Change nothing; say what would happen."), .yes] + Option.changing
            + [.json],
        examples: ["latchkey firebase phase adopt --dry-run", "latchkey firebase phase adopt"],
        content: .body { invocation in
            let phase = invocation[argument: "PHASE"] ?? ""
            guard ["pass", "adopt", "off"].contains(phase) else {
                throw invocation.usage("PHASE must be pass, adopt or off, not '\(phase)'.")
            }
            let context = OperatorContext(invocation)
            let before = try operating(context) { try $0.firebaseStatus(limit: 0) }
            if before.phase != phase {
                // A change that is refused needs no confirmation.
                if !before.isOver {
                    let consequence = before.consequence(of: phase)
                    guard !invocation.isOn("dry-run") else {
                        let text = "Would change from \(before.phase) to \(phase)."
                        let change = FirebasePhaseDryRun(from: before.phase, to: phase, consequence, before)
                        return try context.print(change, lines: [text, consequence])
                    }
                    try invocation.confirm(consequence)
                }
                try operating(context) { try $0.setFirebasePhase(phase) }
            }
            let after = try operating(context) { try $0.firebaseStatus(limit: 0) }
            try context.print(after, lines: ["The phase is \(after.phase)."])
        }
    )
}

/// What `latchkey firebase phase --dry-run --json` prints.
private struct FirebasePhaseDryRun: Encodable {
    let dryRun = true
    let from: String
    let to: String
    /// What the change means for users, in sentences.
    let consequence: String
    let movedUsers, movedSessions, unrefreshedSessions: Int64
    let unmovedUsers, unmovedGuests, unmovedSessions: Int64

    init(from: String, to: String, _ consequence: String, _ report: FirebaseReport) {
        self.from = from
        self.to = to
        self.consequence = consequence
        movedUsers = report.movedUsers
        movedSessions = report.movedSessions
        unrefreshedSessions = report.unrefreshedSessions
        unmovedUsers = report.unmovedUsers
        unmovedGuests = report.unmovedGuests
        unmovedSessions = report.unmovedSessions
    }
}
