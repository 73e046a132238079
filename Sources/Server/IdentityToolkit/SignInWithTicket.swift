internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:signInWithTicket`: signs in with a ticket and its code, or after the link was approved on another
/// device.
///
/// With `wait`, a call without a code waits for the approval.
struct SignInWithTicket: WaitingEndpoint {
    struct Input: Sendable {
        let redemption: TicketRedemption
        /// Until when the call waits if the ticket is open; `nil` if it does not wait.
        let deadline: ContinuousClock.Instant?
    }

    struct Outcome: Sendable {
        let result: TicketOutcome
        /// The id of the ticket whose code was wrong, which may have ended it.
        let guessedTicket: String?
        /// The wait that the call asked for, if the ticket is open.
        let wait: TicketWait?
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Input {
        let body = try services.body(of: call)
        guard let text = try body.nonEmptyString("ticket") else { throw Refusal(.missingTicket) }
        guard let ticket = try TicketToken.verify(text, secrets: services.secrets) else {
            throw Refusal(.invalidTicket)
        }
        let code = try body.nonEmptyString("code", limit: 128)
        // A review address accepts its code at any time, and only the ticket tells whether the address is one.
        if code != nil, services.flows.policy.reviewAddresses.isEmpty {
            try services.codeBreakers.check(at: services.clock())
        }
        let wait = try body.integer("wait", in: 1...50)
        let redemption = TicketRedemption(
            ticket: ticket.id.text,
            code: code,
            waits: wait != nil && code == nil,
            pauses: services.codeBreakers.pauses,
            onConflict: try services.onConflict(body, of: call.request),
            uid: try UID.random(),
            opening: try services.opening(for: call.request, namesClient: true),
            notice: try services.noticeOpening(for: call.request, body),
            mergeID: try TokenID.random().text
        )
        return Input(redemption: redemption, deadline: wait.map { .now + .seconds($0) })
    }

    func runsAlone(_ input: Input) -> Bool {
        input.redemption.onConflict != .error && services.mergesRunAlone
    }

    func inputAfterConstraint(_ input: Input) throws -> Input? {
        guard input.redemption.onConflict != .error else { return nil }
        throw services.failedMerge()
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        let result = try services.flows.redeemTicket(input.redemption, in: transaction)
        var wait: TicketWait?
        if let pending = result.pending, let deadline = input.deadline {
            wait = TicketWait(ticket: pending.id, askingUID: pending.askingUID, deadline: deadline)
        }
        let isGuess = input.redemption.code != nil
        return Outcome(result: result, guessedTicket: isGuess ? input.redemption.ticket : nil, wait: wait)
    }

    func committed(_ outcome: Outcome, of call: CallContext) {
        // An open ticket is no refusal for a call that waits.
        guard outcome.wait == nil else { return }
        if let full = outcome.result.fullBreaker { services.codeBreakers.learn(full) }
        services.announce(outcome.result.decision, of: call)
        if case .refused = outcome.result.decision, let ticket = outcome.guessedTicket {
            services.ticketWaits.changed(ticket)
        }
    }

    func wait(after outcome: Outcome) -> TicketWait? { outcome.wait }

    func renderPending(retryAfter: Int?) -> Response {
        var json = JSONWriter(capacity: 96)
        json.beginObject()
        json.member("kind", "identitytoolkit#SignInWithTicketResponse")
        json.member("pending", true)
        json.endObject()
        var response = Response.json(json.bytes)
        if let retryAfter { response.headers.append(("Retry-After", String(retryAfter))) }
        return response
    }

    func render(_ outcome: Outcome) throws -> Response {
        guard outcome.wait == nil else { return renderPending(retryAfter: nil) }
        let signedIn = try outcome.result.decision.get()
        return try services.respond(kind: "SignInWithTicketResponse", to: signedIn) { json in
            json.member("email", signedIn.user.email)
            json.member("localId", signedIn.user.uid)
            json.member("isNewUser", signedIn.isNewUser)
            json.member("linked", signedIn.linked)
            json.members(of: signedIn.merged)
        }
    }
}
