internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

extension Services {
    /// Adds the calls about usernames.
    func addUsernames(to router: inout Router) {
        let set = handler(SetUsername(services: self), guarding: true)
        router.add(.post, "/v1/accounts:setUsername", cors: true, guarded(set))
        let find = handler(FindUsername(services: self), guarding: true)
        router.add(.get, "/v1/usernames/{name}", cors: true, guarded(find))
    }

    /// Counts a request against the client's hourly limit for usernames, and parses the username in it.
    ///
    /// - Throws: ``Refusal`` INVALID_USERNAME, TOO_MANY_ATTEMPTS_TRY_LATER.
    func username(_ text: String, of request: Request) throws -> Username {
        try limiters.usernames.use(request.clientAddress, at: clock())
        guard let username = Username(text) else { throw Refusal(.invalidUsername) }
        return username
    }
}

/// `POST /v1/accounts:setUsername`: claims, changes or releases the caller's username.
struct SetUsername: WritingEndpoint {
    struct Input: Sendable {
        let token: PresentedToken
        /// The new username; `nil` releases the current one.
        let username: Username?
    }

    struct Outcome: Sendable {
        let user: User
        let username: Username?
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let token = try services.bearerToken(of: request)
        let body = try RequestBody(request)
        guard body.mentions("username") else { throw Refusal(.missingUsername) }
        let username = try body.string("username").map { try services.username($0, of: request) }
        return Input(token: token, username: username)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        Outcome(
            user: try services.flows.setUsername(input.username, of: input.token, in: transaction),
            username: input.username
        )
    }

    func committed(_ outcome: Outcome, of call: CallContext) {
        services.changes.hint(.updated, to: outcome.user.uid)
        services.log("username.set", uid: outcome.user.uid, isAnonymous: outcome.user.isAnonymous)
    }

    func render(_ outcome: Outcome) throws -> Response {
        var json = JSONWriter(capacity: 96)
        json.beginObject()
        json.member("localId", outcome.user.uid)
        json.member("username", outcome.username?.text)
        json.endObject()
        return .json(json.bytes)
    }
}
