internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer

/// `GET /console/mail`: the queue of e-mails, its age, and the failures with the mail server's words.
struct ConsoleMail: ConsolePage {
    enum List: String, CaseIterable, Sendable {
        case waiting = "Waiting"
        case failed = "Failed"
        case newest = "Newest"
    }

    struct Input: Sendable {
        let list: List
        let isRetried: Bool
    }

    struct Found: Sendable {
        let input: Input
        let mails: [OutboxEntry]
        /// The numbers of waiting e-mails; `nil` if there are too many to count them for a page.
        let numbers: InstallationGauges?
        let relay: RelayState
    }

    /// The maximum number of e-mails that a page counts.
    ///
    /// With more, it shows the numbers that are read each minute.
    private static let mostCounted: Int64 = 2000

    static let section = ConsoleSection.mail
    let services: Services

    func decode(_ request: Request, _ visit: ConsoleVisit) throws -> Input {
        Input(
            list: request.queryValue("list").flatMap(List.init(rawValue:)) ?? .waiting,
            isRetried: request.queryValue("done") == "retry"
        )
    }

    func find(_ input: Input, for caller: ConsoleCaller, in transaction: Transaction) throws -> Found {
        let limit = Int64(Services.consoleRows)
        let mails =
            switch input.list {
            case .waiting: try transaction.waitingMails(limit: limit)
            case .failed: try transaction.failedMails(limit: limit)
            case .newest: try transaction.outbox(nil, limit: limit)
            }
        return Found(
            input: input,
            mails: mails,
            numbers: try transaction.mailGauges(upTo: Self.mostCounted),
            relay: try RelayState(in: transaction)
        )
    }

    func show(_ found: Found, in frame: ConsoleFrame) throws -> Response {
        let installation = found.numbers ?? services.metrics.installation
        let numbers: [(name: String, value: Markup?)] = [
            ("Due now", installation.map { "\($0.dueMails)" }),
            ("Being sent", installation.map { "\($0.leasedMails)" }),
            ("Waiting for another attempt", installation.map { "\($0.postponedMails)" }),
            ("Oldest queued", installation.map { .time($0.oldestMailAt) }),
            ("Counted", installation.map { .time($0.readAt) } ?? "not yet; within a minute"),
            ("Relay", Self.relay(found.relay)),
        ]
        let filters = List.allCases.map { list -> Markup in
            let path = "\(ConsolePath.mail)?list=\(list.rawValue)"
            return list == found.input.list
                ? "<li><a href=\"\(path)\" aria-current=\"true\">\(list.rawValue)</a></li>"
                : "<li><a href=\"\(path)\">\(list.rawValue)</a></li>"
        }
        let columns = ["E-mail", "Kind", "State", "Queued", "Attempts", "Next attempt", "Last answer", "Action"]
        return try frame.page(
            "mail",
            title: "Mail",
            parts: [
                "numbers": .facts(numbers), "filters": "<ul class=\"choices\">\(filters.joined())</ul>",
                "mails": .table("E-mails", columns, found.mails.map { row($0, frame) }, empty: "None."),
                "done": found.input.isRetried
                    ? "<p class=\"notice\" role=\"status\">The e-mail is tried again, and its address is no longer suppressed.</p>"
                    : "",
            ]
        )
    }

    /// Whether the relay takes e-mails; `nil` if no attempt is known.
    private static func relay(_ state: RelayState) -> Markup? {
        switch state {
        case .unknown: nil
        case .answers(let at): "answered last at \(.time(at) as Markup)"
        case .away(let since, let lastAt, let reason):
            "\(.badge("away", isBad: true) as Markup) since \(.time(since) as Markup). At \(.time(lastAt) as Markup): \(reason)"
        }
    }

    private func row(_ mail: OutboxEntry, _ frame: ConsoleFrame) -> [Markup] {
        let mayRetry = !frame.caller.isReadOnly && [.queued, .failed].contains(mail.state)
        let path = "\(ConsolePath.mail)/retry?mail=\(ConsolePath.encoded(mail.mail))"
        let retry: Markup = mayRetry ? .link("Retry…", to: path) : "–"
        return [
            "<code>\(mail.mail)</code>", Markup(mail.kind),
            Markup(mail.state == .queued ? "waiting" : mail.state.rawValue),
            .time(mail.createdAt), "\(mail.attempts)", mail.state == .queued ? .time(mail.dueAt) : "–",
            .text(mail.reason), retry,
        ]
    }
}

/// `GET /console/mail/retry`: asks whether to retry an e-mail, and says what will happen.
struct AskToRetryConsoleMail: ConsolePage {
    static let section = ConsoleSection.mail
    let services: Services

    func decode(_ request: Request, _ visit: ConsoleVisit) throws -> String {
        guard let mail = request.queryValue("mail"), mail.utf8.count <= 64 else { throw RetryConsoleMail.gone }
        return mail
    }

    func find(_ mail: String, for caller: ConsoleCaller, in transaction: Transaction) throws -> OutboxEntry {
        guard !caller.isReadOnly else { throw Refusal.readOnlyAdministrator }
        guard let entry = try transaction.outboxEntry(mail), [.queued, .failed].contains(entry.state) else {
            throw RetryConsoleMail.gone
        }
        return entry
    }

    func show(_ mail: OutboxEntry, in frame: ConsoleFrame) throws -> Response {
        let release = "E-mails to its address are sent again if a mail server had reported the address as nonexistent."
        let points =
            mail.state == .queued
            ? ["The next attempt is now, in place of at \(Timestamp.minute(milliseconds: mail.dueAt)).", release]
            : ["This e-mail has failed, and is not sent again.", release]
        return try frame.question(
            "Retry the e-mail",
            about: mail.mail,
            points,
            form: try frame.form("\(ConsolePath.mail)/retry", "Retry", fields: [("mail", mail.mail)]),
            back: ConsolePath.mail
        )
    }
}

/// `POST /console/mail/retry`: makes a waiting e-mail due at once, and ends the suppression of its address.
struct RetryConsoleMail: ConsoleAction {
    static let section = ConsoleSection.mail
    let services: Services

    func decode(_ form: FormBody, _ request: Request) throws -> String {
        guard let mail = form["mail"], mail.utf8.count <= 64 else { throw Self.gone }
        return mail
    }

    func change(_ mail: String, by flows: AccountFlows, in transaction: Transaction) throws -> Bool {
        switch try flows.retryMail(mail, in: transaction) {
        case .due, .mailboxReleased: return true
        case .beingSent:
            throw ConsoleError(heading: "Being sent", message: "A server is sending the e-mail now.", status: 409)
        case nil: throw Self.gone
        }
    }

    func committed(_ done: Bool) { services.wake.mailWorkers() }

    func respond(_ done: Bool, in frame: ConsoleFrame) throws -> Response {
        services.consoleRedirect(to: "\(ConsolePath.mail)?done=retry")
    }

    static let gone = ConsoleError(
        heading: "Not waiting",
        message: "That e-mail is not waiting, and its address is not suppressed.",
        status: 404
    )
}
