internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Network
internal import Tokens

/// `POST /v1/accounts:signUp`: a new anonymous user (contract, 3.1).
struct SignUp: WritingEndpoint {
    struct Input: Sendable {
        var signUp: GuestSignUp
        let client: IPAddress
    }

    struct Outcome: Sendable {
        let signedIn: SignedIn
        let client: IPAddress
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let body = try services.body(of: request)
        if try body.nonEmptyString("localId") != nil { throw Refusal(.unexpectedParameter, detail: "User ID") }
        try refuseCredentials(body)
        try services.storageReserve.checkGuests()
        let earlier = try earlierIDs(request)
        let payment = try services.admit(.signUp, request, to: services.guestLimiter)
        return Input(
            signUp: GuestSignUp(
                ids: try earlier.first ?? GuestIDs(uid: try UID.random(), sid: try TokenID.random().text),
                earlier: earlier,
                rotates: services.rotates(request),
                payment: payment,
                device: services.deviceName(of: request)
            ),
            client: request.clientAddress
        )
    }

    /// The identifiers that belong to the request's `Idempotency-Key` under each secret, newest first; empty without a key.
    private func earlierIDs(_ request: Request) throws -> [GuestIDs] {
        let values = request.headers("Idempotency-Key")
        guard let value = values.first else { return [] }
        guard values.count == 1, let key = IdempotencyKey(value) else { throw Refusal(.invalidIdempotencyKey) }
        return try services.secrets.all.map { secret in
            GuestIDs(uid: try UID.guest(of: key, secret), sid: try key.session(secret).text)
        }
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

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        Outcome(
            signedIn: try services.flows.signUpAnonymously(input.signUp, in: transaction),
            client: input.client
        )
    }

    /// Where a call with the same key came first, its guest breaks the unique index, and is the answer.
    func inputAfterConstraint(_ input: Input) throws -> Input? {
        guard !input.signUp.earlier.isEmpty else { return nil }
        var again = input
        again.signUp.expectsGuest = true
        return again
    }

    func render(_ outcome: Outcome) throws -> Response {
        let signedIn = outcome.signedIn
        if signedIn.isNewUser {
            services.installation.guests.count(at: services.clock())
            services.log("user.created", signedIn)
        } else {
            services.guestLimiter.giveBack(outcome.client, at: services.clock())
        }
        return try services.respond(kind: "SignupNewUserResponse", to: signedIn) { json in
            json.member("localId", signedIn.user.uid)
        }
    }
}
