internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:createAccountUrl`: returns a URL with which the user of an ID token opens the account page in a
/// browser, once and within a minute.
struct CreateAccountURL: ReadingEndpoint {
    struct Input: Sendable {
        let token: PresentedToken
        let id: TokenID
        let now: Int64
        let timeZone: String?
    }

    struct Outcome: Sendable {
        let token: String
        let timeZone: String?
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Input {
        guard services.configuration.accountPage else {
            throw Refusal(.operationNotAllowed, detail: "The setting accountPage is off.")
        }
        let body = try services.body(of: call)
        guard let token = try services.presentedToken(body) else { throw Refusal(.missingIDToken) }
        return Input(
            token: token,
            id: try .random(),
            now: services.clock() / 1000,
            timeZone: try services.timeZone(in: body)
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        let (_, session) = try services.flows.authenticate(input.token, in: transaction)
        guard let sid = TokenID(text: session.sid) else { throw Refusal(.tokenExpired) }
        return Outcome(
            token: try AccountURLToken.make(id: input.id, session: sid, now: input.now, secrets: services.secrets),
            timeZone: input.timeZone
        )
    }

    func render(_ outcome: Outcome) throws -> Response {
        let zone = outcome.timeZone.map { "&timeZone=\(PercentEncoding.component($0))" } ?? ""
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("kind", "identitytoolkit#CreateAccountUrlResponse")
        json.member("url", "\(services.publicURL)\(AccountPath.open)?token=\(outcome.token)\(zone)")
        json.member("expiresIn", String(AccountURLToken.life))
        json.endObject()
        return .json(json.bytes)
    }
}
