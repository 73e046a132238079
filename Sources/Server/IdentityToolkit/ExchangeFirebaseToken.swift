internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/accounts:exchangeFirebaseToken`: opens a session for an imported user who presents an ID token of the
/// Firebase project that they were imported from, so that the move to Latchkey signs no user out.
struct ExchangeFirebaseToken: AwaitingEndpoint {
    struct Input: Sendable {
        let foreign: ForeignSession
        let opening: SessionOpening
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Decoded<Input> {
        let body = try services.body(of: call)
        guard let token = try body.nonEmptyString("firebaseToken", limit: 16_384) else {
            throw Refusal(.missingFirebaseToken)
        }
        guard let firebase = services.issuers.firebase else {
            throw Refusal(.operationNotAllowed, detail: "The exchange is not configured (setting firebase.project).")
        }
        let opening = try services.opening(for: call.request)
        switch try firebase.check(token, at: services.clock()) {
        case .known(let foreign): return .complete(Input(foreign: foreign, opening: opening))
        case .awaitingKeys(let check):
            return .awaiting { Input(foreign: try await check(), opening: opening) }
        }
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> SignedIn {
        try services.flows.exchange(input.foreign, opening: input.opening, in: transaction)
    }

    func committed(_ signedIn: SignedIn, of call: CallContext) {
        services.signIns.record(signedIn, remembersClient: false)
        services.log("user.exchanged", signedIn)
    }

    func render(_ signedIn: SignedIn) throws -> Response {
        try services.respond(kind: "ExchangeFirebaseTokenResponse", to: signedIn) { json in
            json.member("localId", signedIn.user.uid)
        }
    }
}
