internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

/// `GET /account/delete`: says what the deletion of the account does, and asks to confirm it.
struct AskToDeleteAccount: WritingEndpoint {
    struct Outcome: Sendable {
        let caller: BrowserCaller?
        let visit: AccountPageVisit
    }

    let services: Services

    func decode(_ request: Request) throws -> AccountPageVisit { try services.accountPageVisit(of: request) }

    func transact(_ visit: AccountPageVisit, in transaction: Transaction) throws -> Outcome {
        guard let session = visit.session else { return Outcome(caller: nil, visit: visit) }
        let caller = try services.flows.authenticate(browser: session, at: .account, in: transaction)
        return Outcome(caller: caller, visit: visit)
    }

    func committed(_ outcome: Outcome, of call: CallContext) {}

    func render(_ outcome: Outcome) throws -> Response {
        guard let caller = outcome.caller, let session = outcome.visit.session else {
            return try services.askForAddress(outcome.visit)
        }
        return services.pages.askToDelete(
            caller.user,
            formToken: try FormToken.make(for: session, secrets: services.secrets),
            locale: outcome.visit.locale
        )
    }
}

/// `POST /account/delete`: deletes the user, as `accounts:delete` does.
struct DeleteAccount: WritingEndpoint {
    struct Input: Sendable {
        let session: TokenID
        let locale: String
    }

    struct Outcome: Sendable {
        let user: User
        let locale: String
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let (_, visit, session) = try services.accountForm(request)
        return Input(session: session, locale: visit.locale)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        let caller = try services.flows.authenticate(browser: input.session, at: .account, in: transaction)
        return Outcome(user: try services.flows.deleteUser(caller.token, in: transaction), locale: input.locale)
    }

    func inputAfterConstraint(_ input: Input) throws -> Input? { throw Delete.keptByTables }

    func committed(_ outcome: Outcome, of call: CallContext) {
        services.changes.ended(outcome.user.uid)
        services.log("user.deleted", uid: outcome.user.uid, isAnonymous: outcome.user.isAnonymous)
    }

    func render(_ outcome: Outcome) throws -> Response {
        var response = services.pages.page("account-deleted", locale: outcome.locale)
        response.headers.append(services.cookies.clear(.account))
        return response
    }
}
