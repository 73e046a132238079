internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer

/// `GET /console/refused/lift`: asks whether to lift what limits refuse to an address or a network.
struct AskToLiftLimits: ConsolePage {
    static let section = ConsoleSection.refused
    let services: Services

    /// The form that asks for the address or the network.
    static let form: Markup = """
        <h2>Lift limits</h2><form method="get" action="\(ConsolePath.lift)" class="inline"><div><label for="subject">E-mail address or network\
        </label><input class="text" id="subject" name="subject" maxlength="254" required autocomplete="off"></div>\
        <button class="quiet small">Lift…</button></form>
        """

    func decode(_ request: Request, _ visit: ConsoleVisit) throws -> LiftedSubject {
        try services.liftedSubject(request.queryValue("subject"))
    }

    func find(_ subject: LiftedSubject, for caller: ConsoleCaller, in transaction: Transaction) throws -> LiftedSubject
    {
        guard !caller.isReadOnly else { throw Refusal.readOnlyAdministrator }
        return subject
    }

    func show(_ subject: LiftedSubject, in frame: ConsoleFrame) throws -> Response {
        let label = "Lift limits", points: [String]
        switch subject {
        case .address:
            points = [
                "Counters of limits and denials of the address start again at zero.",
                "E-mails to the address are sent again if a mail server had reported it as nonexistent.",
            ]
        case .network:
            points = [
                "Counters of limits and denials of the network's clients start again at zero.",
                "Each node forgets what it counted for the network in its own memory.",
            ]
        }
        let form = try frame.form(ConsolePath.lift, label, fields: [("subject", subject.text)])
        return try frame.question(label, about: subject.text, points, form: form, back: ConsolePath.refused)
    }
}

/// `POST /console/refused/lift`: lifts what limits, denials and suppressions refuse to an address or a network.
struct LiftConsoleLimits: ConsoleAction {
    static let section = ConsoleSection.refused
    /// The sentence after it was done.
    static let done = "The limits are lifted. Each node follows within seconds."
    let services: Services

    func decode(_ form: FormBody, _ request: Request) throws -> LiftedSubject {
        try services.liftedSubject(form["subject"])
    }

    func change(_ subject: LiftedSubject, by flows: AccountFlows, in transaction: Transaction) throws -> LiftedLimits {
        try flows.lift(subject, secrets: services.secrets, in: transaction)
    }

    func committed(_ lifted: LiftedLimits) { services.wake.mailWorkers() }

    func respond(_ lifted: LiftedLimits, in frame: ConsoleFrame) throws -> Response {
        services.consoleRedirect(to: "\(ConsolePath.refused)?done=lift")
    }
}

extension Services {
    /// Reads an address or a network.
    ///
    /// - Throws: ``ConsoleError``.
    fileprivate func liftedSubject(_ text: String?) throws -> LiftedSubject {
        let text = text ?? ""
        guard text.utf8.count <= 254, let subject = LiftedSubject(text) else {
            throw ConsoleError(
                heading: "No address or network",
                message: "Type an e-mail address, an IP address or a network, such as 192.0.2.0/24. "
                    + "For a user, open the user's page."
            )
        }
        guard subject.isSmall else {
            throw ConsoleError(
                heading: "Too large",
                message: "A network has at most 256 clients: an IPv4 /24 or an IPv6 /56."
            )
        }
        return subject
    }
}
