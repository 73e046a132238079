internal import Server

extension Command {
    /// `latchkey limits`: lifts what limits refuse.
    static let limits = Command(
        name: "limits",
        summary: "Lift a limit, a denial or a suppression",
        content: .commands([liftLimits])
    )

    private static let liftLimits = Command(
        name: "lift",
        summary: "Let a user, an address or a network through again",
        discussion: """
            For a user or an e-mail address: forgets counted e-mails and wrong codes, denials ("This wasn't me"), and that \
            a mail server reported the address as nonexistent. For a network: forgets what its clients have used of \
            their limits. Running servers notice within seconds. Limits then count from zero again.

            A network has at most 256 clients: an IPv4 /24 or an IPv6 /56. To exempt a network for good, use \
            lists.allowedNetworks.
            """,
        arguments: [
            Argument(name: "SUBJECT", help: "A UID, an e-mail address, a username, an IP address or a network.")
        ],
        options: Option.changing + [.json],
        examples: [
            "latchkey limits lift ann@example.com", "latchkey limits lift 192.0.2.0/24 --reason lab",
        ],
        content: .body { invocation in
            let context = OperatorContext(invocation), subject = try invocation.required("SUBJECT")
            let report = try operating(context) { try $0.lift(subject) }
            let counters = report.counters == 1 ? "1 counter" : "\(report.counters) counters"
            try context.print(
                report,
                lines: [
                    "Lifted \(counters)\(report.suppression ? " and the suppression" : ""). Limits count from zero again."
                ]
            )
        }
    )
}
