internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/projects/{project}/accounts`: creates a user for an administrator (contract, 3.1).
struct CreateUser: WritingEndpoint {
    struct Input: Sendable {
        let user: NewUser
        let actor: AuditActor
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Input {
        let (body, actor) = try services.administratorsCall(of: call, changing: true)
        let chosen = try body.nonEmptyString("localId")
        if try body.nonEmptyString("idToken", limit: 16_384) != nil {
            if chosen != nil { throw Refusal(.unexpectedParameter, detail: "User ID") }
            throw Refusal(
                .operationNotAllowed,
                detail: "An administrator creates users without idToken; change one with accounts:update."
            )
        }
        try services.refusePasswordsAndPhones(body)
        if let chosen, !UserID.isAllowed(chosen) { throw Refusal(.invalidLocalID) }
        var new = NewUser(uid: try chosen ?? UID.random(), isChosen: chosen != nil)
        new.email = try body.nonEmptyString("email").map(services.address)
        new.isEmailVerified = try body.bool("emailVerified") ?? false
        new.isDisabled = try body.bool("disabled") ?? false
        new.displayName = try services.profileText(body, "displayName")
        new.photoURL = try services.profileText(body, "photoUrl")
        return Input(user: new, actor: actor)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> User {
        try services.flows.acting(as: input.actor).createUser(input.user, in: transaction)
    }

    func committed(_ user: User, of call: CallContext) {
        services.metrics.day.count(.users, at: SystemClock.now())
        services.log("user.created", uid: user.uid, isAnonymous: false, outcome: "by-administrator")
    }

    func render(_ user: User) throws -> Response {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("kind", "identitytoolkit#SignupNewUserResponse")
        json.member("localId", user.uid)
        json.member("displayName", user.displayName)
        json.member("email", user.email)
        json.endObject()
        return .json(json.bytes)
    }
}

extension Services {
    /// Refuses a password, a telephone number or second factors, which an administrator would otherwise assume to be
    /// set.
    ///
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED for a password, ``RequestError`` for the others.
    func refusePasswordsAndPhones(_ body: RequestBody) throws {
        if try body.nonEmptyString("password") != nil { throw Refusal.noPasswords }
        if try body.nonEmptyString("phoneNumber") != nil {
            throw RequestError.notImplemented("Latchkey does not support telephone numbers.")
        }
        let factors = try body.objects("mfaInfo") ?? body.object("mfa")?.objects("enrollments")
        if factors?.isEmpty == false {
            throw RequestError.notImplemented("Latchkey does not support second factors.")
        }
    }
}
