internal import Accounts
internal import Database
internal import HTTPServer
internal import Mail
internal import Tokens

/// `GET /account/open`: asks whether to open the account page for the user of an app's URL.
///
/// The request uses up nothing, because programs open links too. It names the account, because an attacker may have
/// sent the URL of an account of their own.
struct AskToOpenAccount: ReadingEndpoint {
    struct Input: Sendable {
        let visit: AccountPageVisit
        let url: AccountURLToken
        let wireToken: String
        /// The time zone of the app's device; `nil` if the URL names none.
        let timeZone: String?
    }

    struct Outcome: Sendable {
        let input: Input
        let user: User
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let (url, text) = try services.accountURL(request.queryValue("token"))
        return Input(
            visit: try services.accountPageVisit(of: request),
            url: url,
            wireToken: text,
            timeZone: request.queryValue("timeZone").flatMap { TimeZones.system.known($0) }
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        Outcome(input: input, user: try services.flows.user(of: input.url, in: transaction))
    }

    func render(_ outcome: Outcome) throws -> Response {
        let (visit, token) = (outcome.input.visit, outcome.input.wireToken)
        let entry = AccountEntry(path: AccountPath.open, field: "token", value: token)
        var response = try services.askToContinue(as: outcome.user, visit, entry)
        if let zone = outcome.input.timeZone { response.headers.append(services.cookies.set(.timeZone, to: zone)) }
        return response
    }
}

/// `POST /account/open`: uses up an app's URL, and opens the account page for its user.
struct OpenAccount: WritingEndpoint {
    struct Input: Sendable {
        let url: AccountURLToken
        let opening: BrowserSessionOpening
    }

    struct Outcome: Sendable {
        let user: User
        let opening: BrowserSessionOpening
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let (form, visit) = try services.accountSignInForm(request)
        let (url, _) = try services.accountURL(form["token"])
        return Input(url: url, opening: try services.accountOpening(visit))
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        Outcome(
            user: try services.flows.openAccountPage(input.url, input.opening, in: transaction),
            opening: input.opening
        )
    }

    func committed(_ outcome: Outcome, of call: CallContext) {
        services.log("account-page.opened", uid: outcome.user.uid, isAnonymous: outcome.user.isAnonymous)
    }

    func render(_ outcome: Outcome) throws -> Response { try services.openedAccount(outcome.opening) }
}

extension Services {
    /// Verifies the signature of the token in an app's URL, and returns it with its text.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE.
    func accountURL(_ text: String?) throws -> (AccountURLToken, String) {
        guard let text, let url = try AccountURLToken.verify(text, secrets: secrets) else {
            throw Refusal(.invalidOobCode)
        }
        return (url, text)
    }
}
