internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:resetPassword`: returns the purpose of an action code, and its e-mail addresses except for a
/// sign-in, without using it (contract, 3.14).
struct ResetPassword: ReadingEndpoint {
    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> ActionCode {
        let body = try services.body(of: call)
        guard let code = try body.nonEmptyString("oobCode") else { throw Refusal(.missingOobCode) }
        if try body.nonEmptyString("newPassword") != nil { throw Refusal.noPasswords }
        let actionCode = try services.actionCode(code)
        // Only the page behind the link of a notice accepts its code.
        guard actionCode.purpose != .revertMethodChange else { throw Refusal(.invalidOobCode) }
        return actionCode
    }

    func transact(_ code: ActionCode, in transaction: Transaction) throws -> StoredActionCode {
        try services.flows.usableActionCode(code, in: transaction)
    }

    func render(_ code: StoredActionCode) throws -> Response {
        var json = JSONWriter(capacity: 192)
        json.beginObject()
        json.member("kind", "identitytoolkit#ResetPasswordResponse")
        json.member("requestType", code.purpose.requestType)
        // A sign-in link does not reveal its address: the client has to send the address with it.
        if code.purpose != .emailSignIn { json.member("email", code.email) }
        json.member("newEmail", code.newEmail)
        json.endObject()
        return .json(json.bytes)
    }
}
