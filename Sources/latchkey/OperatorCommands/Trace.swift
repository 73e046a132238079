internal import Server

extension Command {
    /// `latchkey trace`: says what became of the e-mails that were requested for an address or by a user.
    static let trace = Command(
        name: "trace",
        summary: "Find out why an e-mail did not arrive",
        discussion: """
            Shows each request for an e-mail, newest first: from which device and network, what the mail server \
            answered to each attempt, when the link was opened, approved, denied or used, and which limit refused the \
            request. A network has a label that is equal for equal networks. Events are kept for 14 days (life.trace).
            """,
        arguments: [
            Argument(
                name: "NAME",
                help: "An address, a UID, a username, a ticket, an e-mail's ID from the log, or a Message-ID."
            )
        ],
        options: [
            Option(name: "limit", value: "NUMBER", help: "The maximum number of requests, up to 100.", fallback: "20"),
            Option(name: "page", value: "TOKEN", help: "The 'nextPage' of an earlier output, for older requests."),
        ] + Option.operating + [.json],
        examples: ["latchkey trace ann@example.com", "latchkey trace AZ3qnUQ5T0mQm1Vd3mYx2A --json"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let name = try invocation.required("NAME")
            let limit = try invocation.number("limit", in: 1...100) ?? 20
            let report = try operating(context) {
                try $0.trace(name, page: invocation.value("page"), limit: limit)
            }
            try context.print(report, lines: lines(report, invocation.options["config"], context.terminal))
        }
    )

    private static func lines(_ report: TraceReport, _ config: String?, _ terminal: Terminal) -> [String] {
        var lines = [terminal.strong(Terminal.plain(report.summary))]
        if let until = report.suppressedUntil {
            lines.append("The address gets no e-mail until \(until): a mail server said that it does not exist.")
        }
        if let advice = report.advice { lines.append(Terminal.plain(runnable(advice, config))) }
        for item in report.items {
            lines += ["", terminal.strong("\(item.at)  \(item.kind ?? "request")  \(item.request)")]
            lines.append("  \(Terminal.plain(item.summary))")
            lines += item.events.map { "    " + Terminal.plain(line($0)) }
        }
        if let page = report.nextPage { lines += ["", "Older requests: --page \(page)"] }
        return lines
    }

    /// An advice whose command, at its end, has the same configuration as this one, so that it can be pasted.
    static func runnable(_ advice: String, _ config: String?) -> String {
        guard let config, let start = advice.firstRange(of: "run: latchkey ")?.upperBound else { return advice }
        let command = advice[start...]
        // After "--" the option would be an argument, and after a comma the command is over.
        guard !command.contains(" -- "), !command.contains(",") else { return advice }
        return "\(advice) --config \(config.shellArgument)"
    }

    private static func line(_ event: TraceEventReport) -> String {
        var line = event.at + "  " + event.event.padded(to: 10)
        if event.count > 1 { line += "  \(event.count) times" }
        if let mail = event.mail, event.event == "queued" { line += "  e-mail \(mail)" }
        if let device = event.device { line += "  \(device)" }
        if let network = event.network { line += "  network \(network)" }
        if event.looksLikeScanner == true { line += "  looks like a scanner" }
        if let uid = event.uid { line += "  user \(uid)" }
        if let detail = event.detail { line += "  \(detail)" }
        return line
    }
}

extension String {
    /// The text with spaces after it, so that it is `width` characters long.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
