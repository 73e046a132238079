internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

/// `POST /account/email`: sends the e-mail that changes the user's address to the new address.
struct ChangeAccountEmail: WritingEndpoint {
    struct Input: Sendable {
        let session: TokenID
        let newEmail: EmailAddress
        let asking: AskingDevice
        let ids: MailIDs
        let place: MailPlace
        let locale: String
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let (form, visit, session) = try services.accountForm(request)
        let newEmail = try services.address(form["email"] ?? "")
        try services.limiters.links.use(request.clientAddress, at: services.clock())
        return Input(
            session: session,
            newEmail: newEmail,
            asking: try services.askingDevice(of: request, visit),
            ids: try MailIDs(),
            place: try services.mailPlace(for: request, mayHaveHistory: true),
            locale: visit.locale
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Input {
        let caller = try services.flows.authenticate(browser: input.session, at: .account, in: transaction)
        let request = EmailActionRequest(
            token: caller.token,
            newEmail: input.newEmail,
            asking: input.asking,
            continueURL: nil,
            traffic: input.place.traffic,
            ids: input.ids
        )
        _ = try services.flows.requestEmailAction(request, in: transaction)
        return input
    }

    func committed(_ input: Input, of call: CallContext) {
        services.wake.mailWorkers()
        input.place.accept()
    }

    func render(_ input: Input) throws -> Response {
        services.pages.accountEmailSent(to: input.newEmail, locale: input.locale)
    }
}
