internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

/// `GET /console/sign-in`: shows the page that waits for the e-mail, or asks for an address if no e-mail is awaited.
struct ShowConsoleSignIn: ReadingEndpoint {
    struct Outcome: Sendable {
        let ticket: Ticket?
        let visit: ConsoleVisit
        let now: Int64
    }

    let services: Services

    func decode(_ request: Request) throws -> ConsoleVisit { try services.consoleVisit(of: request) }

    func transact(_ visit: ConsoleVisit, in transaction: Transaction) throws -> Outcome {
        let ticket = visit.isFirst ? nil : try transaction.ticket(visit.signIn.text)
        return Outcome(ticket: ticket, visit: visit, now: transaction.now)
    }

    func render(_ outcome: Outcome) throws -> Response {
        guard let ticket = outcome.ticket else { return try services.askConsoleAddress(outcome.visit) }
        guard [.open, .approved].contains(ticket.state), !ticket.isExpired(at: outcome.now), ticket.mailState != .failed
        else { return try services.askConsoleAddress(outcome.visit, notice: ConsoleNotice.over) }
        return try services.showConsoleInbox(ticket, outcome.visit)
    }
}

/// `POST /console/sign-in`: sends the sign-in e-mail to the address that a person typed on the console.
///
/// The answer is the same for every address, and the e-mail is counted like one that a client requests.
struct RequestConsoleSignIn: WritingEndpoint {
    struct Input: Sendable {
        let request: SignInLinkRequest
        let place: MailPlace
        let visit: ConsoleVisit
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let (form, visit) = try services.consoleSignInForm(request)
        let email = try services.address(form["email"] ?? "")
        guard try services.admit(.sendOobCode, request, to: services.limiters.links) == nil else {
            throw Refusal(.challengeRequired)
        }
        let place = try services.mailPlace(for: request, mayHaveHistory: false)
        return Input(
            request: SignInLinkRequest(
                email: email,
                token: nil,
                asking: try services.askingDevice(of: request, nil),
                continueURL: services.consoleLinkURL,
                traffic: place.traffic,
                ids: try MailIDs()
            ),
            place: place,
            visit: visit
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> (Ticket, Input) {
        (try services.flows.requestSignInLink(input.request, in: transaction), input)
    }

    func committed(_ outcome: (Ticket, Input), of call: CallContext) {
        services.wake.mailWorkers()
        if outcome.0.mailState != .none { outcome.1.place.accept() }
    }

    func render(_ outcome: (Ticket, Input)) throws -> Response {
        var response = services.consoleRedirect(to: ConsolePath.signIn)
        response.headers.append(outcome.1.visit.cookies.set(.consoleSignIn, to: try services.wireTicket(outcome.0)))
        return response
    }
}

/// `POST /console/code`: signs an administrator in with the code of the e-mail, or after its link was approved on
/// another device.
struct SignInToConsole: WritingEndpoint {
    struct Input: Sendable {
        let redemption: TicketRedemption
        let opening: BrowserSessionOpening
        let visit: ConsoleVisit
    }

    struct Outcome: Sendable {
        let result: TicketOutcome
        let ticket: Ticket?
        let input: Input
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let (form, visit) = try services.consoleSignInForm(request)
        let code = form["code"].flatMap { $0.isEmpty ? nil : String($0.prefix(128)) }
        if code != nil, services.flows.policy.reviewAddresses.isEmpty {
            try services.codeBreakers.check(at: services.clock())
        }
        let redemption = TicketRedemption(
            ticket: visit.signIn.text,
            code: code,
            pauses: services.codeBreakers.pauses,
            onConflict: .error,
            uid: try UID.random(),
            opening: try services.opening(for: request, namesClient: true),
            notice: try services.noticeOpening(for: request, nil),
            mergeID: try TokenID.random().text
        )
        return Input(redemption: redemption, opening: try services.consoleOpening(visit), visit: visit)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        let result = try services.flows.redeemTicket(input.redemption, in: transaction)
        var ticket: Ticket?
        switch result.decision {
        case .done(let signedIn): try services.flows.openConsole(signedIn, input.opening, in: transaction)
        case .refused: ticket = try transaction.ticket(input.redemption.ticket)
        }
        return Outcome(result: result, ticket: ticket, input: input)
    }

    func committed(_ outcome: Outcome, of call: CallContext) {
        if let full = outcome.result.fullBreaker { services.codeBreakers.learn(full) }
        services.announce(outcome.result.decision, of: call)
        if case .refused = outcome.result.decision {
            services.ticketWaits.changed(outcome.input.redemption.ticket)
        }
    }

    func render(_ outcome: Outcome) throws -> Response {
        switch outcome.result.decision {
        case .done: return try services.openedConsole(outcome.input.opening, outcome.input.visit)
        case .refused(let refusal):
            guard refusal.code == .invalidSignInCode, let ticket = outcome.ticket, ticket.state == .open else {
                throw refusal
            }
            return try services.showConsoleInbox(ticket, outcome.input.visit, isWrong: true)
        }
    }
}

/// `GET /console/link`: shows the button that signs in, in the browser that requested the link's e-mail.
///
/// Any other browser is led to the page of sign-in links, which shows the code for the browser that asked.
struct ShowConsoleLink: ReadingEndpoint {
    struct Input: Sendable {
        let visit: ConsoleVisit
        let code: ActionCode
        let wireCode: String
        let elsewhere: String
    }

    struct Outcome: Sendable {
        let input: Input
        /// The ticket of the browser's sign-in, if the link is that of its e-mail.
        let ticket: Ticket?
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let text = request.queryValue("oobCode") ?? ""
        let link = ActionLink(
            purpose: .emailSignIn,
            code: text,
            locale: "en",
            continueURL: nil,
            requestID: ActionLink.requestID(in: request)
        )
        return Input(
            visit: try services.consoleVisit(of: request),
            code: try services.actionCode(text),
            wireCode: text,
            elsewhere: link.url(publicURL: services.publicURL)
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        guard !input.visit.isFirst,
            try services.flows.isLink(input.code, of: input.visit.signIn, in: transaction)
        else { return Outcome(input: input, ticket: nil) }
        return Outcome(input: input, ticket: try transaction.ticket(input.visit.signIn.text))
    }

    func render(_ outcome: Outcome) throws -> Response {
        guard let ticket = outcome.ticket else { return services.consoleRedirect(to: outcome.input.elsewhere) }
        let token = try FormToken.make(for: outcome.input.visit.signIn, secrets: services.secrets)
        let form: Markup = """
            <form method="post" action="\(ConsolePath.link)"><input type="hidden" name="formToken" value="\(token)">\
            <input type="hidden" name="oobCode" value="\(outcome.input.wireCode)"><button>Sign in</button></form>
            """
        return services.consolePage(
            "message",
            title: "Sign in",
            ["heading": "Sign in to the console?", "message": services.pages.accountAddress(ticket.email)],
            parts: ["form": form]
        )
    }
}

/// `POST /console/link`: signs an administrator in with the link of the e-mail, in the browser that requested it.
struct SignInToConsoleByLink: WritingEndpoint {
    struct Input: Sendable {
        let code: ActionCode
        let uid: String
        let opening: SessionOpening
        let notice: NoticeOpening
        let mergeID: String
        let console: BrowserSessionOpening
        let visit: ConsoleVisit
    }

    struct Outcome: Sendable {
        let decision: Decision<SignedIn>
        let input: Input
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let (form, visit) = try services.consoleSignInForm(request)
        return Input(
            code: try services.actionCode(form["oobCode"] ?? ""),
            uid: try UID.random(),
            opening: try services.opening(for: request, namesClient: true),
            notice: try services.noticeOpening(for: request, nil),
            mergeID: try TokenID.random().text,
            console: try services.consoleOpening(visit),
            visit: visit
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        guard try services.flows.isLink(input.code, of: input.visit.signIn, in: transaction),
            let ticket = try transaction.ticket(input.visit.signIn.text)
        else { throw Refusal(.invalidOobCode).ofValid() }
        let decision = try services.flows.redeemSignInLink(
            SignInLinkRedemption(
                email: try services.address(ticket.email),
                code: input.code,
                token: nil,
                onConflict: .error,
                uid: input.uid,
                opening: input.opening,
                notice: input.notice,
                mergeID: input.mergeID
            ),
            in: transaction
        )
        if case .done(let signedIn) = decision {
            try services.flows.openConsole(signedIn, input.console, in: transaction)
        }
        return Outcome(decision: decision, input: input)
    }

    func committed(_ outcome: Outcome, of call: CallContext) { services.announce(outcome.decision, of: call) }

    func render(_ outcome: Outcome) throws -> Response {
        _ = try outcome.decision.get()
        return try services.openedConsole(outcome.input.console, outcome.input.visit)
    }
}

/// `POST /console/sign-out`: ends the session of the console, and the one that its own sign-in opened.
struct SignOutOfConsole: WritingEndpoint {
    let services: Services

    func decode(_ request: Request) throws -> (TokenID, ConsoleVisit) {
        let (_, visit, session) = try services.consoleForm(request)
        return (session, visit)
    }

    func transact(_ input: (TokenID, ConsoleVisit), in transaction: Transaction) throws -> ConsoleVisit {
        try services.flows.endConsole(input.0, in: transaction)
        return input.1
    }

    func committed(_ visit: ConsoleVisit, of call: CallContext) {}

    func render(_ visit: ConsoleVisit) -> Response {
        var response = services.consoleRedirect(to: ConsolePath.front)
        response.headers.append(visit.cookies.clear(.console))
        return response
    }
}

extension Services {
    /// The URL to which the link in an e-mail of the console leads; `nil` where only the admin listener serves the
    /// console, so that the e-mail's code signs in.
    var consoleLinkURL: String? {
        configuration.console == .public ? publicURL + ConsolePath.link : nil
    }

    /// Shows the page that asks for an administrator's address, and gives the browser the cookie that its form is bound
    /// to.
    func askConsoleAddress(_ visit: ConsoleVisit, notice: String = "", status: Int = 200) throws -> Response {
        let values = [
            "notice": notice, "formToken": try FormToken.make(for: visit.signIn, secrets: secrets),
            "hint": configuration.console == .public
                ? "The e-mail has a link and a code." : "Open the link in the e-mail to see the code, and type it here."
                ,
        ]
        var page = consolePage("sign-in", title: "Sign in", values, status: status)
        if visit.isFirst {
            let value = try TicketToken.make(id: visit.signIn, secrets: secrets)
            page.headers.append(visit.cookies.set(.consoleSignIn, to: value))
        }
        return page
    }

    /// Shows the page that waits for the e-mail of a ticket: with a field for the code, or once the link was approved
    /// elsewhere, with the button that signs in.
    func showConsoleInbox(_ ticket: Ticket, _ visit: ConsoleVisit, isWrong: Bool = false) throws -> Response {
        let token = try FormToken.make(for: visit.signIn, secrets: secrets)
        let field: Markup =
            ticket.state == .approved
            ? "<p class=\"notice\">Approved on another device.</p>"
            : """
            <label for="code">Code</label><input class="text code" id="code" name="code" type="text" inputmode="numeric" \
            autocomplete="one-time-code" maxlength="16" required aria-describedby="digits">
            """
        let digits: Markup =
            ticket.state == .approved
            ? ""
            : """
            <p class="muted hint" id="digits">If the link asks for digits, they are <strong>\(try flows.confirmation(of: ticket))</strong>. \
            <a href="\(ConsolePath.signIn)">I have approved it</a></p>
            """
        let form: Markup = """
            <form method="post" action="\(ConsolePath.code)"><input type="hidden" name="formToken" value="\(token)">\(field)\
            <button>Sign in</button></form>\(digits)
            """
        return consolePage(
            "inbox",
            title: "Check your e-mail",
            [
                "email": pages.accountAddress(ticket.email),
                "notice": isWrong ? "Wrong code. After a few wrong codes you need a new e-mail." : "",
            ],
            parts: ["form": form],
            status: isWrong ? 403 : 200
        )
    }
}
