internal import Server

extension Command {
    /// `latchkey keys`: lists the signing keys, makes a new one, or encrypts all of them with the server's newest
    /// secret.
    static let keys = Command(
        name: "keys",
        summary: "Show, rotate and re-encrypt the signing keys",
        content: .commands([listKeys, rotateKeys, resealKeys])
    )

    private static let listKeys = Command(
        name: "list",
        summary: "Show the signing keys and their states",
        options: Option.operating + [.json],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let keys = try operating(context) { try $0.keys() }
            try context.print(
                ReportPage(items: keys),
                lines: keys.map { key in
                    "\(key.kid)  \(key.algorithm)  \(key.state)"
                        + (key.state == "next" ? ", signs from \(key.signsFrom)" : "")
                        + (key.retiredAt.map { ", removed at \($0)" } ?? "")
                }
            )
        }
    )

    private static let rotateKeys = Command(
        name: "rotate",
        summary: "Create a new signing key",
        discussion: """
            The new key is published now, and signs after all clients have had time to fetch it. The old key stays \
            published until its last token has expired. Running servers notice within seconds.
            """,
        options: [
            Option(
                name: "algorithm",
                value: "NAME",
                help: "ES256, EdDSA or RS256. Default: the configured algorithm."
            )
        ] + Option.changing + [.json],
        examples: ["latchkey keys rotate", "latchkey keys rotate --algorithm EdDSA"],
        content: .body { invocation in
            let algorithm = invocation.value("algorithm")
            guard algorithm == nil || ["ES256", "EdDSA", "RS256"].contains(algorithm) else {
                throw invocation.usage("--algorithm must be ES256, EdDSA or RS256.")
            }
            let context = OperatorContext(invocation)
            let key = try operating(context) { try $0.rotateKeys(algorithm: algorithm) }
            try context.print(
                key,
                lines: [
                    "Created key \(key.kid) (\(key.algorithm)). It is published now and signs from \(key.signsFrom)."
                ]
            )
        }
    )

    private static let resealKeys = Command(
        name: "reseal",
        summary: "Re-encrypt stored data with the newest secret",
        discussion: """
            To change the server's secret, put the new secret in front of the old one in LATCHKEY_SECRET, restart the \
            servers, and run this command until it reports that nothing stored needs an older secret. Remove the old \
            secret after devices have had time to refresh: removing it signs out every device that last refreshed \
            under it, and a guest on such a device is lost.
            """,
        options: Option.changing + [.json],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let report = try operating(context) { try $0.resealKeys() }
            let mails =
                report.waitingMails == 0
                ? "Nothing stored needs an older secret."
                : "\(report.waitingMails) waiting e-mails still need the older secret; try again after they are sent."
            try context.print(report, lines: ["Re-encrypted \(report.keys) keys with the newest secret.", mails])
        }
    )
}
