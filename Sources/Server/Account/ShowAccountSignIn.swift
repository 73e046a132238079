internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

/// `GET /account/sign-in`: shows the page that waits for the e-mail, or asks for an address if no e-mail is awaited.
struct ShowAccountSignIn: ReadingEndpoint {
    struct Outcome: Sendable {
        let ticket: Ticket?
        let visit: AccountPageVisit
        let now: Int64
    }

    let services: Services

    func decode(_ request: Request) throws -> AccountPageVisit { try services.accountPageVisit(of: request) }

    func transact(_ visit: AccountPageVisit, in transaction: Transaction) throws -> Outcome {
        let ticket = visit.isFirst ? nil : try transaction.ticket(visit.signIn.text)
        return Outcome(ticket: ticket, visit: visit, now: transaction.now)
    }

    func render(_ outcome: Outcome) throws -> Response {
        guard let ticket = outcome.ticket else { return try services.askForAddress(outcome.visit) }
        guard [.open, .approved].contains(ticket.state), !ticket.isExpired(at: outcome.now),
            ticket.mailState != .failed
        else { return try services.askForAddress(outcome.visit, notice: .accountSignInOver) }
        return try services.showInbox(ticket, outcome.visit)
    }
}

/// `GET /account/link`: shows the button that signs in, in the browser that requested the link's e-mail.
///
/// Any other browser is led to the page of sign-in links, which shows the code for the browser that asked.
struct ShowAccountLink: ReadingEndpoint {
    struct Input: Sendable {
        let visit: AccountPageVisit
        let code: ActionCode
        let wireCode: String
        let link: ActionLink
    }

    struct Outcome: Sendable {
        let input: Input
        let isOwn: Bool
        let email: String
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let text = request.queryValue("oobCode") ?? ""
        let code = try services.actionCode(text)
        let visit = try services.accountPageVisit(of: request)
        let link = ActionLink(
            purpose: .emailSignIn,
            code: text,
            locale: visit.locale,
            continueURL: nil,
            requestID: ActionLink.requestID(in: request)
        )
        return Input(visit: visit, code: code, wireCode: text, link: link)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        let isOwn =
            try !input.visit.isFirst && services.flows.isLink(input.code, of: input.visit.signIn, in: transaction)
        let ticket = isOwn ? try transaction.ticket(input.visit.signIn.text) : nil
        return Outcome(input: input, isOwn: isOwn, email: ticket?.email ?? "")
    }

    func render(_ outcome: Outcome) throws -> Response {
        let input = outcome.input
        guard outcome.isOwn else { return services.pages.redirect(to: input.link.url(publicURL: services.publicURL)) }
        let entry = AccountEntry(path: AccountPath.link, field: "oobCode", value: input.wireCode)
        return try services.askToContinue(as: outcome.email, input.visit, entry)
    }
}
