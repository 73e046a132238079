internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

/// `POST /account/sign-in`: sends the sign-in e-mail to the address that a person typed on the account page.
///
/// The answer is the same whether or not an account has the address. The e-mail is counted like one that a client
/// requests, and a network that would have to solve a challenge is sent to the app.
struct RequestAccountSignIn: WritingEndpoint {
    struct Input: Sendable {
        let request: SignInLinkRequest
        let place: MailPlace
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let (form, visit) = try services.accountSignInForm(request)
        let email = try services.address(form["email"] ?? "")
        guard try services.admit(.sendOobCode, request, to: services.limiters.links) == nil else {
            throw Refusal(.challengeRequired)
        }
        let place = try services.mailPlace(for: request, mayHaveHistory: false)
        return Input(
            request: try services.accountSignIn(email, visit, request, place),
            place: place
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> (Ticket, MailPlace) {
        (try services.flows.requestSignInLink(input.request, in: transaction), input.place)
    }

    func refused(_ refusal: Refusal, _ input: Input, of call: CallContext) {
        services.traceRefusal(
            refusal,
            of: input.request.email.canonical,
            kind: .signIn,
            device: input.request.asking.name,
            from: call.client
        )
    }

    func committed(_ outcome: (Ticket, MailPlace), of call: CallContext) {
        services.wake.mailWorkers()
        if outcome.0.mailState != .none { outcome.1.accept() }
    }

    func render(_ outcome: (Ticket, MailPlace)) throws -> Response { try services.awaitingSignIn(outcome.0) }
}

/// `POST /account/confirm`: sends the sign-in e-mail to the address of the signed-in user, for a change that needs a
/// recent sign-in.
struct ConfirmAccountSignIn: WritingEndpoint {
    struct Input: Sendable {
        let session: TokenID
        let visit: AccountPageVisit
        let asking: AskingDevice
        let ids: MailIDs
        let place: MailPlace
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let (_, visit, session) = try services.accountForm(request)
        try services.limiters.links.use(request.clientAddress, at: services.clock())
        return Input(
            session: session,
            visit: visit,
            asking: try services.askingDevice(of: request, visit),
            ids: try MailIDs(),
            place: try services.mailPlace(for: request, mayHaveHistory: false)
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> (Ticket, MailPlace) {
        let caller = try services.flows.authenticate(browser: input.session, at: .account, in: transaction)
        guard let email = caller.user.email else { throw Refusal(.missingEmail) }
        // Without the user's token: the redemption is a sign-in like any other, and links nothing.
        let request = SignInLinkRequest(
            email: try services.address(email),
            token: nil,
            asking: input.asking,
            continueURL: services.accountLinkURL,
            traffic: input.place.traffic,
            ids: input.ids
        )
        return (try services.flows.requestSignInLink(request, in: transaction), input.place)
    }

    func committed(_ outcome: (Ticket, MailPlace), of call: CallContext) {
        services.wake.mailWorkers()
        if outcome.0.mailState != .none { outcome.1.accept() }
    }

    func render(_ outcome: (Ticket, MailPlace)) throws -> Response { try services.awaitingSignIn(outcome.0) }
}

extension Services {
    /// Makes the request for the sign-in e-mail of the account page, without a session.
    fileprivate func accountSignIn(
        _ email: EmailAddress,
        _ visit: AccountPageVisit,
        _ request: Request,
        _ place: MailPlace
    ) throws -> SignInLinkRequest {
        SignInLinkRequest(
            email: email,
            token: nil,
            asking: try askingDevice(of: request, visit),
            continueURL: accountLinkURL,
            traffic: place.traffic,
            ids: try MailIDs()
        )
    }

    /// Leads the browser that requested a sign-in e-mail to the page that waits for it, and gives it the ticket.
    fileprivate func awaitingSignIn(_ ticket: Ticket) throws -> Response {
        var response = pages.redirect(to: AccountPath.signIn)
        response.headers.append(cookies.set(.accountSignIn, to: try wireTicket(ticket)))
        return response
    }
}
