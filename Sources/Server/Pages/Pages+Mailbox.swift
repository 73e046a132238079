internal import HTTPServer
internal import Mail

/// What the mailbox shows of an e-mail beside its content.
struct MailboxEntry: Sendable {
    let path: String
    let subject: String
    let from: String
    let to: String
    let time: String
}

extension Pages {
    /// What the mailbox's script and its frame need beyond the policy of other pages.
    private static let mailboxPolicy = "; script-src 'self'; connect-src 'self'; frame-src 'self'"

    /// The mailbox of development mode.
    func mailbox(_ entries: [MailboxEntry]) -> Response {
        let rows = entries.map { entry in
            let values = [
                "path": entry.path, "subject": entry.subject, "from": entry.from, "to": entry.to, "time": entry.time,
            ]
            return (try? templates.fragment("mailbox-row", values)) ?? ""
        }
        return page(
            "mailbox",
            locale: "en",
            ["title": "Mailbox", "rows": rows.joined()],
            additionalPolicy: Self.mailboxPolicy
        )
    }

    /// One e-mail of the mailbox.
    ///
    /// - Parameters:
    ///   - entry: its headers.
    ///   - text: its plain text.
    ///   - links: the links in it.
    ///   - frame: the path of its HTML version.
    ///   - scheme: the color scheme to show it in; `nil` for the browser's.
    func mailboxMessage(
        _ entry: MailboxEntry,
        text: String,
        links: [String],
        frame: String,
        scheme: String?
    ) -> Response {
        let items = links.map { (try? templates.fragment("mailbox-link", ["link": $0])) ?? "" }
        let shown = ["light", "dark"].contains(scheme) ? "?scheme=\(scheme ?? "")" : ""
        return page(
            "mailbox-message",
            locale: "en",
            [
                "title": entry.subject, "subject": entry.subject, "from": entry.from, "to": entry.to,
                "time": entry.time, "path": entry.path, "text": text, "framePath": frame + shown,
                "links": items.joined(),
            ],
            additionalPolicy: Self.mailboxPolicy
        )
    }
}

/// The script of the mailbox: it shows new e-mails, and makes the frame as high as the e-mail in it.
enum MailboxScript {
    static let response: Response = {
        Response(
            headers: [
                (name: "Content-Type", value: "text/javascript; charset=utf-8"),
                (name: "Cache-Control", value: "no-cache"), (name: "X-Content-Type-Options", value: "nosniff"),
            ],
            body: EmbeddedFiles.below("Sources/WebClient/mailbox/")["mailbox.js"] ?? []
        ).prepared()
    }()
}
