internal import Accounts

/// The commands that an advice names, as a shell takes them.
private struct Commands {
    /// Ends a suppression.
    let allow: String
    /// Shows the dialogue with the relay.
    let test: String
    /// Lifts the limits and denials of the address; `nil` if the address is unknown.
    let lift: String?

    /// Makes the commands.
    ///
    /// - Parameters:
    ///   - address: the address of the e-mail; `nil` if it is unknown, because the trace stores none.
    ///   - mail: the identifier of the e-mail; `nil` if there is none.
    init(address: String?, mail: String?) {
        let word = address?.shellArgument
        allow = word.map { "latchkey mail allow \($0)" } ?? "latchkey outbox retry \(mail ?? "ID")"
        lift = word.map { "latchkey limits lift \($0)" }
        test = word.map { "latchkey mail test \($0)" } ?? "latchkey mail test, with an address of yours"
    }
}

/// What became of a requested e-mail, and what an operator can do about it, in words.
struct TraceVerdict {
    let summary: String
    /// `nil` if nothing is to be done.
    let advice: String?

    /// Judges a request by its events, oldest first.
    ///
    /// - Parameters:
    ///   - events: the events.
    ///   - waiting: the e-mail in the outbox, if it still waits.
    ///   - address: the address, for commands that the advice names; `nil` if it is unknown.
    init(_ events: [TraceEntry], waiting: WaitingMail?, address: String?) {
        let commands = Commands(address: address, mail: events.lazy.compactMap(\.mail).last)
        let last = Self.deciding(events)
        let detail = last?.detail.map { ": \($0)" } ?? ""
        switch last?.event {
        case .redeemed:
            (summary, advice) = ("The user signed in with the \(last?.detail ?? "e-mail").", nil)
        case .applied:
            (summary, advice) = ("The link was used and did what its e-mail says.", nil)
        case .approved:
            (summary, advice) = (
                "The owner of the mailbox approved the sign-in; the waiting device has not collected it.",
                "Ask the user to open the app again, or to request a new e-mail."
            )
        case .denied:
            (summary, advice) = (
                "The owner of the mailbox answered that they did not make this request.",
                "The client that asked gets no e-mail for this address for a day. If the user answered by mistake, "
                    + (commands.lift.map { "run: \($0)" } ?? "run 'latchkey limits lift' with the address.")
            )
        case .ended:
            (summary, advice) = ("The request was ended by \(last?.detail ?? "wrong codes").", Self.askAgain)
        case .bounced:
            (summary, advice) = ("The e-mail came back\(detail)", Self.allow(last, commands))
        case .failed:
            (summary, advice) = ("The e-mail was not delivered\(detail)", Self.allow(last, commands))
        case .suppressed:
            (summary, advice) = (
                "Nothing was sent, because a mail server said that there is no such mailbox.",
                Self.allow(commands)
            )
        case .refused:
            (summary, advice) = (
                "A limit refused the request\(detail)",
                Self.lift(last?.detail, commands)
            )
        case .blocked:
            (summary, advice) = (
                "A list of the operator stopped the e-mail\(detail)",
                "The list names the address or its domain, or is the only one that may get e-mail and names neither. If that "
                    + "is a mistake, change the file, reload the server, and ask the user to request a new e-mail. For the "
                    + "names of the files, run: latchkey config show lists"
            )
        case .review:
            (summary, advice) = (
                "The address is a review address, which gets no e-mail.",
                "See reviewAddresses in the configuration; its code is set there."
            )
        case .moot:
            (summary, advice) = (
                "The e-mail was dropped, because its request was over before it was sent.", Self.askAgain
            )
        case .opened:
            (summary, advice) = (
                last?.detail == TraceEvent.scanner
                    ? "The relay accepted the e-mail. Its link was opened, probably by a scanner."
                    : "The relay accepted the e-mail, and its link was opened, but nobody signed in with it.",
                "The e-mail has arrived. Ask the user to use its newest link or code before it expires."
            )
        case .sent:
            (summary, advice) = (
                "The relay accepted the e-mail\(detail)",
                "Ask the user to look into the spam folder, and search the relay's log for the text after \"queued as\". "
                    + "That another server refused the e-mail later shows here only where reports are passed to "
                    + "'latchkey mail bounce'."
            )
        case .postponed:
            (summary, advice) = (
                "The e-mail waits, because the last attempt failed\(detail)\(waiting?.retry ?? "")",
                Self.wait(last?.detail, commands)
            )
        case .queued:
            (summary, advice) = (
                waiting?.summary ?? "The e-mail was queued, and its outcome is not recorded yet.",
                waiting?.advice(test: commands.test) ?? "Run this command again in a minute."
            )
        case .allowed, nil:
            (summary, advice) = ("E-mails to the address are allowed again.", Self.askAgain)
        }
    }

    private static let askAgain = "Ask the user to request a new e-mail."

    /// Returns the event that says what became of a request: a sign-in above all.
    ///
    /// An opening, by a person rather than by
    /// a scanner, says more than the hand-over before it, and nothing after another event.
    private static func deciding(_ events: [TraceEntry]) -> TraceEntry? {
        if let done = events.last(where: { [.redeemed, .applied].contains($0.event) }) { return done }
        let last = events.last { $0.event != .opened }
        guard last?.event == .sent else { return last }
        let openings = events.filter { $0.event == .opened }
        return openings.last { $0.detail != TraceEvent.scanner } ?? openings.last ?? last
    }

    /// What to do about a limit, which is that of an address, a network or the whole installation.
    private static func lift(_ limit: String?, _ commands: Commands) -> String {
        let wait = "Wait until the limit allows more"
        switch limit {
        case "limits.mailsPerAddress", "limits.wrongCodesPerAddress", "limits.noticesPerAccount", "denials":
            return commands.lift.map { "\(wait), or run: \($0)" }
                ?? "\(wait), or run 'latchkey limits lift' with the address."
        case MailTraffic.limit: return "\(wait), within a minute. See \"Limits\" in the operations guide."
        default:
            return
                "\(wait), or run 'latchkey limits lift' with the client's IP address. See \"Limits\" in the operations "
                + "guide."
        }
    }

    /// What to do about an e-mail that is tried again, by the reply to the last attempt.
    private static func wait(_ reply: String?, _ commands: Commands) -> String {
        let status = reply?.split(separator: " ").dropFirst().first ?? ""
        guard status.count == 3, Int(status) != nil else {
            return "To see what is wrong with the relay, run: \(commands.test)"
        }
        guard status.hasPrefix("5") else {
            return "A mail server does not accept the e-mail yet. Latchkey tries again by itself, and the user need "
                + "not ask again. To send a test message and see the whole dialogue, run: \(commands.test)"
        }
        return "A mail server refuses the sender, and not the recipient, so waiting alone helps little. Latchkey tries "
            + "again, ever more rarely. Check the relay's login, and SPF, DKIM and DMARC of the domain in mailFrom. To "
            + "send a test message and see the whole dialogue, run: \(commands.test)"
    }

    /// What to do about an address that a mail server refused.
    private static func allow(_ entry: TraceEntry?, _ commands: Commands) -> String {
        entry?.detail?.contains("5.1.") == true
            ? allow(commands)
            : "The reply is the mail server's. Ask the relay's or the recipient's postmaster about it."
    }

    /// What to do about an address that gets no e-mail, because there was no such mailbox.
    private static func allow(_ commands: Commands) -> String {
        "Check the address with the user, who must request a new e-mail. If the mailbox does exist, first run: "
            + commands.allow
    }
}
