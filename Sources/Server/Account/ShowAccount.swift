internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

/// `GET /account`: shows the account of the browser session's user, or asks to sign in.
struct ShowAccount: WritingEndpoint {
    struct Outcome: Sendable {
        let overview: AccountOverview?
        let visit: AccountPageVisit
    }

    let services: Services

    func decode(_ request: Request) throws -> AccountPageVisit { try services.accountPageVisit(of: request) }

    func transact(_ visit: AccountPageVisit, in transaction: Transaction) throws -> Outcome {
        guard let session = visit.session else { return Outcome(overview: nil, visit: visit) }
        let caller = try services.flows.authenticate(browser: session, at: .account, in: transaction)
        return Outcome(overview: try services.flows.overview(of: caller, in: transaction), visit: visit)
    }

    func committed(_ outcome: Outcome, of call: CallContext) {}

    func render(_ outcome: Outcome) throws -> Response {
        guard let overview = outcome.overview, let session = outcome.visit.session else {
            return try services.askForAddress(outcome.visit)
        }
        return try services.show(overview, session, outcome.visit)
    }
}
