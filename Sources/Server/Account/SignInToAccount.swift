internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

/// `POST /account/code`: signs in to the account page with the code of the e-mail, or after its link was approved on
/// another device.
struct SignInToAccount: WritingEndpoint {
    struct Input: Sendable {
        let redemption: TicketRedemption
        let opening: BrowserSessionOpening
        let visit: AccountPageVisit
    }

    struct Outcome: Sendable {
        let result: TicketOutcome
        let ticket: Ticket?
        let input: Input
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let (form, visit) = try services.accountSignInForm(request)
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
        return Input(redemption: redemption, opening: try services.accountOpening(visit), visit: visit)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        let result = try services.flows.redeemTicket(input.redemption, in: transaction)
        var ticket: Ticket?
        switch result.decision {
        case .done(let signedIn): try services.flows.openAccountPage(signedIn, input.opening, in: transaction)
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
        case .done: return try services.openedAccount(outcome.input.opening)
        case .refused(let refusal):
            guard refusal.code == .invalidSignInCode, let ticket = outcome.ticket, ticket.state == .open else {
                throw refusal
            }
            return try services.showInbox(ticket, outcome.input.visit, isWrong: true)
        }
    }
}

/// `POST /account/link`: signs in to the account page with the link of the e-mail, in the browser that requested it.
struct SignInToAccountByLink: WritingEndpoint {
    struct Input: Sendable {
        let code: ActionCode
        let redemption: Redemption
        let opening: BrowserSessionOpening
        let visit: AccountPageVisit
    }

    /// What the redemption needs beside the address, which only the ticket has.
    struct Redemption: Sendable {
        let uid: String
        let opening: SessionOpening
        let notice: NoticeOpening
        let mergeID: String
    }

    struct Outcome: Sendable {
        let decision: Decision<SignedIn>
        let opening: BrowserSessionOpening
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let (form, visit) = try services.accountSignInForm(request)
        return Input(
            code: try services.actionCode(form["oobCode"] ?? ""),
            redemption: Redemption(
                uid: try UID.random(),
                opening: try services.opening(for: request, namesClient: true),
                notice: try services.noticeOpening(for: request, nil),
                mergeID: try TokenID.random().text
            ),
            opening: try services.accountOpening(visit),
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
                uid: input.redemption.uid,
                opening: input.redemption.opening,
                notice: input.redemption.notice,
                mergeID: input.redemption.mergeID
            ),
            in: transaction
        )
        if case .done(let signedIn) = decision {
            try services.flows.openAccountPage(signedIn, input.opening, in: transaction)
        }
        return Outcome(decision: decision, opening: input.opening)
    }

    func committed(_ outcome: Outcome, of call: CallContext) {
        services.announce(outcome.decision, of: call)
    }

    func render(_ outcome: Outcome) throws -> Response {
        _ = try outcome.decision.get()
        return try services.openedAccount(outcome.opening)
    }
}
