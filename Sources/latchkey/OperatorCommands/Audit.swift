internal import Server

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#endif

extension Command {
    /// `latchkey audit`: shows what was changed, when, by whom and why.
    static let audit = Command(
        name: "audit",
        summary: "Show who changed what, and when",
        discussion: """
            Shows entries of the audit log: the time, the change, the user whom it concerns, its detail, the actor and \
            the reason. The oldest entry is first; in JSON, the newest. Without options, shows the last 50 entries.

            An actor is 'client' (a call of an app or a page), 'administrator' (with an ID token or in the console), \
            'key' (the admin key), 'owner' (the admin listener), 'login' (this command line), 'console' or 'server' \
            (work in the background). Give --actor such a word, a name such as a login or a UID, or both as 'login:ann'.
            """,
        options: [
            Option(
                name: "user",
                value: "USER",
                help: "Only changes of this user: a UID, also of a user who is gone, an "
                    + "e-mail address or a username."
            ),
            Option(name: "actor", value: "ACTOR", help: "Only changes by this actor."),
            Option(
                name: "since",
                value: "TIME",
                help:
                    "Only changes since a time, such as 2026-11-25T08:30:00Z, 2026-11-25, or 2h for the last two hours."
            ),
            Option(name: "limit", value: "NUMBER", help: "The maximum number of entries, up to 1000.", fallback: "50"),
            Option(name: "page", value: "TOKEN", help: "The 'nextPage' of an earlier output, for older entries."),
            Option(name: "follow", help: "Go on, and print new entries until you stop the command with Ctrl-C."),
        ] + Option.operating + [.json],
        examples: [
            "latchkey audit --user ann@example.com", "latchkey audit --actor login --since 7d",
            "latchkey audit --follow --json",
        ],
        content: .body { invocation in
            var conditions = Operator.AuditConditions()
            conditions.user = invocation.value("user")
            conditions.actor = invocation.value("actor")
            conditions.since = try invocation.time("since")
            let limit = try invocation.number("limit", in: 1...1000) ?? 50
            let page = invocation.value("page"), follows = invocation.isOn("follow")
            if follows, page != nil { throw invocation.usage("--follow cannot be combined with --page.") }
            let context = OperatorContext(invocation)
            try operating(context) { op in
                var follower = follows ? try op.auditFollower(conditions) : nil
                let found = try op.audit(conditions, page: page, limit: limit)
                guard follower != nil else {
                    let lines = found.items.isEmpty ? ["No entries."] : found.items.reversed().map(line)
                    return try context.print(found, lines: lines + older(found.nextPage))
                }
                for entry in found.items.reversed() { try context.print(entry, lines: [line(entry)]) }
                while let new = try follower?.next() {
                    for entry in new { try context.print(entry, lines: [line(entry)]) }
                    _ = sleep(1)
                }
            }
        }
    )

    private static func older(_ page: String?) -> [String] {
        page.map { ["Older entries: --page \($0)"] } ?? []
    }

    private static func line(_ entry: AuditReport) -> String {
        var words = [entry.at, entry.event]
        words += [entry.uid, entry.detail.map { "(\($0))" }].compactMap(\.self)
        words.append("by \(entry.actorInWords)")
        if let reason = entry.reason { words.append("– \(reason)") }
        return Terminal.plain(words.joined(separator: "  "))
    }
}

extension Invocation {
    /// An option's value as a time in milliseconds since 1970, given as a time, a day, or a duration before now.
    ///
    /// - Returns: the time, or `nil` when the option is absent.
    /// - Throws: ``UsageError`` naming the option.
    func time(_ name: String) throws(UsageError) -> Int64? {
        guard let text = value(name) else { return nil }
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        var date = try? Date(text, strategy: .iso8601)
        if date == nil { date = try? Date(text, strategy: .iso8601.year().month().day()) }
        if date == nil, let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()), count >= 0 {
            date = Date.now.addingTimeInterval(-Double(count) * unit)
        }
        guard let date, let time = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) else {
            throw usage("--\(name) takes a time such as 2026-11-25T08:30:00Z, 2026-11-25 or 2h, not '\(text)'.")
        }
        return time
    }
}
