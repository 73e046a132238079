internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/accounts:exchangeFirebaseToken`: a session for a user who still has one at the Firebase project that they were
/// imported from, so that the move logs nobody out.
struct ExchangeFirebaseToken: AwaitingEndpoint {
    struct Input: Sendable {
        let foreign: ForeignSession
        let opening: SessionOpening
    }

    let services: Services

    func decode(_ request: Request) throws -> Decoded<Input> {
        let body = try services.body(of: request)
        guard let token = try body.nonEmptyString("firebaseToken", limit: 16_384) else {
            throw Refusal(.missingFirebaseToken)
        }
        guard let firebaseTokens = services.firebaseTokens else { throw Refusal(.operationNotAllowed) }
        let opening = try services.opening(for: request)
        switch try firebaseTokens.check(token, at: services.clock()) {
        case .known(let foreign): return .complete(Input(foreign: foreign, opening: opening))
        case .awaitingKeys(let check):
            return .awaiting { Input(foreign: try await check(), opening: opening) }
        }
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> SignedIn {
        try services.flows.exchange(input.foreign, opening: input.opening, in: transaction)
    }

    func remember(_ signedIn: SignedIn) {
        services.signIns.note(signedIn, remembersClient: false)
    }

    func render(_ signedIn: SignedIn) throws -> Response {
        services.log("user.exchanged", signedIn)
        return try services.respond(kind: "ExchangeFirebaseTokenResponse", to: signedIn) { json in
            json.member("localId", signedIn.user.uid)
        }
    }
}
