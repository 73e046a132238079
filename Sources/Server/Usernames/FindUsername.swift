internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `GET /v1/usernames/{name}`: returns the UID of a username's owner.
///
/// If no user has the username, the answer tells whether it can be claimed. A reserved one cannot.
struct FindUsername: ReadingEndpoint {
    struct Input: Sendable {
        let token: PresentedToken
        let username: Username
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        Input(
            token: try services.bearerToken(of: request),
            username: try services.username(request.parameters["name"] ?? "", of: request)
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> UsernameAnswer {
        try services.flows.findUsername(input.username, for: input.token, in: transaction)
    }

    func render(_ answer: UsernameAnswer) throws -> Response {
        var json = JSONWriter(capacity: 128)
        json.beginObject()
        json.member("username", answer.username)
        json.member("available", answer.isAvailable)
        json.member("localId", answer.uid)
        json.endObject()
        return .json(json.bytes)
    }
}
