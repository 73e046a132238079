internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

/// `GET /console/open`: asks whether to open the console with a URL of the command line.
///
/// The request uses up nothing, because programs open links too.
struct AskToOpenConsole: ReadingEndpoint {
    struct Input: Sendable {
        let visit: ConsoleVisit
        let token: TokenID
    }

    struct Outcome: Sendable {
        let input: Input
        let name: String
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        Input(
            visit: try services.consoleVisit(of: request),
            token: try services.consoleToken(request.queryValue("token"))
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        Outcome(input: input, name: try services.flows.consoleName(ofURL: input.token, in: transaction))
    }

    func render(_ outcome: Outcome) throws -> Response {
        let visit = outcome.input.visit
        let values = [
            "name": outcome.name, "token": outcome.input.token.text,
            "formToken": try FormToken.make(for: visit.signIn, secrets: services.secrets),
        ]
        var page = services.consolePage("open", title: "Open the console", values)
        if visit.isFirst {
            let value = try TicketToken.make(id: visit.signIn, secrets: services.secrets)
            page.headers.append(visit.cookies.set(.consoleSignIn, to: value))
        }
        return page
    }
}

/// `POST /console/open`: uses up a URL of the command line, and opens the console.
struct OpenConsole: WritingEndpoint {
    struct Input: Sendable {
        let token: TokenID
        let opening: BrowserSessionOpening
        let visit: ConsoleVisit
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let (form, visit) = try services.consoleSignInForm(request)
        return Input(
            token: try services.consoleToken(form["token"]),
            opening: try services.consoleOpening(visit),
            visit: visit
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Input {
        _ = try services.flows.openConsole(url: input.token, input.opening, in: transaction)
        return input
    }

    func committed(_ input: Input, of call: CallContext) { services.logger("console.opened") }

    func render(_ input: Input) throws -> Response { try services.openedConsole(input.opening, input.visit) }
}

extension Services {
    /// Reads the token of a URL of the console.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE.
    func consoleToken(_ text: String?) throws -> TokenID {
        guard let token = text.flatMap({ TokenID(text: $0) }) else { throw Refusal(.invalidOobCode) }
        return token
    }
}
