internal import Accounts
internal import Database
internal import HTTPServer

/// `DELETE /v1/sessions/{id}`: ends a session of the caller's user, except the one with which a guest calls.
struct EndSession: AwaitingEndpoint {
    struct Input: Sendable {
        let token: PresentedToken
        let id: String
    }

    let services: Services

    func decode(_ request: Request) throws -> Decoded<Input> {
        let token = try services.bearerToken(of: request)
        return try Decoded.after(token) { Input(token: token, id: try request.sessionID) }
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Input {
        try services.flows.endSession(input.id, of: input.token, in: transaction)
        return input
    }

    func committed(_ input: Input, of call: CallContext) {
        services.changes.hint(.sessionEnded, to: input.token.uid)
        services.changes.ended(input.token.uid)
        services.log("session.ended", uid: input.token.uid, isAnonymous: input.token.provider == .anonymous)
    }

    func render(_ input: Input) -> Response {
        Response(status: 204)
    }
}

/// `DELETE /v1/projects/{project}/users/{uid}/sessions/{id}`: ends a session of a user, for an administrator.
struct EndUserSession: WritingEndpoint {
    struct Input: Sendable {
        let uid: String
        let id: String
        let actor: AuditActor
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Input {
        let actor = try services.checkAdministrator(call, changing: true)
        return Input(uid: try call.request.userID, id: try call.request.sessionID, actor: actor)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Input {
        try services.flows.acting(as: input.actor).endSession(input.id, ofUser: input.uid, in: transaction)
        return input
    }

    func committed(_ input: Input, of call: CallContext) {
        services.changes.hint(.sessionEnded, to: input.uid)
        services.changes.ended(input.uid)
        services.log("session.ended", uid: input.uid, isAnonymous: false, outcome: "by-administrator")
    }

    func render(_ input: Input) -> Response {
        Response(status: 204)
    }
}
