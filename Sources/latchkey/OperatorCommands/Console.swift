internal import Server

extension Command {
    /// `latchkey console`: prints a URL that opens the console once.
    static let console = Command(
        name: "console",
        summary: "Print a URL that opens the console",
        discussion: """
            The URL works once and for five minutes. It is the way in for the first administrator, and when no e-mail \
            arrives. Administrators can also sign in to the console by e-mail; see 'latchkey admin add'.
            """,
        options: [
            Option(
                name: "as",
                value: "NAME",
                help: "The name for the audit log. Default: your login."
            )
        ] + Option.operating + [.json],
        examples: ["latchkey console", "latchkey console --as ann"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let report = try operating(context) { try $0.makeConsoleURL(as: invocation.value("as")) }
            var lines = [report.url, "It works once, within the next \(report.expiresIn / 60) minutes."]
            if let forward = report.forward {
                lines.append("If your browser is on another machine, first run there: ssh -N -L \(forward) HOST")
            }
            if !report.isServed {
                lines.append(
                    "No server listens at \(report.listener) yet. Start one with this configuration ('systemctl start "
                        + "latchkey', or 'latchkey serve'), and then open the URL."
                )
            }
            try context.print(report, lines: lines)
        }
    )
}
