internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/accounts:createAuthUri`: returns the sign-in methods of an e-mail address (contract, 3.7).
///
/// The response has them only while e-mail privacy is off. Each call counts against the client's limit for
/// claiming and looking up usernames.
struct CreateAuthURI: ReadingEndpoint {
    struct Input: Sendable {
        let email: EmailAddress
        let sessionID: String
    }

    struct Outcome: Sendable {
        let sessionID: String
        /// The sign-in methods of the e-mail address; `nil` while e-mail privacy is on.
        let known: SignInMethods?
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Input {
        let body = try services.body(of: call)
        let sessionID = try body.nonEmptyString("sessionId")
        if try body.nonEmptyString("providerId") != nil {
            throw RequestError.notImplemented("Latchkey makes no URLs of identity providers; use their SDKs.")
        }
        guard let identifier = try body.nonEmptyString("identifier") else { throw Refusal(.missingIdentifier) }
        guard let continueURL = try body.nonEmptyString("continueUri") else { throw Refusal(.missingContinueURI) }
        guard let email = try? EmailAddress(parsing: identifier) else { throw Refusal(.invalidIdentifier) }
        // The server never redirects to this URL, so its origin need not be allowed.
        guard continueURL.isAbsoluteURL else {
            throw Refusal(.invalidContinueURI, detail: "continueUri must be an absolute URL.")
        }
        try services.limiters.usernames.use(call.request.clientAddress, at: services.clock())
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
