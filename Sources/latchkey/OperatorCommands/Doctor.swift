internal import Server

extension Command {
    /// `latchkey doctor`: checks an installation from its machine.
    static let doctor = Command(
        name: "doctor",
        summary: "Find out what is wrong with an installation",
        discussion: """
            Checks the configuration, the clock, the disk, permissions, randomness and the limit of open files, the \
            public URL with its proxy and certificate, the database, the dialogue with the mail server up to the login, \
            and the SPF, DMARC and DKIM records of the sender's domain. For each problem, it says what to do. It \
            changes nothing, sends no e-mail, and ends within 20 seconds.

            Run it on the server's machine, as the server's user, with the server's configuration. The exit status is 1 \
            if there is a problem. Warnings do not count.
            """,
        options: [
            .config,
            Option(
                name: "dkim-selector",
                value: "NAME",
                help: "The selector with which your mail server signs: s= in the DKIM-Signature of an e-mail."
            ),
            Option(
                name: "dns-server",
                value: "ADDRESS",
                help: "The DNS server to ask for SPF, DMARC and DKIM. Default: the system's."
            ),
            .json,
        ],
        examples: [
            "latchkey doctor --config /etc/latchkey/latchkey.json5",
            "latchkey doctor --dkim-selector mail --dns-server 192.0.2.1",
        ],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            var options = Doctor.Options()
            options.selector = invocation.value("dkim-selector")
            options.dnsServer = invocation.value("dns-server")
            let report = await Doctor.run(
                file: context.configurationFile,
                environment: context.settings,
                options: options
            )
            try context.print(report, lines: report.findings.flatMap { lines($0, context.terminal) })
            guard report.problems == 0 else {
                let count = report.problems == 1 ? "There is a problem." : "There are \(report.problems) problems."
                throw Failure(count, code: "problems")
            }
        }
    )

    private static func lines(_ finding: DoctorFinding, _ terminal: Terminal) -> [String] {
        let label = finding.status.rawValue.uppercased()
        let padding = String(repeating: " ", count: max(1, 9 - label.count))
        let mark = finding.status == .ok ? finding.status.rawValue + padding : terminal.strong(label) + padding
        let message = "\(mark)\(finding.check): \(Terminal.plain(finding.message))"
        return [message] + (finding.advice.map { ["         \(Terminal.plain($0))"] } ?? [])
    }
}
