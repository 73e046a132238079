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
            Shows the phase, the users and sessions that have moved, the users who have not with the time at which they \
            were last seen, the users whom a newer import shows at Firebase after they moved, because old code of the \
            app still runs there, and the refused tokens by code.
            """,
        options: [
            Option(name: "limit", value: "NUMBER", help: "Users in each list, 0 to 10000.", fallback: "20")
        ] + Option.operating + [.json],
        content: .body { invocation in
            let limit = try invocation.number("limit", in: 0...10_000) ?? 20, context = OperatorContext(invocation)
            let report = try operating(context) { try $0.firebaseStatus(limit: limit) }
            try context.print(report, lines: lines(report))
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
                let consequence = consequence(of: phase, before)
                guard !invocation.isOn("dry-run") else {
                    return try context.print(
                        before,
                        lines: ["Would change from \(before.phase) to \(phase).", consequence]
                    )
                }
                try invocation.confirm(consequence)
                try operating(context) { try $0.setFirebasePhase(phase) }
            }
            let after = try operating(context) { try $0.firebaseStatus(limit: 0) }
            try context.print(after, lines: ["The phase is \(after.phase)."])
        }
    )

    private static func consequence(of phase: String, _ report: FirebaseReport) -> String {
        switch phase {
        case "adopt":
            "Each session at Firebase moves here at its first contact: \(users(report.unmovedUsers)) known have not moved. "
                + "Those who have moved cannot go back to Firebase."
        case "off":
            "\(users(report.unmovedUsers)) known have not moved and will be signed out, guests among them for good: "
                + "\(report.unmovedGuests). So will \(sessions(report.unrefreshedSessions)) that moved and whose browser still has "
                + "Firebase's refresh token. After 30 days in this phase the move cannot go on."
        default:
            report.movedUsers == 0
                ? "The calls of the app go to Firebase again."
                : "\(users(report.movedUsers)) have moved and stay here; all others go to Firebase again."
        }
    }

    private static func lines(_ report: FirebaseReport) -> [String] {
        var lines = [
            "Phase: \(report.phase)" + (report.adoptsSince.map { ", sessions move since \($0)" } ?? ""),
            "Tokens of Firebase are accepted until \(report.exchangeUntil).",
            "Moved:     \(users(report.movedUsers)), \(sessions(report.movedSessions)); "
                + "\(report.unrefreshedSessions) of them still with Firebase's refresh token in the browser",
            "Not moved: \(users(report.unmovedUsers)), \(report.unmovedGuests) of them guests; "
                + "at least \(sessions(report.unmovedSessions))",
        ]
        lines += report.unmoved.map { "  \($0.uid)  last seen \($0.seenAt ?? "never")" }
        if !report.returning.isEmpty {
            lines.append("At Firebase after they moved, so old code of the app still runs:")
        }
        lines += report.returning.map { "  \($0.uid)  \($0.refreshedThereAt ?? "")" }
        if !report.asked.isEmpty { lines.append("Questions to Firebase: \(counts(report.asked))") }
        if !report.refused.isEmpty { lines.append("Refused: \(counts(report.refused))") }
        if report.signUpsThisHour >= 80 {
            lines.append(
                "Warning: \(report.signUpsThisHour) new accounts at Firebase in this hour. Google allows 100 from an address, "
                    + "unless you have it raised."
            )
        }
        if report.isPaused { lines.append("Warning: Firebase does not answer, so it is asked only now and then.") }
        return lines
    }

    private static func counts(_ counts: [String: Int64]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    private static func sessions(_ count: Int64) -> String { count == 1 ? "1 session" : "\(count) sessions" }

    private static func users(_ count: Int64) -> String { count == 1 ? "1 user" : "\(count) users" }
}
