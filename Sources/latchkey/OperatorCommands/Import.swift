internal import Server

extension Command {
    /// `latchkey import`: imports users from a file that `firebase auth:export` wrote.
    static let importing = Command(
        name: "import",
        summary: "Import users from another system",
        content: .commands([importFirebase])
    )

    private static let importFirebase = Command(
        name: "firebase",
        summary: "Import the output of 'firebase auth:export'",
        discussion: """
            Users keep their UIDs, identity providers, claims and times. Password hashes and phone numbers are not \
            imported, and the report counts the users who had them. A user who had a password signs in with an e-mail \
            link. No user becomes an administrator by a claim, and hooks are not called.

            Users without any credential become guests, whose time until clean-up starts now. Users of custom tokens \
            look the same in an export: --permanent makes all of them permanent.

            You can repeat the import, also while a server runs. Existing users stay as they are, and users who were \
            deleted here stay deleted, unless you give --overwrite. If a file is cut off, the users before the cut are \
            imported. The exit status is then 1, as it is if any user was not imported.
            """,
        arguments: [Argument(name: "FILE", help: "The export, JSON or CSV; '-' reads standard input.")],
        options: [
            Option(
                name: "overwrite",
                help: "Replace existing users, which ends their sessions, and restore deleted ones."
            ),
            Option(name: "permanent", help: "Import no user as a guest."),
        ] + Option.changing + [.json],
        examples: ["latchkey import firebase users.json", "latchkey import firebase users.csv --permanent"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            var file = try LargeInput(try invocation.required("FILE"))
            var line = TransferLine(context, size: file.size)
            let report = try operating(context, makesDatabase: true) { op in
                try op.importUsers(
                    replaces: invocation.isOn("overwrite"),
                    takesGuests: !invocation.isOn("permanent"),
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
                            ? "The users before it were imported. Repeat the import with the complete file."
                            : "Nothing was imported. Give the JSON or CSV file that 'firebase auth:export' wrote."
                    ],
                    code: "stopped"
                )
            }
            if report.refusals > 0 {
                throw Failure("\(users(report.refusals)) not imported.", code: "refused-users")
            }
        }
    )

    private static func lines(_ report: ImportReport) -> [String] {
        let guests = report.guests > 0 ? "; \(report.guests) of them guests" : ""
        var lines = ["Read \(users(report.read)), imported \(report.created)\(guests)."]
        if report.replaced > 0 { lines.append("Replaced \(users(report.replaced)).") }
        if report.kept > 0 { lines.append("Left \(users(report.kept)) unchanged: they already exist.") }
        if report.gone > 0 { lines.append("Skipped \(users(report.gone)): deleted or merged here.") }
        if report.withoutWayIn > 0 {
            lines.append("\(users(report.withoutWayIn)) without address or provider cannot sign in.")
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
}
