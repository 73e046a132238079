internal import Accounts
internal import Database
internal import HTTPServer

/// `DELETE /v1/sessions/{id}`: ends a session of the caller's user.
struct EndSession: WritingEndpoint {
    struct Input: Sendable {
        let token: PresentedToken
        let id: String
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let token = try services.bearerToken(of: request)
        return Input(token: token, id: try services.afterToken(token) { try request.sessionID })
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Input {
        try services.flows.endSession(input.id, of: input.token, in: transaction)
        return input
    }

    func render(_ input: Input) -> Response {
        services.changes.ended(input.token.uid)
        services.log("session.ended", uid: input.token.uid, isAnonymous: input.token.provider == .anonymous)
        return Response(status: 204)
    }
}

/// `DELETE /v1/projects/{project}/users/{uid}/sessions/{id}`: an administrator ends a session of a user.
struct EndUserSession: WritingEndpoint {
    struct Input: Sendable {
        let uid: String
        let id: String
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        try services.checkAdministrator(request, changing: true)
        return Input(uid: try request.userID, id: try request.sessionID)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Input {
        try services.flows.endSession(input.id, ofUser: input.uid, in: transaction)
        return input
    }

    func render(_ input: Input) -> Response {
        services.changes.ended(input.uid)
        services.log("session.ended", uid: input.uid, isAnonymous: false, outcome: "by-administrator")
        return Response(status: 204)
    }
}
