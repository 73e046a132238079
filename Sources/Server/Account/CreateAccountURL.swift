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
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Input {
        guard services.configuration.accountPage else {
            throw Refusal(.operationNotAllowed, detail: "The setting accountPage is off.")
        }
        guard let token = try services.presentedToken(services.body(of: call)) else {
            throw Refusal(.missingIDToken)
        }
        return Input(token: token, id: try .random(), now: services.clock() / 1000)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> String {
        let (_, session) = try services.flows.authenticate(input.token, in: transaction)
        guard let sid = TokenID(text: session.sid) else { throw Refusal(.tokenExpired) }
        return try AccountURLToken.make(id: input.id, session: sid, now: input.now, secrets: services.secrets)
    }

    func render(_ token: String) throws -> Response {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("kind", "identitytoolkit#CreateAccountUrlResponse")
        json.member("url", "\(services.publicURL)\(AccountPath.open)?token=\(token)")
        json.member("expiresIn", String(AccountURLToken.life))
        json.endObject()
        return .json(json.bytes)
    }
}
