/// The placeholders of each page: the values that ``Pages`` and the development mailbox give it.
enum PagePlaceholders {
    /// The placeholders of each page and fragment, by its name, without those that must be raw.
    static let escaped: [String: Set<String>] = own.merging(account) { $1 }.mapValues { $0.union(["appName", "lang"]) }

    /// Returns the placeholders of a page for HTML that was rendered before.
    ///
    /// Every page may have `back`, the link back to the app.
    static func raw(of page: String) -> Set<String> {
        switch page {
        case "approve", "code", "codes-paused": ["openInApp", "back"]
        case "expired", "link-ended", "link-used", "wrong-digits": ["resend", "back"]
        case "mailbox": ["rows"]
        case "mailbox-message": ["links"]
        case "preview": ["languages", "mails", "states"]
        case "mailbox-link", "mailbox-row", "open-in-app", "preview-link", "resend", "back": []
        default: ["back"]
        }
    }

    private static let ticket: Set<String> = [
        "oobCode", "continueUrl", "device", "time", "place", "minutes", "email",
    ]
    private static let notes: Set<String> = ["alert", "notice"]
    private static let question: Set<String> = ["oobCode", "email", "newEmail", "account", "device", "time"]
    private static let addresses: Set<String> = ["email", "newEmail"]

    private static let own: [String: Set<String>] = [
        "already-signed-in": ticket,
        "approve": ticket.union(notes),
        "approved": ticket,
        "back": ["link"],
        "code": ticket.union(notes).union(["code"]),
        "codes-paused": ticket.union(notes),
        "confirm-change-email": question,
        "confirm-contest": question,
        "confirm-recover-email": question,
        "confirm-revert-change": ["oobCode", "message", "methods", "device", "time"],
        "confirm-verify-email": question,
        "denied": ticket,
        "denied-email": [],
        "done-change-email": addresses,
        "done-contest": addresses,
        "done-recover-email": addresses,
        "done-revert-change": ["notice"],
        "done-verify-email": addresses,
        "error": ["title", "message"],
        "expired": ticket,
        "landing": [],
        "link-denied": ticket,
        "link-ended": ticket,
        "link-expired": [],
        "link-replaced": [],
        "link-used": [],
        "mailbox": ["title"],
        "mailbox-link": ["link"],
        "mailbox-message": ["title", "subject", "from", "to", "time", "path", "framePath", "text"],
        "mailbox-row": ["path", "subject", "from", "to", "time"],
        "not-found": [],
        "open-in-app": ["link", "hint"],
        "preview": ["title", "language"],
        "preview-link": ["link", "title"],
        "resend": ["oobCode"],
        "resent": ticket,
        "session-ended": ticket,
        "wrong-address": [],
        "wrong-digits": ticket,
    ]
}
