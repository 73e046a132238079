internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:signUp`: creates a guest (contract, 3.1).
struct SignUp: WritingEndpoint {
    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> GuestSignUp {
        let body = try services.body(of: call)
        if try body.nonEmptyString("localId") != nil { throw Refusal(.unexpectedParameter, detail: "User ID") }
        try refuseCredentials(body)
        let refusal = services.storageReserve.refusalOfGuests()
        let earlier = try earlierIDs(call.request)
        if earlier.isEmpty, let refusal { throw refusal }
        let payment = try services.admit(.signUp, call.request, to: services.limiters.guests)
        var signUp = GuestSignUp(
            ids: try earlier.first ?? GuestIDs(uid: try UID.random(), sid: try TokenID.random().text),
            earlier: earlier,
            rotates: services.rotates(call.request),
            payment: payment,
            device: services.deviceName(of: call.request)
        )
        signUp.refusal = refusal
        signUp.expectsGuest = refusal != nil
        return signUp
    }

    /// The UID and session ID derived from the request's `Idempotency-Key` with each of the server's secrets, newest
    /// first; empty without the header.
    ///
    /// - Throws: ``Refusal`` INVALID_IDEMPOTENCY_KEY.
    private func earlierIDs(_ request: Request) throws -> [GuestIDs] {
        let values = request.headers("Idempotency-Key")
        guard let value = values.first else { return [] }
        guard values.count == 1, let key = IdempotencyKey(value) else { throw Refusal(.invalidIdempotencyKey) }
        return try services.secrets.all.map { secret in
            GuestIDs(uid: try UID.guest(of: key, secret), sid: try key.session(secret).text)
        }
    }

    /// Refuses password sign-up, which does not exist, with the errors in the order that clients expect.
    ///
    /// Does nothing if the body has no e-mail address, password or ID token.
    ///
    /// - Throws: ``Refusal`` INVALID_EMAIL, MISSING_EMAIL, MISSING_PASSWORD, OPERATION_NOT_ALLOWED; ``RequestError``.
    private func refuseCredentials(_ body: RequestBody) throws {
        let email = try body.string("email")
        let password = try body.string("password")
        if email == "", password == "" { throw Refusal(.invalidEmail) }
        let hasToken = try body.nonEmptyString("idToken", limit: 16_384) != nil
        guard hasToken || email?.isEmpty == false || password?.isEmpty == false else { return }
        if email?.isEmpty != false { throw Refusal(.missingEmail) }
        if password?.isEmpty != false { throw Refusal(.missingPassword) }
        throw Refusal.noPasswords
    }

    // A guest with random identifiers meets no other transaction. One with those of an idempotency key may.
    func isolation(_ signUp: GuestSignUp) -> Isolation {
        signUp.earlier.isEmpty ? .readCommitted : .serializable
    }

    // Such a guest waits for no other transaction, unless it spends a challenge.
    func sharedKey(_ signUp: GuestSignUp) -> String? {
        signUp.earlier.isEmpty && signUp.payment == nil ? signUp.ids.uid : nil
    }

    func transact(_ signUp: GuestSignUp, in transaction: Transaction) throws -> SignedIn {
        try services.flows.signUpAnonymously(signUp, in: transaction)
    }

    func transact(_ signUps: [GuestSignUp], in transaction: Transaction) throws -> [SharedOutcome<SignedIn>] {
        try services.flows.signUpAnonymously(signUps, in: transaction).map { .answered(.success($0)) }
    }

    /// Handles the violated unique index if an earlier call with the same `Idempotency-Key` created the guest: the
    /// second attempt returns that guest.
    func inputAfterConstraint(_ signUp: GuestSignUp) throws -> GuestSignUp? {
        guard !signUp.earlier.isEmpty else { return nil }
        var again = signUp
        again.expectsGuest = true
        return again
    }

    func committed(_ signedIn: SignedIn, of call: CallContext) {
        if signedIn.isNewUser {
            services.installation.guests.count(at: services.clock())
            services.log("user.created", signedIn)
        } else {
            services.limiters.guests.giveBack(call.client, at: services.clock())
        }
    }

    func render(_ signedIn: SignedIn) throws -> Response {
        try services.respond(kind: "SignupNewUserResponse", to: signedIn) { json in
            json.member("localId", signedIn.user.uid)
        }
    }
}
