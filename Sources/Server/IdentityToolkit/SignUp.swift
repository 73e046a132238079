internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/accounts:signUp`: a new anonymous user (contract, 3.1).
struct SignUp: WritingEndpoint {
    struct Input: Sendable {
        let uid: String
        let opening: SessionOpening
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let body = try services.body(of: request)
        if try body.nonEmptyString("localId") != nil { throw Refusal(.unexpectedParameter, detail: "User ID") }
        try refuseCredentials(body)
        try services.storageReserve.checkGuests()
        try services.guestLimiter.use(request.clientAddress, at: services.clock())
        return Input(uid: try UID.random(), opening: try services.opening(for: request))
    }

    /// Password sign-up does not exist; it is refused in the order that clients know.
    private func refuseCredentials(_ body: RequestBody) throws {
        let email = try body.string("email")
        let password = try body.string("password")
        if email == "", password == "" { throw Refusal(.invalidEmail) }
        let hasToken = try body.nonEmptyString("idToken", limit: 16_384) != nil
        guard hasToken || email?.isEmpty == false || password?.isEmpty == false else { return }
        if email?.isEmpty != false { throw Refusal(.missingEmail) }
        if password?.isEmpty != false { throw Refusal(.missingPassword) }
        throw Refusal(.operationNotAllowed)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> SignedIn {
        try services.flows.signUpAnonymously(uid: input.uid, opening: input.opening, in: transaction)
    }

    func render(_ signedIn: SignedIn) throws -> Response {
        services.log("user.created", signedIn)
        return try services.respond(kind: "SignupNewUserResponse", to: signedIn) { json in
            json.member("localId", signedIn.user.uid)
        }
    }
}
