internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/accounts:createAuthUri`: how the owner of an address may sign in (contract, 3.7).
///
/// Only while e-mail privacy is off; and each client may ask about as many addresses an hour as about usernames.
struct CreateAuthURI: ReadingEndpoint {
    struct Input: Sendable {
        let email: EmailAddress
        let sessionID: String
    }

    struct Outcome: Sendable {
        let sessionID: String
        let known: SignInMethods?
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let body = try services.body(of: request)
        let sessionID = try body.nonEmptyString("sessionId")
        if try body.nonEmptyString("providerId") != nil {
            throw RequestError.notImplemented("Latchkey makes no addresses of identity providers; their SDKs do.")
        }
        guard let identifier = try body.nonEmptyString("identifier") else { throw Refusal(.missingIdentifier) }
        guard let continueURL = try body.nonEmptyString("continueUri") else { throw Refusal(.missingContinueURI) }
        guard let email = try? EmailAddress(parsing: identifier) else { throw Refusal(.invalidIdentifier) }
        // Nobody is sent there, so it need not be allowed.
        guard continueURL.isAbsoluteURL else { throw Refusal(.invalidContinueURI) }
        try services.usernameLimiter.use(request.clientAddress, at: services.clock())
        return Input(email: email, sessionID: try sessionID ?? UID.random(length: 27))
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        Outcome(
            sessionID: input.sessionID,
            known: try services.flows.signInMethods(of: input.email, in: transaction)
        )
    }

    func render(_ outcome: Outcome) throws -> Response {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("kind", "identitytoolkit#CreateAuthUriResponse")
        if let known = outcome.known {
            json.member("allProviders", JSONValue.array(known.providers.map { .string($0) }))
            json.member("registered", known.isRegistered)
        }
        json.member("sessionId", outcome.sessionID)
        if let known = outcome.known {
            json.member("signinMethods", JSONValue.array(known.methods.map { .string($0) }))
        }
        json.endObject()
        return .json(json.bytes)
    }
}
