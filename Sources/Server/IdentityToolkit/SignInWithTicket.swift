internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:signInWithTicket`: the ticket's holder signs in by the code, or once the link was approved elsewhere.
struct SignInWithTicket: WritingEndpoint {
    let services: Services

    func decode(_ request: Request) throws -> TicketRedemption {
        let body = try services.body(of: request)
        guard let text = try body.nonEmptyString("ticket") else { throw Refusal(.missingTicket) }
        guard let ticket = try TicketToken.verify(text, secrets: services.secrets) else {
            throw Refusal(.invalidTicket)
        }
        let code = try body.nonEmptyString("code", limit: 128)
        // A review address takes its code at any time, and only the ticket says whose it is.
        if code != nil, services.flows.policy.reviewAddresses.isEmpty {
            try services.codeBreakers.check(at: services.clock())
        }
        return TicketRedemption(
            ticket: ticket.id.text,
            code: code,
            pauses: services.codeBreakers.pauses,
            onConflict: try services.onConflict(body),
            uid: try UID.random(),
            opening: try services.opening(for: request, namesClient: true),
            notice: try services.noticeOpening(for: request),
            mergeID: try TokenID.random().text
        )
    }

    func runsAlone(_ input: TicketRedemption) -> Bool {
        input.onConflict == .merge && services.mergesRunAlone
    }

    func inputAfterConstraint(_ input: TicketRedemption) throws -> TicketRedemption? {
        guard input.onConflict == .merge else { return nil }
        throw services.failedMerge()
    }

    func transact(_ input: TicketRedemption, in transaction: Transaction) throws -> TicketOutcome {
        try services.flows.redeemTicket(input, in: transaction)
    }

    func refusal(of outcome: TicketOutcome) -> Refusal? { outcome.decision.refusal }

    func remember(_ outcome: TicketOutcome) {
        if let full = outcome.fullBreaker { services.codeBreakers.learn(full) }
        if case .done(let signedIn) = outcome.decision { services.signIns.note(signedIn, remembersClient: true) }
    }

    func render(_ outcome: TicketOutcome) throws -> Response {
        let signedIn = try outcome.decision.get()
        services.announce(signedIn.merged)
        // The sessions that a linked user had are over.
        services.changes.ended(signedIn.user.uid)
        services.log(signedIn.linked ? "user.linked" : "user.signed-in", signedIn)
        return try services.respond(kind: "SignInWithTicketResponse", to: signedIn) { json in
            json.member("email", signedIn.user.email)
            json.member("localId", signedIn.user.uid)
            json.member("isNewUser", signedIn.isNewUser)
            json.member("linked", signedIn.linked)
            json.members(of: signedIn.merged)
        }
    }
}
